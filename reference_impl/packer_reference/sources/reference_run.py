"""Everything here as one object: a run that takes sources in, saves cursors and decides about them."""

from collections.abc import Mapping
from typing import Any, Literal, cast

from packer_reference.loading import load_callable
from packer_reference.sources.building import build_preference_source, build_prompt_source
from packer_reference.sources.built import BuiltSource, PreferenceSource, PromptSource
from packer_reference.sources.cursor_decision import SavedCursors, decide_cursor
from packer_reference.sources.fingerprints import cursor_fingerprint
from packer_reference.sources.membership import refuse_overlap
from packer_schemas import CursorResume, PreferenceSourceSettings, PromptSourceSettings, RunConfig, dotted_paths

__all__ = ["ReferenceRun"]


class ReferenceRun:
    """A `SourceRun`: one rank of one, without worker processes and without shuffling, with seed 0."""

    def open_prompts(self, settings: Mapping[str, Any]) -> PromptSource:
        """As `build_prompt_source`."""
        return build_prompt_source(PromptSourceSettings.model_validate(dict(settings)))

    def open_preferences(self, settings: Mapping[str, Any]) -> PreferenceSource:
        """As `build_preference_source`."""
        return build_preference_source(PreferenceSourceSettings.model_validate(dict(settings)))

    def recorded(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings that are there, and keyword arguments where there are none. Spec: sources, SOURCE-1."""
        return {**settings, "factory_kwargs": dict(settings.get("factory_kwargs") or {})}

    def saved_fingerprint(self, opened: BuiltSource) -> str | None:
        """As `cursor_fingerprint`."""
        return cursor_fingerprint(opened)

    def decide_cursor(
        self, cursor_resume: str, opened: BuiltSource, saved: Mapping[str, Any] | None
    ) -> Literal["start", "restore"]:
        """As `decide_cursor`; `saved` is None, or a mapping with `checkpoint` and `documents`."""
        found = None if saved is None else SavedCursors(saved["checkpoint"], saved["documents"])
        return decide_cursor(cast("CursorResume", cursor_resume), opened, self._fresh_document(opened), found)

    def refuse_overlap(self, training: BuiltSource, held_out: BuiltSource) -> None:
        """As `refuse_overlap`."""
        refuse_overlap(training, held_out)

    def preflight(self, config: Mapping[str, Any]) -> None:
        """Validate the configuration and import its dotted paths; none is called. Spec: sources, SOURCE-16.

        Raises `ValueError` with all mistakes, and `CallableImportError` or `TypeError` for the first bad path.
        """
        RunConfig.model_validate(config)
        for path in dotted_paths(config).values():
            load_callable(path)

    def _fresh_document(self, opened: BuiltSource) -> dict[str, Any]:
        """The document of the run's loader before its first batch."""
        source = {"kind": "map", "length": len(opened), "seed": 0, "shuffle": False}
        return {
            "schema_version": 1,
            "name": "",
            "source": {**source, "fingerprint": cursor_fingerprint(opened)},
            "dp_rank": 0,
            "dp_world_size": 1,
            "num_workers": 0,
            "batches": 0,
            "next_worker": 0,
            "workers": [{"worker_id": 0, "epoch": 0, "index": -1, "set_aside": []}],
        }
