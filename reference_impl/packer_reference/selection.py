"""Which packer a model gets, and how every process builds its own from one spec."""

import contextlib
import inspect
import weakref
from typing import Any

from packer_reference.base import BaseDataPacker
from packer_reference.decoder_only import DecoderOnlyLLMDataPacker
from packer_reference.loading import CallableImportError, load_callable
from packer_reference.model_family import ModelFamily, is_causal_only, model_family
from packer_reference.model_names import model_name
from packer_schemas import DataPackerBuildSpec, PolicyPacker, SetsUp

__all__ = ["build_packer", "init_data_packer"]

_BACKENDS = (None, "i4", "hf")

# Packers that factories have returned, by id, as long as they live: to tell a factory that hands out one object twice.
_handed_out: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def init_data_packer(
    name_or_path: str,
    packer: Any = None,
    trust_remote_code: bool = False,
    model_backend: str | None = None,
) -> Any:
    """A packer for the model, set up.

    1. An explicit `packer` wins. 2. Otherwise the model's configuration gives its type and modality. 3. With
    `model_backend="hf"` a causal-only type gets `DecoderOnlyLLMDataPacker`; a type with `vision_config` is refused,
    because this version ships no generic vision packer. 4. With `"i4"` or None a registered class comes first, then
    `DecoderOnlyLLMDataPacker` for causal-only types. There is no other fallback to text.

    Raises `ValueError` for an empty name, an unknown backend, an unregistered vision model and a type that cannot be
    classified; `TypeError` for a `packer` that cannot be set up; `OSError` when files are missing.
    Spec: selection, SEL-1 to SEL-7 and SEL-11.
    """
    if model_backend not in _BACKENDS:
        raise ValueError(f"init_data_packer: model_backend={model_backend!r} is unknown; expected 'i4', 'hf' or None")
    name = model_name(name_or_path, "DataPacker.setup")
    if packer is None:
        packer = _class_for(model_family(name, trust_remote_code), model_backend)()
    elif isinstance(packer, type):
        raise TypeError(f"init_data_packer: packer is the class {packer.__qualname__}, expected an instance of it")
    _set_up(packer, name, trust_remote_code)
    return packer


def build_packer(spec: DataPackerBuildSpec) -> Any:
    """A fresh packer, set up, from a spec: by its factory, or by the model type when it names none.

    The factory may return any object that satisfies `PolicyPacker` and `SetsUp`; a common base class is not needed.
    Raises `CallableImportError` (an `ImportError` and `ValueError`) for a path that leads nowhere, `ValueError` when
    the factory raises or returns an object it has returned before, `TypeError` when it returns no packer; each message
    holds the path. Errors of `init_data_packer` pass through. Spec: selection, SEL-8 to SEL-11.

    Equal specs on folders of equal content give packers of equal identity, in whichever process, place and moment:
    `IdentityDocument.of(packer).sha256` is what two processes compare to see that they shape alike (IDENT-6).
    """
    if not isinstance(spec, DataPackerBuildSpec):
        raise TypeError(f"build_packer: got {type(spec).__name__}, expected a DataPackerBuildSpec")
    packer = _from_factory(spec.factory) if spec.factory else None
    return init_data_packer(spec.name_or_path, packer, spec.trust_remote_code, spec.model_backend)


def _class_for(family: ModelFamily, model_backend: str | None) -> type:
    kind = f"model_type={family.model_type!r}"
    if model_backend != "hf":
        native = BaseDataPacker.registered_class(family.model_type)
        if native is not None:
            return native
    if family.has_vision and model_backend == "hf":
        raise ValueError(
            f"{kind} declares vision_config, and this version ships no vision packer for model_backend='hf'; "
            f"pass an explicit packer or factory{family.hint}"
        )
    if family.has_vision:
        raise ValueError(
            f'{kind} declares vision_config but has no native packer; use model_backend="hf", register a native '
            f"packer, or pass an explicit packer{family.hint}"
        )
    if is_causal_only(family.model_type):
        return DecoderOnlyLLMDataPacker
    raise ValueError(
        f"cannot classify HF {kind}: it declares no vision_config and is no causal-only language model of "
        f"transformers; use the correct model config, register a packer, or pass an explicit packer{family.hint}"
    )


def _set_up(packer: Any, name: str, trust_remote_code: bool) -> None:
    if not isinstance(packer, SetsUp):
        raise TypeError(
            f"init_data_packer: packer is a {type(packer).__name__} without "
            "setup(name_or_path, trust_remote_code=False)"
        )
    if _takes_trust(packer.setup):
        packer.setup(name, trust_remote_code=trust_remote_code)
    elif trust_remote_code:
        raise TypeError(
            f"init_data_packer: trust_remote_code=True was asked for, and {type(packer).__name__}.setup() does not "
            "take it; add the parameter"
        )
    else:
        packer.setup(name)  # a packer for models that need no code of their own may leave the parameter out


def _takes_trust(setup: Any) -> bool:
    try:
        parameters = inspect.signature(setup).parameters.values()
    except (TypeError, ValueError):
        return True  # no signature to read: rely on the protocol
    return any(p.name == "trust_remote_code" or p.kind is p.VAR_KEYWORD for p in parameters)


def _from_factory(path: str) -> Any:
    try:
        factory = load_callable(path)
    except (CallableImportError, TypeError) as error:
        raise CallableImportError(
            f"Unable to import DataPacker factory {path!r}: {error}. Correct the path, or install the module "
            "identically on every node"
        ) from error
    must = f"DataPacker factory {path!r} must return a DataPacker"
    try:
        packer = factory()
    except Exception as error:
        raise ValueError(f"{must}; called without arguments it raised {type(error).__name__}: {error}") from error
    if packer is None or isinstance(packer, type):
        got = "None" if packer is None else f"the class {packer.__qualname__}"
        raise TypeError(f"{must}; it returned {got}, expected a fresh instance")
    if not (isinstance(packer, PolicyPacker) and isinstance(packer, SetsUp)):
        raise TypeError(
            f"{must}; it returned a {type(packer).__name__} that lacks setup, get_policy_input, policy_compute_max_len "
            "or policy_collate_fn"
        )
    if _handed_out.get(id(packer)) is packer:
        raise ValueError(f"{must} that is fresh on every call; it returned the same object again")
    with contextlib.suppress(TypeError):  # raised for an object that cannot be weakly referenced
        _handed_out[id(packer)] = packer
    return packer
