"""A selection that keeps every rule: registry, classification by model type, and factories by dotted path."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from packer_schemas.protocols import PolicyPacker, SetsUp
from packproof.zoo.miniature import MiniaturePacker

__all__ = ["MiniatureSelection"]


class MiniatureSelection:
    """Picks the packer of a model; each instance has a registry of its own."""

    def __init__(self) -> None:
        self._classes: dict[str, type] = {}

    def register(self, model_types: Sequence[str], packer_cls: type, allow_override: bool = False) -> None:
        """Claim model types; `ValueError` when another class has one of them."""
        taken = [kind for kind in model_types if self._classes.get(kind, packer_cls) is not packer_cls]
        if taken and not allow_override:
            raise ValueError(f"{', '.join(taken)} is registered; pass allow_override=True to replace it")
        self._classes.update(dict.fromkeys(model_types, packer_cls))

    def init_data_packer(
        self, name_or_path: str, packer: Any = None, trust_remote_code: bool = False, model_backend: str | None = None
    ) -> Any:
        """A packer for the model, set up."""
        self._check_backend(model_backend)
        if packer is None:
            packer = self._pick(self._config(name_or_path), native=model_backend != "hf")
        self._set_up(packer, name_or_path, trust_remote_code)
        return packer

    def build_packer(self, spec: Any) -> Any:
        """A fresh packer from a build spec, set up."""
        packer = self._call_factory(spec.factory) if spec.factory else None
        return self.init_data_packer(spec.name_or_path, packer, spec.trust_remote_code, spec.model_backend)

    def _check_backend(self, model_backend: str | None) -> None:
        if model_backend not in (None, "i4", "hf"):
            raise ValueError(f"unknown model_backend {model_backend!r}: expected 'i4' or 'hf'")

    def _config(self, name_or_path: str) -> dict[str, Any]:
        return json.loads((Path(name_or_path) / "config.json").read_text(encoding="utf-8"))

    def _pick(self, config: dict[str, Any], *, native: bool) -> Any:
        kind = config.get("model_type", "")
        if native and kind in self._classes:
            return self._classes[kind]()
        if "vision_config" in config:
            return self._refuse_vision(kind)
        if self._is_causal_only(kind):
            return self._text_packer()
        raise ValueError(f"model type {kind!r} is neither registered nor causal-only")

    def _refuse_vision(self, kind: str) -> Any:
        raise ValueError(f"{kind!r} is a vision model without a native packer: use model_backend='hf' or register one")

    def _is_causal_only(self, kind: str) -> bool:
        from transformers.models.auto import modeling_auto as auto

        others = (auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES)
        return kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not any(kind in names for names in others)

    def _text_packer(self) -> Any:
        return MiniaturePacker()

    def _set_up(self, packer: Any, name_or_path: str, trust_remote_code: bool) -> None:
        packer.setup(name_or_path, trust_remote_code=trust_remote_code)

    def _call_factory(self, path: str) -> Any:
        import importlib

        module, _, name = path.rpartition(".")
        try:
            packer = getattr(importlib.import_module(module), name)()
        except Exception as error:
            raise ValueError(f"the factory {path!r} cannot be imported or called: {error}") from error
        self._check_made(packer, path)
        return packer

    def _check_made(self, packer: Any, path: str) -> None:
        if isinstance(packer, type) or not (isinstance(packer, SetsUp) and isinstance(packer, PolicyPacker)):
            raise TypeError(f"the factory {path!r} returned {packer!r}, expected a packer")
