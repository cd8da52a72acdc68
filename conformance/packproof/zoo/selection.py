"""Faults of chapter selection: a model gets the wrong packer, or one in the wrong state."""

import importlib
from collections.abc import Sequence
from typing import Any

from packer_schemas.build_spec import DataPackerBuildSpec
from packproof.zoo.member import fault
from packproof.zoo.miniature_selection import MiniatureSelection

__all__: list[str] = []


@fault("SEL-1")
class ExplicitPackerNotSetUp(MiniatureSelection):
    """An explicit packer is taken as it is, and its first call fails for want of a tokenizer."""

    def init_data_packer(
        self, name_or_path: str, packer: Any = None, trust_remote_code: bool = False, model_backend: str | None = None
    ) -> Any:
        """As the miniature, unless a packer is given."""
        self._check_backend(model_backend)
        return packer or super().init_data_packer(name_or_path, None, trust_remote_code, model_backend)

    def build_packer(self, spec: Any) -> Any:
        """As the miniature: here the packer is set up."""
        packer = super().build_packer(spec)
        if spec.factory:
            self._set_up(packer, spec.name_or_path, spec.trust_remote_code)
        return packer


@fault("SEL-1")
class RegistryBeforeExplicitPacker(MiniatureSelection):
    """The registry is asked first, so an explicit packer loses where the model's type is claimed or causal-only."""

    def init_data_packer(
        self, name_or_path: str, packer: Any = None, trust_remote_code: bool = False, model_backend: str | None = None
    ) -> Any:
        """As the miniature, with the packer as a fallback."""
        try:
            packer = self._pick(self._config(name_or_path), native=model_backend != "hf")
        except ValueError:
            if packer is None:
                raise
        return super().init_data_packer(name_or_path, packer, trust_remote_code, model_backend)


@fault("SEL-2")
class LastRegistrationWins(MiniatureSelection):
    """A second class for a claimed type replaces the first in silence, so the order of imports decides."""

    def register(self, model_types: Sequence[str], packer_cls: type, allow_override: bool = False) -> None:
        """Always override."""
        super().register(model_types, packer_cls, allow_override=True)


@fault("SEL-2")
class RefusedButRegistered(MiniatureSelection):
    """The registry is written before the claim is looked up, so the error comes and the class stays."""

    def register(self, model_types: Sequence[str], packer_cls: type, allow_override: bool = False) -> None:
        """Write, then raise."""
        try:
            super().register(model_types, packer_cls, allow_override)
        finally:
            super().register(model_types, packer_cls, allow_override=True)


@fault("SEL-2")
class RegisteredUpToTheClaim(MiniatureSelection):
    """A list is registered type by type, so those before the claimed one stay when the list is refused."""

    def register(self, model_types: Sequence[str], packer_cls: type, allow_override: bool = False) -> None:
        """One after another."""
        for kind in model_types:
            super().register([kind], packer_cls, allow_override)


@fault("SEL-3")
class InstancesKept(MiniatureSelection):
    """The registry keeps one instance per model type and hands it to every actor."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[type, Any] = {}

    def _pick(self, config: dict[str, Any], *, native: bool) -> Any:
        packer = super()._pick(config, native=native)
        return self._kept.setdefault(type(packer), packer)


@fault("SEL-3")
class RegistryForgotten(MiniatureSelection):
    """Classification comes before the registry, so a registered causal type gets the stock text packer."""

    def _pick(self, config: dict[str, Any], *, native: bool) -> Any:
        if self._is_causal_only(config.get("model_type", "")) and "vision_config" not in config:
            return self._text_packer()
        return super()._pick(config, native=native)


@fault("SEL-4")
class NoTextPacker(MiniatureSelection):
    """A model type that nobody registered falls off the end of the function, and the caller gets None."""

    def _text_packer(self) -> Any:
        return None

    def _set_up(self, packer: Any, name_or_path: str, trust_remote_code: bool) -> None:
        if packer is not None:
            super()._set_up(packer, name_or_path, trust_remote_code)


@fault("SEL-4")
class OnlyRegisteredTypes(MiniatureSelection):
    """Every model type must be registered by hand, also the plainest text model."""

    def _text_packer(self) -> Any:
        raise ValueError("this model type is not registered")


@fault("SEL-5")
class AnyCausalHeadIsText(MiniatureSelection):
    """A type counts as text when a causal head exists for it, which holds for BERT and for BART."""

    def _is_causal_only(self, kind: str) -> bool:
        from transformers.models.auto import modeling_auto as auto

        return kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES


@fault("SEL-5")
class EverythingElseIsText(MiniatureSelection):
    """Whatever is neither registered nor a vision model is taken for text: the broad fallback of a public framework."""

    def _is_causal_only(self, kind: str) -> bool:
        return True


@fault("SEL-6", report="https://github.com/microsoft/agent-lightning/issues/559")
class VisionTakenForText(MiniatureSelection):
    """A vision model without a packer of its own gets the text packer, and its images are dropped.

    What a media-blind row does: https://github.com/microsoft/agent-lightning/issues/559.
    """

    def _refuse_vision(self, kind: str) -> Any:
        return self._text_packer()


@fault("SEL-6")
class VisionRefusedWithoutAReason(MiniatureSelection):
    """A vision model is refused with a message that names neither its type nor a way out."""

    def _refuse_vision(self, kind: str) -> Any:
        raise ValueError("unsupported model")


@fault("SEL-7")
class UnknownBackendIsNative(MiniatureSelection):
    """Any backend but `hf` counts as native, so a misspelt name selects another packer."""

    def _check_backend(self, model_backend: str | None) -> None:
        """Take it."""


@fault("SEL-8")
class ImportErrorPassedOn(MiniatureSelection):
    """The error of a failed import comes through as it is, and names a parent package instead of the factory."""

    def _call_factory(self, path: str) -> Any:
        module, _, name = path.rpartition(".")
        getattr(importlib.import_module(module), name)
        return super()._call_factory(path)


@fault("SEL-9")
class FactoryResultNotChecked(MiniatureSelection):
    """A factory that forgets its return counts as none at all, and the registry quietly picks another packer."""

    def _check_made(self, packer: Any, path: str) -> None:
        if packer is not None:
            super()._check_made(packer, path)


@fault("SEL-9")
class FactoryErrorPassedOn(MiniatureSelection):
    """What a factory raises comes through as it is, and nobody reads from the log which factory it was."""

    def _call_factory(self, path: str) -> Any:
        module, _, name = path.rpartition(".")
        try:
            factory = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            return super()._call_factory(path)
        packer = factory()
        self._check_made(packer, path)
        return packer


@fault("SEL-10")
class PackersCachedBySpec(MiniatureSelection):
    """Packers are kept by build spec, so two actors of one process share a packer."""

    def __init__(self) -> None:
        super().__init__()
        self._built: dict[DataPackerBuildSpec, Any] = {}

    def build_packer(self, spec: Any) -> Any:
        """As the miniature, once per spec."""
        if spec not in self._built:
            self._built[spec] = super().build_packer(spec)
        return self._built[spec]


@fault("SEL-10")
class FactoryPackerNotSetUp(MiniatureSelection):
    """A packer from a factory is returned as the factory made it, without its tokenizer."""

    def build_packer(self, spec: Any) -> Any:
        """As the miniature, less the setup."""
        return self._call_factory(spec.factory) if spec.factory else super().build_packer(spec)


@fault("SEL-11", report="https://github.com/huggingface/trl/pull/1806")
class TrustNotPassedOn(MiniatureSelection):
    """The trust flag is accepted and does not reach setup: https://github.com/huggingface/trl/pull/1806."""

    def _set_up(self, packer: Any, name_or_path: str, trust_remote_code: bool) -> None:
        packer.setup(name_or_path)


@fault("SEL-11", report="https://github.com/thinking-machines-lab/tinker-cookbook/pull/333")
class TrustOnByDefault(MiniatureSelection):
    """Trust in remote code is on unless it is switched off.

    Asked for, and kept opt-in, in https://github.com/thinking-machines-lab/tinker-cookbook/pull/333.
    """

    def init_data_packer(
        self, name_or_path: str, packer: Any = None, trust_remote_code: bool = True, model_backend: str | None = None
    ) -> Any:
        """As the miniature, with the other default."""
        return super().init_data_packer(name_or_path, packer, trust_remote_code, model_backend)
