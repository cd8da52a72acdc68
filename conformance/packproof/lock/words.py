"""What a finding says: what differs, by field and by probe, what it means, and what to do about it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from packer_schemas.lock_report import LockOutcome
from packproof.wording import labelled, one_line

__all__ = ["Said", "advice", "listing", "message"]


@dataclass(frozen=True)
class Said:
    """What a message is made of: changed fields and changed probes by model, and what is told beside them.

    `declaration` is `added` or `taken away` where one side declares nothing; `why` says why nothing was measured.
    """

    target: str
    models: Sequence[str]
    identity: Mapping[str, Sequence[str]] = field(default_factory=dict)
    behaviour: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    declaration: str = ""
    why: str = ""


_FOUND: Mapping[LockOutcome, str] = {
    "same": "as pinned",
    "both changed": "the identity and the behaviour changed: a new checkpoint lineage",
    "only identity changed": "the identity changed and the behaviour did not: declared too wide, or not probed",
    "only behaviour changed": "the behaviour changed under the same identity: declared too narrow",
    "undeclared changed": "the behaviour changed, and no identity is declared",
    "other probe corpus": "pinned with another probe corpus, so the behaviours cannot be compared",
    "other models": "set up on other models than those pinned",
    "missing": "not pinned yet",
    "obsolete": "pinned, and no configured packer has this label",
}
_DECLARATION: Mapping[str, Mapping[LockOutcome, str]] = {
    "added": {
        "both changed": "a declaration was added, and the behaviour changed: a new checkpoint lineage",
        "only identity changed": "a declaration was added, and the behaviour did not change",
    },
    "taken away": {
        "both changed": "the declaration was taken away, and the behaviour changed: a new checkpoint lineage",
        "only identity changed": "the declaration was taken away, and the behaviour did not change",
    },
}
_OLD_ONES = "checkpoints saved before will not resume"
_TO_DO: Mapping[LockOutcome, str] = {
    "both changed": f"undo it, or update on purpose: {_OLD_ONES}",
    "only identity changed": "take the field out if it decides no output, or update if the probes miss what it "
    f"decides: {_OLD_ONES}",
    "only behaviour changed": "declare what changed, so that the identity changes with it, or undo it; no update takes "
    "this change",
    "undeclared changed": "undo it, or update on purpose; while nothing is declared, checkpoints resume all the same",
    "other probe corpus": "update all entries together, and change no packer along with it",
    "other models": "update, if these are the models that are meant",
    "missing": "write its first entry",
    "obsolete": "name the packer again, or let its entry go",
    "not measured": "repair the packer; its entry was left as it is",
}


def advice(outcome: LockOutcome, said: Said) -> str:
    """What to do about a finding; empty where nothing is to be done."""
    if said.declaration and outcome in _DECLARATION[said.declaration]:
        return f"undo it, or update on purpose: {_OLD_ONES}"
    return _TO_DO.get(outcome, "")


def message(outcome: LockOutcome, said: Said) -> str:
    """A finding in lines: the packer, what was found, what differs; the label belongs in front of the first."""
    found = _DECLARATION.get(said.declaration, {}).get(outcome) or _FOUND.get(outcome, f"not measured: {said.why}")
    lines = [f"{one_line(said.target)}   on {', '.join(map(one_line, said.models))}", labelled("found", found)]
    lines += _by_model("identity", said.identity, said.models, wrap=False)
    probes = {model: [", ".join(names)] for model, names in said.behaviour.items() if names}
    lines += _by_model("behaviour", probes, said.models, wrap=True)
    lines += [labelled("note" if outcome == "same" else "hint", note) for note in said.notes]
    return "\n".join(lines)


def listing(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _by_model(name: str, lines: Mapping[str, Sequence[str]], models: Sequence[str], *, wrap: bool) -> Iterator[str]:
    """The lines of each model, those of models that have the same ones only once."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for model, own in lines.items():
        groups.setdefault(tuple(own), []).append(model)
    for own, alike in groups.items():
        where = [] if set(alike) >= set(models) else [f"on {listing(alike)}:"]
        for line in (*where, *own):
            yield labelled(name, line, wrap=wrap)
            name = ""
