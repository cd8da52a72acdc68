"""The kill matrix: every rule against every planted fault; it proves that the kit bites, and only where it should."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from packer_schemas.report import Outcome
from packer_schemas.routing_cases import RECORD_FIELDS
from packproof.corpus import Corpus
from packproof.effort import EFFORTS, Settings, named_effort
from packproof.registry import Check, all_checks
from packproof.runner import quiet, replay_case, run_check
from packproof.tested import Tested
from packproof.wording import plural
from packproof.zoo import Member, good_members, members

__all__ = [
    "ACCEPTANCE",
    "BYSTANDER_CASES",
    "Cell",
    "KillMatrix",
    "MemberResult",
    "kill_matrix",
    "render",
    "run_member",
    "selftest",
    "size_of",
    "uncovered",
]

ACCEPTANCE = frozenset({"AUTH-7", "MASK-5", "SEL-4"})
"""Rules that demand an answer where a packer might raise: only for these is a crash a kill."""

BYSTANDER_CASES = 3
"""Generated cases that a rule is tried with on a member that keeps it."""

Verdict = Literal["killed", "survived", "crashed", "green", "tripped", "error"]


@dataclass(frozen=True)
class Cell:
    """One rule on one member.

    `size` is the number of token ids in the smallest counterexample found, or the length of its text where it has none.
    """

    requirement: str
    verdict: Verdict
    cases: int = 0
    size: int = 0
    outcome: Outcome | None = None

    @property
    def hole(self) -> bool:
        """Whether the kit let this member down."""
        return self.verdict not in ("killed", "green")


@dataclass(frozen=True)
class MemberResult:
    """One member: a cell per rule that it breaks, then a cell per rule that it keeps; all in `named` for a good one."""

    member: Member
    named: tuple[Cell, ...]
    bystanders: tuple[Cell, ...]

    @property
    def holes(self) -> tuple[Cell, ...]:
        """The cells that are not as declared."""
        return tuple(cell for cell in (*self.named, *self.bystanders) if cell.hole)


@dataclass(frozen=True)
class KillMatrix:
    """All members under one seed and effort."""

    seed: int
    effort: str
    results: tuple[MemberResult, ...]

    @property
    def uncovered(self) -> tuple[str, ...]:
        """MUST rules without a member that only they catch."""
        return uncovered([one.member for one in self.results])

    @property
    def ok(self) -> bool:
        """No hole, and every MUST has a fault of its own."""
        return not self.uncovered and not any(one.holes for one in self.results)


def uncovered(zoo: Sequence[Member]) -> tuple[str, ...]:
    """MUST rules without a member that only they catch."""
    alone = {one.breaks[0] for one in zoo if len(one.breaks) == 1}
    return tuple(id for id, check in all_checks().items() if check.requirement.level == "MUST" and id not in alone)


def run_member(
    member: Member, settings: Settings, corpus: Corpus, bystanders: Container[str] | None = None
) -> MemberResult:
    """Every check on one member: at full effort where it breaks the rule, on the cases of `corpus` where it keeps it.

    Of the rules that it keeps, only those named in `bystanders` are tried, when that is given.
    """
    named, kept, chapter = [], [], ""
    with quiet():
        subject = member.subject()
        for check in all_checks().values():
            broken = check.id in member.breaks
            if not member.held_to(check.requirement) or (check.missing(subject) and not broken):
                continue
            if broken or not member.breaks:
                named.append(_named(run_check(check, subject, settings), broken=broken))
            elif (bystanders is None or check.id in bystanders) and _meets(member, check):
                if check.requirement.chapter != chapter:  # fresh packers for each rule would double the time
                    subject.forget()
                chapter = check.requirement.chapter
                cases = _bystander_cases(check, subject, settings, corpus)
                cell = _bystander(check, subject, cases)
                if cell.verdict != "green":  # an earlier rule's calls may have left something on the packer
                    subject.forget()
                    cell = _bystander(check, subject, cases)
                kept.append(cell)
    return MemberResult(member, tuple(named), tuple(kept))


def kill_matrix(
    seed: int = 0,
    effort: str = "standard",
    *,
    stored: bool = True,
    bystander_cases: int = BYSTANDER_CASES,
    progress: Callable[[MemberResult], None] | None = None,
) -> KillMatrix:
    """Run the whole zoo, the known-good members too; without `stored` on generated cases alone.

    `UsageError` for an effort that is none, or not repeatable.
    """
    chosen = named_effort(effort, "--effort", [one for one in EFFORTS.values() if one.gate])
    settings, corpus, results = Settings(chosen, seed, stored=stored), Corpus(seed, bystander_cases), []
    for member in (*good_members(), *members()):
        results.append(run_member(member, settings, corpus))
        if progress is not None:
            progress(results[-1])
    return KillMatrix(seed, effort, tuple(results))


def selftest(
    seed: int = 0, effort: str = "standard", progress: Callable[[str], None] | None = None
) -> tuple[str, KillMatrix]:
    """The matrix, rendered and as it is, of a run on generated cases alone, which is the harder test.

    `progress` gets one line per member as it goes; without it the lines are part of the text.
    """
    show = None if progress is None else lambda one: progress(_line(one))
    matrix = kill_matrix(seed, effort, stored=False, progress=show)
    return render(matrix, lines=progress is None), matrix


def render(matrix: KillMatrix, *, lines: bool = True) -> str:
    """The matrix for a terminal: a line per member (if `lines`), then counts and holes."""
    bad = [one for one in matrix.results if one.member.breaks]
    cells = [cell for one in bad for cell in one.named]
    rules = {id for one in bad for id in one.member.breaks}
    kept = [cell for one in matrix.results for cell in (one.bystanders if one.member.breaks else one.named)]
    green = sum(cell.verdict == "green" for cell in kept)
    killed = sum(cell.verdict == "killed" for cell in cells)
    text = [_line(one) for one in matrix.results] if lines else []
    what = f"{len(bad)} planted {plural(len(bad), 'fault')} against {len(rules)} {plural(len(rules), 'rule')}"
    text += [
        "",
        f"{what}, at seed {matrix.seed} and {matrix.effort} effort: {killed} of {len(cells)} killed.",
        f"{green} of {len(kept)} times a rule stayed green on a packer that keeps it.",
    ]
    text += [f"HOLE  {one.member.name}  {_told(cell)}" for one in matrix.results for cell in one.holes]
    text += [f"HOLE  {id}  no planted fault is caught by this rule alone" for id in matrix.uncovered]
    return "\n".join([*text, "The kit bites." if matrix.ok else "The kit has holes."])


def size_of(outcome: Outcome) -> int:
    """How large the counterexample is: its token ids, or the characters of its case where it has none."""
    if outcome.case_file is None:
        return 0
    case = outcome.case_file.case
    ids = _count_ids(case.model_dump(exclude={"kind", "model"}))
    return ids or len(case.model_dump_json(exclude={"kind", "model"}))


_SIZES = ("rows", "width", "layers", "top_k")
_NO_IDS = ("extra_width", "n_ignore_prefix_tokens", "experts", "start", "end", "first_row", *_SIZES, *RECORD_FIELDS)


def _count_ids(value: object) -> int:
    if isinstance(value, dict):
        return sum(_count_ids(part) for name, part in value.items() if name not in _NO_IDS)
    if isinstance(value, list):
        return sum(_count_ids(part) for part in value)
    return isinstance(value, int)


_BESIDE = {"IDENT-1", "IDENT-3"}
"""Rules on a packer that ask the gate beside it something too."""


def _meets(member: Member, check: Check) -> bool:
    """Whether the rule looks at the faulty part: a faulty selection, gate or lock stands beside a good packer.

    A packer that carries routing and the steps beside it are looked at by every rule on either.
    """
    if member.is_source or member.consumer is not None or member.routing is not None:
        return True
    parts = {"PackerSelection": member.selection, "ResumeGate": member.gate, "IdentityLock": member.lock}
    looks_at = [name for name in parts if name in check.requirement.needs]
    if looks_at:
        return parts[looks_at[0]] is not None
    return not any(parts.values()) or (member.gate is not None and check.id in _BESIDE)


def _named(outcome: Outcome, *, broken: bool) -> Cell:
    found = outcome.counterexample
    if outcome.status == "error":
        return _cell(outcome, "error")
    if not broken:
        return _cell(outcome, "green" if outcome.status == "pass" else "tripped")
    if outcome.status != "fail" or found is None:
        return _cell(outcome, "survived")
    return _cell(outcome, "crashed" if found.crash and outcome.requirement not in ACCEPTANCE else "killed")


def _bystander_cases(check: Check, subject: Tested, settings: Settings, corpus: Corpus) -> list[Any]:
    stored = [*check.stored_cases_for(subject), *check.vector_cases_for(subject)] if settings.stored else []
    return [*stored, *corpus.cases(check, subject)]


def _bystander(check: Check, subject: Tested, cases: Sequence[Any]) -> Cell:
    for number, case in enumerate(cases, 1):
        outcome = replay_case(check, subject, case).model_copy(update={"cases": number})
        if outcome.status in ("fail", "error"):
            return _cell(outcome, "error" if outcome.status == "error" else "tripped")
    return Cell(check.id, "green", len(cases))


def _cell(outcome: Outcome, verdict: Verdict) -> Cell:
    return Cell(outcome.requirement, verdict, outcome.cases, size_of(outcome), outcome)


def _line(one: MemberResult) -> str:
    state = f"HOLE ({', '.join(cell.requirement for cell in one.holes)})" if one.holes else "ok"
    if not one.member.breaks:
        return f"{one.member.name:<36} {'nothing broken':<22} {'':>17}  {state}"
    ids, first = ", ".join(one.member.breaks), one.named[0] if one.named else Cell("", "survived")
    return f"{one.member.name:<36} {ids:<22} case {first.cases:>3}, size {first.size:>3}  {state}"


def _told(cell: Cell) -> str:
    words = {
        "survived": "was not caught",
        "crashed": "was caught by a crash only",
        "tripped": "was tripped by a fault that does not break it",
        "error": "broke the kit itself",
    }
    reason = cell.outcome.reason if cell.outcome is not None else ""
    found = cell.outcome.counterexample if cell.outcome is not None else None
    if found is not None:
        reason = f"{found.call}: {found.fault or found.got or found.expected}"
    return f"{cell.requirement} {words.get(cell.verdict, cell.verdict)}{f' ({reason})' if reason else ''}"
