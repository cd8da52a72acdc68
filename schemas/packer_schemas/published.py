"""The data that has a published JSON Schema, by the name of its file."""

from typing import Any

from packer_schemas.binding import PackerBinding
from packer_schemas.build_spec import DataPackerBuildSpec
from packer_schemas.cases import CaseFile
from packer_schemas.conversation import Conversation
from packer_schemas.dataloader_state import DataloaderState
from packer_schemas.identity import IdentityDocument
from packer_schemas.known import KnownFailures
from packer_schemas.lock import Lock
from packer_schemas.lock_report import LockReport
from packer_schemas.observation import ObsBundle
from packer_schemas.policy import AgreeingBatch, RLPolicyInput
from packer_schemas.report import Report
from packer_schemas.source_settings import PreferenceSourceSettings, PromptSourceSettings
from packer_schemas.tensor import RoutingRecord
from packer_schemas.trajectory import Trajectory
from packer_schemas.vectors import VECTOR_FILES
from packer_schemas.wire_geometry import WireGeometry

__all__ = ["PUBLISHED"]

PUBLISHED: dict[str, Any] = {
    "build-spec": DataPackerBuildSpec,
    "case-file": CaseFile,
    "conversation": Conversation,
    "dataloader-state": DataloaderState,
    "identity-document": IdentityDocument,
    "known-failures": KnownFailures,
    "lock": Lock,
    "lock-report": LockReport,
    "observation": ObsBundle,
    "packer-binding": PackerBinding,
    "policy-batch": AgreeingBatch,
    "policy-input": RLPolicyInput,
    "preference-source-settings": PreferenceSourceSettings,
    "prompt-source-settings": PromptSourceSettings,
    "report": Report,
    "routing-record": RoutingRecord,
    "trajectory": Trajectory,
    "wire-geometry": WireGeometry,
    **{f"vectors-{name}": model for name, model in VECTOR_FILES.items()},
}
"""Name of the schema to the type it is made from: a model, a typed dict, or an annotated type."""
