"""The catalogue of changes: what the kit alters in a model folder to see whether output and identity move together."""

from packproof.changes.model_files import ModelFiles
from packproof.changes.processor import (
    IMAGE_CHANGES,
    OTHER_TOKENS,
    PLACEHOLDERS,
    VIDEO_CHANGES,
    ids_exchanged,
    with_processor,
)
from packproof.changes.settings import (
    MODEL_TYPES,
    OPERATIONAL_CHANGES,
    SPECIAL_TOKEN_CHANGES,
    TEMPLATE_CHANGES,
    UNSEEN_TEMPLATE_CHANGES,
)
from packproof.changes.tokenizer import TOKENIZER_CHANGES

__all__ = [
    "IMAGE_CHANGES",
    "MODEL_TYPES",
    "OPERATIONAL_CHANGES",
    "OTHER_TOKENS",
    "PLACEHOLDERS",
    "SPECIAL_TOKEN_CHANGES",
    "TEMPLATE_CHANGES",
    "TOKENIZER_CHANGES",
    "UNSEEN_TEMPLATE_CHANGES",
    "VIDEO_CHANGES",
    "ModelFiles",
    "ids_exchanged",
    "with_processor",
]
