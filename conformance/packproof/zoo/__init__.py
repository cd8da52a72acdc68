"""The zoo: known-bad packers, each with one deliberate fault, and known-good ones; what the kit itself is tested on."""

from functools import cache

from packproof.zoo.member import Member, fault
from packproof.zoo.miniature import MiniaturePacker
from packproof.zoo.miniature_selection import MiniatureSelection

__all__ = ["Member", "fault", "good_members", "member", "members"]


@cache
def members() -> tuple[Member, ...]:
    """Every known-bad member, chapter by chapter."""
    from packproof.zoo import (  # noqa: F401
        authority,
        authority_kinds,
        collation,
        collation_calls,
        devices,
        lifecycle,
        lifecycle_arguments,
        lifecycle_calls,
        masks,
        masks_ignored,
        rollout,
        rollout_hooks,
        selection,
    )
    from packproof.zoo.member import known_bad

    return known_bad()


def good_members() -> tuple[Member, ...]:
    """The members that must pass everything."""
    return (Member("miniature", MiniaturePacker, story="Keeps every rule.", selection=MiniatureSelection),)


def member(name: str) -> Member:
    """The member of this name; `KeyError` when there is none."""
    return {one.name: one for one in (*good_members(), *members())}[name]
