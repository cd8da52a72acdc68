"""The content of a tokenizer as a few digests: equal content has equal ones, and what differs has a name.

Content is what decides ids. Where the files lie, what they are called, what a call left behind (truncation, padding,
caches) and the order of entries that have ids are no part of it. Spec: identity, IDENT-7.
"""

import hashlib
import json
from typing import Any

from packer_reference.python_state import added_token_fields, code_digest, python_state
from packer_schemas import identity_digest

__all__ = ["rust_backend", "tokenizer_content"]

_COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def tokenizer_content(tokenizer: Any) -> dict[str, Any]:
    """Plain JSON data of a few hundred bytes, made anew from the live tokenizer, whatever backend it has.

    Always there are `type` (the class), `vocabulary_sha256` (over the JSON text of the object from token to id, in
    the order of ids) and `added_tokens_sha256` (over content, id and flags). A tokenizer of the Rust library has the
    settings of its `model` in plain and digests of `merges` and `scores`, where it has them, and of the normalizer,
    pre-tokenizer, post-processor and decoder, null for one that it lacks. One in Python has its `state`, attribute by
    attribute. Code that came with the model folder is `code_sha256`.

    Raises `ValueError` for what cannot be told by content, such as a normalizer that is somebody's Python object.
    """
    backend = rust_backend(tokenizer)
    content: dict[str, Any] = {
        "type": _type(tokenizer),
        "added_tokens_sha256": _added_tokens(tokenizer),
        **code_digest(type(tokenizer)),
    }
    if backend is None:
        return content | {
            "vocabulary_sha256": _sha256(_vocabulary_text(tokenizer.get_vocab())),
            "state": python_state(tokenizer),
        }
    if "code_sha256" in content:  # a class of somebody's own around the Rust tokenizer may keep more in Python
        content["state"] = python_state(tokenizer)
    return content | _model(backend) | {f"{part}_sha256": _component(backend, part) for part in _COMPONENTS}


def rust_backend(tokenizer: Any) -> Any:
    """The `tokenizers.Tokenizer` that does the work, or None where it is done in Python."""
    from tokenizers import Tokenizer

    backend = getattr(tokenizer, "backend_tokenizer", None)
    return backend if isinstance(backend, Tokenizer) else None


def _type(tokenizer: Any) -> str:
    """The name of the class, which transformers 4 and 5 spell differently for one and the same."""
    name = type(tokenizer).__name__.removesuffix("Fast")
    return "PreTrainedTokenizer" if name == "TokenizersBackend" else name


def _added_tokens(tokenizer: Any) -> str | None:
    tokens = tokenizer.added_tokens_decoder
    if not isinstance(tokens, dict):
        return None  # the wrapper around mistral-common has none
    return identity_digest([[id, added_token_fields(token)] for id, token in sorted(tokens.items())])


def _component(backend: Any, part: str) -> str | None:
    component = getattr(backend, part)
    return None if component is None else identity_digest(json.loads(_serialised(component, part)))


def _serialised(component: Any, part: str) -> bytes:
    """The JSON text of one part of a tokenizer; `to_str` of the whole would have the leftovers of calls in it."""
    try:
        return bytes(component.__getstate__())
    except Exception as error:  # the library raises plain Exception
        raise ValueError(
            f"the tokenizer's {part} is a {type(component).__name__} that cannot be told by content: {error}. Declare "
            "an identity of your own, or set validation_semantics_identity to None"
        ) from error


def _model(backend: Any) -> dict[str, Any]:
    """Settings, and digests of what is large.

    A vocabulary of 150,000 entries takes longer to parse than all the rest, so the texts of vocabulary and merges are
    cut out of the serialised model where its layout is the known one. They are what `json.dumps` would write.
    """
    text = _serialised(backend.model, "model")
    cut = _cut(text, backend.get_vocab_size(with_added_tokens=False))
    if cut is not None:
        settings, vocabulary, merges = cut
        return {"model": _told(settings), "vocabulary_sha256": _sha256(vocabulary), "merges_sha256": _sha256(merges)}
    settings = json.loads(text)
    vocabulary, merges = settings.pop("vocab"), settings.pop("merges", None)
    made: dict[str, Any] = {"model": _told(settings)}
    if isinstance(vocabulary, list):  # pieces with scores; the place in the list is the id
        made["vocabulary_sha256"] = _sha256(_json_text([piece for piece, _ in vocabulary]))
        made["scores_sha256"] = _sha256(_json_text([_score(piece, score) for piece, score in vocabulary]))
    else:  # asked for anew: what is serialised leaves out all but one of the tokens that share an id
        made["vocabulary_sha256"] = _sha256(_vocabulary_text(backend.get_vocab(with_added_tokens=False)))
    if merges is not None:
        made["merges_sha256"] = _sha256(_json_text(merges))
    return made


def _cut(text: bytes, size: int) -> tuple[dict[str, Any], bytes, bytes] | None:
    """Settings, vocabulary and merges of a BPE model, or None for any other layout.

    No string of JSON holds a bare quotation mark, and no token has a list for an id, so neither name can be found
    anywhere but where it stands for the field.
    """
    head, found, rest = text.partition(b'"vocab":')
    vocabulary, also, merges = rest.partition(b',"merges":[')
    if not (found and also and head.startswith(b'{"type":"BPE",') and merges.endswith(b"]}")):
        return None
    if _count_strings(vocabulary) != size:
        return None  # tokens that share an id, of which only one is serialised
    return json.loads(head.removesuffix(b",") + b"}"), vocabulary, b"[" + merges[:-1]


def _told(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a model; an empty prefix or suffix is none, and transformers has it either way."""
    return {name: None if value == "" else value for name, value in settings.items()}


def _count_strings(text: bytes) -> int:
    """How many strings a JSON text holds: half of its quotation marks that no backslash escapes."""
    plain = text.replace(rb"\\", b"")
    return (plain.count(b'"') - plain.count(rb"\"")) // 2


def _score(piece: str, score: Any) -> float:
    if score is None:
        raise ValueError(f"the score of the piece {piece!r} is no number; such a tokenizer cannot be told by content")
    return float(score)


def _vocabulary_text(vocabulary: dict[str, int]) -> bytes:
    return _json_text(dict(sorted(vocabulary.items(), key=lambda entry: (entry[1], entry[0]))))


def _json_text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")


def _sha256(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
