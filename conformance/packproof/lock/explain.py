"""One entry of a lock against its packer: every field of the identity, and every probe."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packer_schemas.canonical import canonical_json, json_path
from packer_schemas.differences import identity_differences
from packer_schemas.identity import IdentityDocument
from packer_schemas.lock import LockedSubject
from packproof.wording import printable

__all__ = ["explained"]

_SHOWN = 80
"""Characters shown of a value, where no difference is to be shown."""


def explained(
    then: LockedSubject | None, now: LockedSubject | None, seen: Mapping[str, Mapping[str, Any]] | None = None
) -> str:
    """What is pinned, `then`, and what there is `now`, line by line; `!` marks what differs.

    Identities by field, then the source of the class, then the probes by name, digests by their first eight digits.
    Below a probe that differs stands what the packer of now gave, from `seen`, by model and probe. A packer or an entry
    that stands alone is printed as it is.
    """
    then, now = then or now, now or then
    assert then is not None
    assert now is not None
    models = list(dict.fromkeys([*now.models, *then.models]))
    lines = []
    for model in models:
        lines += [f"identity on {model}", *_fields(then.identities.get(model), now.identities.get(model))]
    lines += ["class source", _compared("class_source_sha256", then.class_source_sha256, now.class_source_sha256)]
    for model in models:
        before, after = then.behaviour.get(model, {}), now.behaviour.get(model, {})
        lines.append(f"behaviour on {model}")
        for name in dict.fromkeys([*after, *before]):
            lines.append(_compared(name, before.get(name), after.get(name)))
            if before.get(name) != after.get(name):
                lines += _calls((seen or {}).get(model, {}).get(name, {}))
    return printable("\n".join(lines))


def _fields(then: IdentityDocument | None, now: IdentityDocument | None) -> Iterator[str]:
    if then is None and now is None:
        yield "    nothing is declared"
    for one in identity_differences(then, now):
        yield f"  ! {one}"
    before, after = dict(_leaves(_parts(then), [])), dict(_leaves(_parts(now), []))
    for path, text in after.items():
        if before.get(path) == text:
            yield f"    {path}: {_cut(text)}"


def _parts(document: IdentityDocument | None) -> dict[str, Any]:
    return {} if document is None else {name: part.value for name, part in document.parts.items()}


def _leaves(value: Any, steps: Sequence[str | int]) -> Iterator[tuple[str, str]]:
    """Path and canonical JSON of everything in a declaration that is no object or list with something in it."""
    if isinstance(value, dict | list) and value:
        inside: Mapping[Any, Any] = value if isinstance(value, dict) else dict(enumerate(value))
        for step, item in sorted(inside.items()):
            yield from _leaves(item, [*steps, step])
    else:
        yield json_path(steps), canonical_json(value).decode()


def _calls(answers: Mapping[str, Any]) -> Iterator[str]:
    for call, answer in answers.items():
        yield f"      now {call}: {_cut(canonical_json(answer).decode())}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _compared(name: str, then: str | None, now: str | None) -> str:
    before, after = (digest[:8] if digest else "none" for digest in (then, now))
    return f"    {name}: {after}" if then == now else f"  ! {name}: {before} -> {after}"
