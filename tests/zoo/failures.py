"""What the kit says about each member of the zoo, as text that stays the same from run to run."""

import os
import re
import zlib
from collections.abc import Iterable
from functools import cache

from packer_schemas import Outcome
from packer_spec import requirement
from packproof.corpus import Corpus
from packproof.effort import EFFORTS, Settings
from packproof.failure_text import failure_text
from packproof.kill_matrix import MemberResult, run_member
from packproof.sources.subject import SourceSubject
from packproof.zoo import Member

__all__ = ["SEEDS", "UNSTEADY", "failures_of", "run_at", "seeds_of"]

SEEDS = range(5)
EVERY_SEED = bool(os.environ.get("PACKPROOF_EVERY_SEED"))


def seeds_of(member: Member) -> Iterable[int]:
    """Seed 0 and one other, by the member's name, so that the zoo as a whole runs at each; all where it is asked."""
    return SEEDS if EVERY_SEED else (0, SEEDS[1 + zlib.crc32(member.name.encode()) % (len(SEEDS) - 1)])


@cache
def _corpus(seed: int, stored: bool) -> Corpus:
    return Corpus(seed, 0 if stored else 1)


def run_at(seed: int, member: Member, *, stored: bool = False) -> MemberResult:
    """The member at standard effort, by default on generated cases alone.

    The rules it keeps get few cases, so that it fits into minutes: one at seed 0, or the stored ones alone, and none at
    the other seeds. Failures are made small at seed 0 on generated cases, where their words count.
    """
    settings = Settings(EFFORTS["standard"], seed, stored=stored, shrink=seed == 0 and not stored)
    return run_member(member, settings, _corpus(seed, stored), None if seed == 0 else ())


UNSTEADY = {
    *("rows-from-a-set", "augmented-when-read", "shuffled-without-a-seed", "rows-name-the-folder"),
    *("rows-name-the-process", "hashed-by-python", "drawn-at-building", "folder-in-the-fingerprint"),
    *("ids-from-a-set", "ids-drawn-anew", "file-path-alone"),
}
"""Sources whose very fault is that a value differs from process to process."""


def _steady(outcome: Outcome, name: str) -> Outcome:
    """The outcome, in which digests and unsteady values of declarations and of sources are not told apart."""
    found = outcome.counterexample
    if found is not None and name in UNSTEADY:
        call = re.sub(r"source\[\d+\], .*|, another process.*", "<somewhere>", found.call)
        masked = {"call": call, "expected": "<a value>", "got": "<another value>", "fault": ""}
        return outcome.model_copy(update={"counterexample": found.model_copy(update=masked)})
    if found is None or not outcome.requirement.startswith("IDENT"):
        return outcome
    sides = {"expected": found.expected, "got": found.got}
    sides = {name: re.sub(r"(semantics|processor) [0-9a-f]{8}\b", r"\1 <digest>", text) for name, text in sides.items()}
    if outcome.requirement == "IDENT-6":
        sides = {
            name: re.sub(r"^(\S+) .*, semantics ", r"\1 <value>, semantics ", text) for name, text in sides.items()
        }
    return outcome.model_copy(update={"counterexample": found.model_copy(update=sides)})


def failures_of(result: MemberResult) -> str:
    """Every failure of a run at seed 0 that the member is known for, as the terminal shows it.

    Line numbers of the zoo's source are left out, and so is what differs from run to run: numbers of rows, which may
    count on over all tests, digests, and the values of a declaration that IDENT-6 finds to be unsteady.
    """
    member, kind, texts = result.member, result.member.kind, []
    outcomes = {cell.requirement: cell.outcome for cell in result.named}
    for id in member.breaks:
        outcome = outcomes[id]
        assert outcome is not None
        of_run = kind is SourceSubject and (member.factory is None or "SourceRun" in requirement(id).needs)
        noun, option = ("run", "--source-run") if of_run else (kind.noun, f"--{kind.noun}")
        replay = f"pytest {option} zoo:{member.name} --packer-select {id} --packer-seed 0"
        texts.append(failure_text(_steady(outcome, member.name), f"zoo:{member.name}", replay, noun=noun))
    text = re.sub(r"(\.py):\d+\s+in\s+", r"\1 in ", "\n\n".join(texts)) + "\n"
    return re.sub(r"(: row_id\n  expected    )\d+(\n  got         )\d+", r"\1N\2M", text)
