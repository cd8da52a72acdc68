"""Strategies for what a resume gate is tried on: JSON values, declarations, sources, and two sides of a resume."""

from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.identity_cases import ClassSourceCase, Declared, DocumentCase, ResumeCase, Spoiled, ValueCase

__all__ = ["class_sources", "declaring_anything", "documents", "json_values", "resumes"]

_TEXTS = ["a", "é", "e\u0301", '\n\x1f\x7f"\\/', "\u2028", "\U0001f600", "\ufb33", "x" * 90]
_NUMBERS = [0, 1, -1, 2**64, 0.0, -0.0, 1.0, 0.1, 1e-05, 1e16, 1e15, 5e-324, 1.5e300]
_scalars = st.none() | st.booleans() | st.sampled_from(_NUMBERS) | st.sampled_from(_TEXTS)
_any_scalar = _scalars | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4)
_values = st.recursive(
    _any_scalar,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_TEXTS), inner, max_size=3),
    max_leaves=6,
)
_plain = st.sampled_from([None, 450, 14, 30, "qwen2", "{{ text }}", "x" * 90])  # that writers disagree on is IDENT-4's
_settings = st.dictionaries(st.sampled_from(["fps", "type", "a.b"]), _plain | st.lists(_plain, max_size=2), max_size=2)
_entries = st.dictionaries(st.sampled_from(["pad_token_id", "model_type", "images"]), _plain | _settings, max_size=2)
_declarations = st.builds(lambda value, entries: {"shaping": value, **entries}, _plain, _entries)
_declared = st.builds(Declared, semantics=st.none() | _declarations, processor=st.none() | _declarations)
_something = st.builds(Declared, semantics=_declarations, processor=st.none() | _declarations) | st.builds(
    Declared, processor=_declarations
)


def json_values() -> st.SearchStrategy[ValueCase]:
    """Any JSON value, of the kinds that writers disagree on above all."""
    return st.builds(ValueCase, value=_values)


def declaring_anything() -> st.SearchStrategy[DocumentCase]:
    """Packers that declare either part, both, or nothing."""
    return st.builds(DocumentCase, declared=_declared)


def documents() -> st.SearchStrategy[DocumentCase]:
    """Packers that declare something, and what is done to their documents."""
    return st.builds(DocumentCase, declared=_something, spoiled=st.sampled_from(get_args(Spoiled)))


def class_sources() -> st.SearchStrategy[ClassSourceCase]:
    """Classes of a few lines, with and without a base, some of them made inside functions."""
    lines = ["size = 14", "size = 16", "# a comment", "", "def pack(self): return 14", "text = '''#'''"]
    body = st.lists(st.sampled_from(lines), max_size=3).map(lambda drawn: [*drawn, "last = None"])
    return st.builds(ClassSourceCase, body=body, base=st.just([]) | body, depth=st.integers(0, 2))


def resumes() -> st.SearchStrategy[ResumeCase]:
    """Two packers of which the second is the first, or differs in some fields of one part, or in its source."""
    keys = st.sampled_from(["shaping", "pad_token_id", "model_type", "added"])
    edits = st.dictionaries(keys, _plain | _settings, max_size=2)
    return st.builds(
        _resume, _declared, edits, st.booleans(), st.sampled_from(["semantics", "processor"]), st.booleans()
    )


def _resume(saved: Declared, edits: dict[str, Any], back: bool, part: str, same_source: bool) -> ResumeCase:
    """A resume after one part was edited, or before it, if `back`."""
    own = getattr(saved, part) or {}
    live = saved.model_copy(update={part: {**own, **edits} or None})
    first, second = (live, saved) if back else (saved, live)
    return ResumeCase(saved=first, live=second, same_source=same_source)
