"""Finding rules by the names that users give: versions of the spec, levels, chapters, ids."""

import difflib
from collections.abc import Sequence

from packer_spec import LEVELS, SPEC_VERSIONS, Requirement, requirements
from packproof.violation import UsageError

__all__ = ["find_rules", "rules_of", "rules_of_levels"]


def rules_of(version: str, option: str = "--packer-spec") -> dict[str, Requirement]:
    """The rules of one version of the spec, by id; `UsageError` for a version that there is not."""
    if version not in SPEC_VERSIONS:
        raise UsageError(f"{option} {version!r}: expected one of {', '.join(SPEC_VERSIONS)}.")
    last = SPEC_VERSIONS.index(version)
    return {id: rule for id, rule in requirements().items() if SPEC_VERSIONS.index(rule.since) <= last}


def rules_of_levels(levels: Sequence[str], version: str) -> list[Requirement]:
    """The rules of these levels; `UsageError` for a level that there is not, or that the kit cannot try."""
    there, found = rules_of(version).values(), []
    for level in levels or [""]:
        if level not in LEVELS:
            raise UsageError(f"--packer-level {level!r}: expected one of {', '.join(LEVELS)}.")
        own = [rule for rule in there if rule.group == level]
        if not own:
            raise UsageError(
                f"--packer-level {level!r}: spec {version} has no such rules; hold the packer to a later one."
            )
        if all(rule.unchecked for rule in own):
            raise UsageError(
                f"--packer-level {level!r}: the spec has {len(own)} such rules, and this version of packproof checks "
                f"none of them; nobody can be held to them yet. `packproof explain {own[0].id}` says why."
            )
        found += [rule for rule in own if not rule.unchecked]
    return [rule for rule in requirements().values() if rule in found]


def find_rules(names: Sequence[str], version: str, option: str = "--packer-spec") -> list[Requirement]:
    """The rules named: ids (`MASK-2`) and chapter prefixes (`MASK`), in the order of the spec.

    `UsageError` for a name that is neither, and for a rule that is newer than `version`, which `option` gave.
    """
    known, held = requirements(), rules_of(version, option)
    prefixes = list(dict.fromkeys(id.partition("-")[0] for id in known))
    wanted: set[str] = set()
    for name in names:
        found = [id for id in known if id == name.upper() or id.partition("-")[0] == name.upper()]
        if not found:
            close = difflib.get_close_matches(name.upper(), [*known, *prefixes], n=3)
            hint = f"Did you mean {' or '.join(close)}?" if close else f"Chapters are {', '.join(prefixes)}."
            raise UsageError(f"unknown requirement {name!r}. {hint} `packproof list` prints them all.")
        if not any(id in held for id in found):
            raise UsageError(f"{name.upper()} is there since spec {known[found[0]].since}, and this is spec {version}.")
        wanted.update(id for id in found if id in held)
    return [held[id] for id in held if id in wanted]
