"""What a tokenizer that is written in Python knows, attribute by attribute, as plain JSON data."""

import enum
import functools
import hashlib
import inspect
import json
import os
import re
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from packer_schemas import canonical_json, identity_digest

__all__ = ["added_token_fields", "code_digest", "python_state"]

_LARGE = 512
"""Bytes of canonical JSON from which on an attribute is told by its digest."""

# Declared beside the state, or made from what is.
_ELSEWHERE = {
    *("_tokenizer", "_vocab", "_merges", "tokens_trie", "total_vocab_size"),
    *("_added_tokens_decoder", "_added_tokens_encoder", "SPECIAL_TOKENS_ATTRIBUTES", "extra_special_tokens"),
    *("token_type_ids_pattern", "token_type_ids_include_special_tokens", "special_tokens_pattern"),
    *("_auto_map", "_decode_use_source_tokenizer"),
}
# What only says where something came from, or what a call worked out.
_ORIGIN = re.compile(r"(^|_)(file|path|dir|cache)s?(_|$)")

_SENTENCEPIECE = ("_add_bos", "_add_eos", "_reverse", "_emit_unk_piece", "_enable_sampling", "_nbest_size", "_alpha")

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")

_Above = tuple[int, ...]
"""The ids of the containers that a value stands in."""


def python_state(tokenizer: Any) -> dict[str, Any]:
    """The attributes of a tokenizer beyond those which every tokenizer has, by name.

    A value of more than 512 bytes stands as `{"sha256": digest}`. Left out are attributes that are named after a file,
    a path or a cache. Raises `ValueError` for a value that is no data, for a declaration without it would be a guess.
    """
    from transformers import PreTrainedTokenizerBase

    common = {*vars(PreTrainedTokenizerBase()), *_ELSEWHERE}
    state: dict[str, Any] = {}
    for name, value in _attributes(tokenizer).items():
        if name not in common:
            plain = _plain(value, f"{type(tokenizer).__name__}.{name}", ())
            text = canonical_json(plain, name)
            state[name] = {"sha256": hashlib.sha256(text).hexdigest()} if len(text) > _LARGE else plain
    return state


def added_token_fields(token: Any) -> dict[str, Any]:
    """The text of an added token and its flags."""
    return {"content": str(token), **{flag: bool(getattr(token, flag)) for flag in _FLAGS}}


def code_digest(cls: type) -> dict[str, str]:
    """`code_sha256` over the sources of the classes that came with a model folder; empty where there are none.

    Raises `ValueError` when a source cannot be had.
    """
    foreign = [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "transformers_modules"]
    try:
        sources = [inspect.getsource(base) for base in foreign]
    except (OSError, TypeError) as error:
        raise ValueError(f"the code of the tokenizer class {cls.__name__} cannot be read: {error}") from error
    return {"code_sha256": identity_digest(sources)} if sources else {}


def _attributes(holder: Any) -> dict[str, Any]:
    """What an object has been given, in `__dict__` and in slots; a `cached_property` follows from the rest."""
    found = dict(getattr(holder, "__dict__", {}))
    for base in type(holder).__mro__:
        slots = vars(base).get("__slots__", ())
        names = [slots] if isinstance(slots, str) else slots
        found.update({name: getattr(holder, name) for name in names if name[:2] != "__" and hasattr(holder, name)})
    return {
        name: value
        for name, value in sorted(found.items())
        if not _ORIGIN.search(name)
        and not isinstance(inspect.getattr_static(type(holder), name, None), functools.cached_property)
    }


def _plain(value: Any, where: str, above: _Above) -> Any:
    if value is None or type(value) in {bool, int, float, str}:
        return value
    if id(value) in above:
        raise ValueError(f"{where} contains itself; such a tokenizer cannot be told by content")
    above = (*above, id(value))
    if isinstance(value, enum.Enum):
        return [type(value).__name__, value.name]
    if isinstance(value, (int, float, str)):
        return next(kind(value) for kind in (int, float, str) if isinstance(value, kind))
    if isinstance(value, dict):  # as pairs, since keys need not be text
        ordered = {type(key) for key in value} in ({str}, {bytes}, {int})  # and by their text, which is slow, otherwise
        items = sorted(value.items()) if ordered else value.items()
        pairs = [[_plain(key, where, above), _plain(item, where, above)] for key, item in items]
        return pairs if ordered else sorted(pairs, key=lambda pair: canonical_json(pair[0]))
    if isinstance(value, (list, tuple)):
        return [_plain(item, where, above) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item, where, above) for item in value), key=canonical_json)
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": value.hex()}
    if isinstance(value, os.PathLike):
        return None  # where something came from
    return _object(value, where, above)


def _object(value: Any, where: str, above: _Above) -> Any:
    """An object of a library that tokenizers are made of, or one that has nothing but attributes."""
    library = type(value).__module__.partition(".")[0]
    if hasattr(value, "serialized_model_proto"):  # the whole model; the rest of the attributes is about threads
        sampling = [getattr(value, name, None) for name in _SENTENCEPIECE]
        return [{"bytes": value.serialized_model_proto().hex()}, sampling]
    if library == "tokenizers" and hasattr(value, "normalized"):
        return added_token_fields(value)
    if library == "tokenizers":
        serialised = json.loads(value.__getstate__())
        return {key: part for key, part in serialised.items() if key not in {"truncation", "padding"}}
    if library == "tiktoken":
        return _plain([value._pat_str, value._mergeable_ranks, value._special_tokens], where, above)  # noqa: SLF001
    if isinstance(value, re.Pattern) or type(value).__module__ == "_regex":
        return [value.pattern, int(value.flags)]
    if isinstance(value, type):
        return value.__qualname__
    code = isinstance(value, (FunctionType, MethodType, BuiltinFunctionType, ModuleType, functools.partial))
    if code or not hasattr(value, "__dict__"):
        raise ValueError(
            f"{where} is a {type(value).__module__}.{type(value).__qualname__}, which cannot be told by content. "
            "Declare an identity of your own, or set validation_semantics_identity to None"
        )
    attributes = {name: _plain(item, f"{where}.{name}", above) for name, item in _attributes(value).items()}
    return [type(value).__qualname__, attributes]
