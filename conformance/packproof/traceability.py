"""What stands behind every rule: its check, the faults that the check caught in a run, its stored cases and vectors."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from packer_schemas.canonical import json_path
from packer_schemas.fields import Count
from packer_schemas.vectors import VECTOR_FILES
from packer_spec import SPEC_VERSION, Requirement, requirements
from packproof.kill_matrix import KillMatrix, MemberResult
from packproof.registry import all_checks
from packproof.vectors import vectors
from packproof.violation import UsageError

__all__ = [
    "WITHOUT_CASES",
    "WITHOUT_VECTORS",
    "MemberTrace",
    "RuleTrace",
    "Trace",
    "read_trace",
    "render_trace",
    "trace_member",
    "trace_run",
]

_TOKENIZER = "needs a tokenizer, and a tokenizer is no plain data"
_FILE = "speaks of a file and of what may be written into it, not of data"
_FOLDER = "needs a model folder in which something is changed, and a packer on either"
_OBJECT = "speaks of the methods that an object has"
_MEMORY = "speaks of memory, not of values"

WITHOUT_VECTORS: Mapping[str, str] = {
    "lifecycle": "speaks of calls on a Python object, not of data",
    "rollout": _TOKENIZER,
    "devices": "speaks of devices, not of data",
    "selection": "speaks of the building of a Python object, not of data",
    "AUTH-3": _TOKENIZER,
    "AUTH-4": _TOKENIZER,
    "AUTH-5": _TOKENIZER,
    "AUTH-7": "speaks of the containers of one language",
    "IDENT-1": _OBJECT,
    "IDENT-2": _OBJECT,
    "IDENT-6": "speaks of processes, places and moments",
    **dict.fromkeys((f"IDENT-{number}" for number in range(7, 15)), _FOLDER),
    "IDENT-15": "speaks of classes of one language",
    "IDENT-16": "speaks of a message for readers; the documents that it is about have vectors under IDENT-5",
    "IDENT-17": _FILE,
    "IDENT-18": _FILE,
    "sources": "speaks of factories and of what they return; the chapter works the fingerprint of a cursor out",
    "ROUTE-1": "speaks of names, which every vector of the chapter's batches has to use",
    "ROUTE-5": _OBJECT,
    "ROUTE-13": "speaks of a call that refuses, and the cases of the chapter say which batches",
    "ROUTE-15": "leaves open in which of two forms records travel",
    "objectives": "needs a model whose gradients are looked at; the chapter works losses and advantages out",
    "bodies": "needs a model to generate with, or the parts of a trainer; the chapter works its filter out in a table",
    "COLL-13": _MEMORY,
    "COLL-14": _MEMORY,
}
"""Why the checked rules of a chapter, or one of them by its id, have no vectors."""

WITHOUT_CASES: Mapping[str, str] = {
    "LIFE-1": "a factory takes nothing",
    "LIFE-3": "the one input is the empty name",
    "LIFE-5": "the input is a model folder with code in it",
    "LIFE-6": "the input is a model folder with code in it",
    "COLL-11": "the one input is the empty batch",
}
"""Why a checked rule has no stored case."""


@dataclass(frozen=True)
class RuleTrace:
    """What stands behind one rule; `killed` names the members of the zoo that its check caught in the run."""

    id: str
    level: str
    group: str
    chapter: str
    since: str
    unchecked: str
    check: str
    killed: tuple[str, ...]
    alone: tuple[str, ...]
    cases: Count
    vectors: Count

    @property
    def gap(self) -> str:
        """What is missing without a declared reason, or an empty string."""
        explained = WITHOUT_VECTORS.get(self.chapter) or WITHOUT_VECTORS.get(self.id)
        lacks = {
            "no check, and no reason why": not self.check,
            "no planted fault is caught by its check": not self.killed,
            "no planted fault is caught by it alone": self.level == "MUST" and not self.alone,
            "no stored case in the spec, and no reason why": not self.cases and self.id not in WITHOUT_CASES,
            "no vectors, and no reason why": not self.vectors and not explained,
        }
        return "" if self.unchecked else next((text for text, lacking in lacks.items() if lacking), "")


@dataclass(frozen=True)
class MemberTrace:
    """One member of the zoo as the run saw it: `cases` until its first rule caught it, `size` of what was shown."""

    name: str
    breaks: tuple[str, ...]
    report: str
    story: str
    cases: Count
    size: Count


@dataclass(frozen=True)
class Trace:
    """Every rule, and the run that it was traced in."""

    spec: str
    seed: int
    effort: str
    rules: tuple[RuleTrace, ...]
    members: tuple[MemberTrace, ...]

    @property
    def gaps(self) -> tuple[str, ...]:
        """One line for every gap."""
        return tuple(f"{rule.id}: {rule.gap}" for rule in self.rules if rule.gap)

    def to_json(self) -> str:
        """The document of the trace, one rule or member a line; equal runs give equal text."""
        head = json.dumps({"spec": self.spec, "seed": self.seed, "effort": self.effort})[:-1]
        rules, members = (",\n".join(json.dumps(asdict(one)) for one in some) for some in (self.rules, self.members))
        return f'{head}, "rules": [\n{rules}\n], "members": [\n{members}\n]}}\n'


def trace_run(matrix: KillMatrix) -> Trace:
    """The trace of a run of the zoo."""
    counts = Counter(vector.requirement for name in VECTOR_FILES for vector in vectors(name))
    killed: dict[str, list[str]] = {}
    alone: dict[str, list[str]] = {}
    for one in matrix.results:
        caught = [cell.requirement for cell in one.named if cell.verdict == "killed"]
        for id in caught:
            killed.setdefault(id, []).append(one.member.name)
        if len(caught) == 1 and not one.holes:
            alone.setdefault(caught[0], []).append(one.member.name)
    rules = (_rule(rule, killed.get(id, ()), alone.get(id, ()), counts[id]) for id, rule in requirements().items())
    bad = (trace_member(one) for one in matrix.results if one.member.breaks)
    return Trace(SPEC_VERSION, matrix.seed, matrix.effort, tuple(rules), tuple(bad))


def trace_member(one: MemberResult) -> MemberTrace:
    """What a run saw of one known-bad member."""
    member, first = one.member, one.named[0]
    return MemberTrace(member.name, member.breaks, member.report, member.story, first.cases, first.size)


def _rule(rule: Requirement, killed: Sequence[str], alone: Sequence[str], vectors: int) -> RuleTrace:
    run = all_checks()[rule.id].run if rule.id in all_checks() else None
    return RuleTrace(
        id=rule.id,
        level=rule.level,
        group=rule.group,
        chapter=rule.chapter,
        since=rule.since,
        unchecked=rule.unchecked,
        check=f"{run.__module__}.{run.__name__}" if run else "",
        killed=tuple(killed),
        alone=tuple(alone),
        cases=len(rule.cases),
        vectors=vectors,
    )


def read_trace(path: Path) -> Trace:
    """A trace that `packproof selftest --trace` wrote; `UsageError` when the file is none, or of another spec."""
    try:
        found = TypeAdapter(Trace).validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = json_path(first["loc"]) or "the document"
        wanted = "a file that `packproof selftest --trace FILE` wrote"
        raise UsageError(f"{path}: expected {wanted}; {where}: {first['msg']}.") from error
    if found.spec != SPEC_VERSION or [rule.id for rule in found.rules] != list(requirements()):
        raise UsageError(f"{path}: was written for other rules than those of spec {SPEC_VERSION}; write it anew.")
    return found


def render_trace(found: Trace) -> str:
    """The matrix for a terminal: a line per rule, then the counts, then the gaps."""
    lines = [f"{'rule':<10} {'weight':<7} {'level':<11} {'faults':>6} {'alone':>6} {'cases':>6} {'vectors':>8}  check"]
    for rule in found.rules:
        check = rule.check.removeprefix("packproof.checks.") or "not yet checked"
        counts = f"{len(rule.killed):>6} {len(rule.alone):>6} {rule.cases:>6} {rule.vectors:>8}"
        lines.append(f"{rule.id:<10} {rule.level:<7} {rule.group:<11} {counts}  {check}")
    must = [rule for rule in found.rules if rule.level == "MUST"]
    open_ = [rule for rule in must if rule.unchecked]
    lines += [
        "",
        f"spec {found.spec} at seed {found.seed}, {found.effort} effort: {len(found.rules)} rules, {len(must)} MUST.",
        f"{len(open_)} MUSTs are not yet checked: {_by_chapter(open_)}." if open_ else "Every MUST is checked.",
    ]
    lines += [f"GAP  {gap}" for gap in found.gaps]
    return "\n".join(lines)


def _by_chapter(rules: Sequence[RuleTrace]) -> str:
    return ", ".join(f"{chapter} {count}" for chapter, count in Counter(rule.chapter for rule in rules).items())
