"""What a model is, told from its configuration: its type, whether it has a vision part, whether it is causal only."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packer_reference.model_names import refuse_missing_folder

__all__ = ["ModelFamily", "config_head", "is_causal_only", "model_family"]

# Heads that a causal language model must not have as well to be taken for text: what is scored left to right there may
# be shaped otherwise, or come with images or sound that a text packer would drop.
_OTHER_HEADS = (
    "MASKED_LM",
    "SEQ_TO_SEQ_CAUSAL_LM",
    "SPEECH_SEQ_2_SEQ",
    "VISION_2_SEQ",
    "IMAGE_TEXT_TO_TEXT",
    "MULTIMODAL_LM",
    "TEXT_TO_WAVEFORM",
)

_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")


@dataclass(frozen=True)
class ModelFamily:
    """The part of a model's configuration that selection looks at."""

    model_type: str
    has_vision: bool
    hint: str = ""


def is_causal_only(model_type: str) -> bool:
    """Whether transformers registers the type as a causal language model and as nothing that reads otherwise."""
    from transformers.models.auto import modeling_auto

    if model_type not in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return False
    # Which of the tables exist depends on the transformers line.
    return not any(model_type in getattr(modeling_auto, f"MODEL_FOR_{head}_MAPPING_NAMES", ()) for head in _OTHER_HEADS)


def config_head(name: str) -> dict[str, Any]:
    """What a text packer has to know of the `config.json` of a model id or folder; empty where there is none.

    These are `model_type` and the `transformers_version` that the file was written with, which decide how a tokenizer
    is read, and `num_experts`, whatever name the model has for it, as far as they stand there.
    Raises `OSError` when nobody can tell whether there is such a file, `ValueError` when it is no JSON object.
    """
    from transformers.utils.hub import cached_file

    where = f"DataPacker.setup: cannot read the configuration of {name!r}"
    try:
        path = cached_file(name, "config.json", _raise_exceptions_for_missing_entries=False)
        raw = {} if path is None else json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise OSError(f"{where}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{where}: config.json: {error}") from error
    if not isinstance(raw, dict):
        got = type(raw).__name__
        raise ValueError(f"{where}: config.json holds a {got}, expected an object")  # noqa: TRY004  a file's content
    head = {key: raw[key] for key in ("model_type", "transformers_version") if isinstance(raw.get(key), str)}
    experts = _expert_count(raw)
    return head if experts is None else head | {"num_experts": experts}


def _expert_count(raw: dict[str, Any]) -> int | None:
    """How many experts a layer routes to; the largest number, should a configuration have several."""
    text = raw.get("text_config")
    found = [part.get(name) for part in (raw, text if isinstance(text, dict) else {}) for name in _EXPERTS]
    return max((count for count in found if type(count) is int and count > 0), default=None)


def model_family(name: str, trust_remote_code: bool) -> ModelFamily:
    """The family of a model id or folder, from `AutoConfig`, or from the raw file for a type unknown to transformers.

    Raises `OSError` when there is no readable configuration and `ValueError` when it says no model type or when
    transformers knows the type and refuses the values; all name the model.
    """
    from transformers import CONFIG_MAPPING, AutoConfig, PretrainedConfig

    refuse_missing_folder(name, "init_data_packer")
    where = f"init_data_packer: cannot read the configuration of {name!r}"
    if Path(name).is_dir() and not Path(name, "config.json").is_file():
        raise FileNotFoundError(f"{where}: the folder holds no config.json; pass a model folder, or an explicit packer")
    try:
        raw: dict[str, Any] = PretrainedConfig.get_config_dict(name)[0]
    except Exception as error:
        raise OSError(f"{where}: {error}") from error
    model_type = raw.get("model_type") or ""
    own_code = "AutoConfig" in (raw.get("auto_map") or {})
    if not model_type and not own_code:
        # transformers 4 would guess the type from the folder's name
        raise ValueError(f"{where}: it declares no model_type")
    try:
        config = AutoConfig.from_pretrained(name, trust_remote_code=trust_remote_code)
    except Exception as error:
        if model_type in CONFIG_MAPPING or (own_code and trust_remote_code):
            raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
        hint = (
            "; its configuration brings its own code, which runs only with trust_remote_code=True" if own_code else ""
        )
        return ModelFamily(model_type, raw.get("vision_config") is not None, hint)
    return ModelFamily(config.model_type, getattr(config, "vision_config", None) is not None)
