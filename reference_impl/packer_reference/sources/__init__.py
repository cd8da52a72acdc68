"""Data sources: from settings to items that a run may hand on, with fingerprints, cursors and membership."""

from packer_reference.sources.building import build_preference_source, build_prompt_source
from packer_reference.sources.built import BuiltSource, PreferenceSource, PromptSource
from packer_reference.sources.cursor_decision import SavedCursors, decide_cursor
from packer_reference.sources.cursor_fit import misfits
from packer_reference.sources.fingerprints import cursor_fingerprint
from packer_reference.sources.jsonl_pairs import JsonlPairs
from packer_reference.sources.jsonl_rows import JsonlRows
from packer_reference.sources.membership import membership_ids, refuse_overlap
from packer_reference.sources.parquet_rows import ParquetRows
from packer_reference.sources.reference_run import ReferenceRun
from packer_reference.sources.tar_pairs import TarPairs

__all__ = [
    "BuiltSource",
    "JsonlPairs",
    "JsonlRows",
    "ParquetRows",
    "PreferenceSource",
    "PromptSource",
    "ReferenceRun",
    "SavedCursors",
    "TarPairs",
    "build_preference_source",
    "build_prompt_source",
    "cursor_fingerprint",
    "decide_cursor",
    "membership_ids",
    "misfits",
    "refuse_overlap",
]
