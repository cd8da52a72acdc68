"""Whether held-out items are also trained, told from the ids that sources give without reading an item."""

from typing import Any

from packer_reference.sources.built import BuiltSource
from packer_schemas import MembershipSource

__all__ = ["membership_ids", "refuse_overlap"]


def membership_ids(source: BuiltSource) -> tuple[str, ...]:
    """The ids of a source's items, in their order; no item is read.

    Raises `TypeError` for anything but a built source; `ValueError`, with the origin and `membership_ids`, for a source
    without the method, for a method that raises, and for ids that are no tuple of N different strings, none of them
    empty. Spec: sources, SOURCE-13.
    """
    if not isinstance(source, BuiltSource):
        wanted = "a source that build_preference_source or build_prompt_source made"
        raise TypeError(f"membership_ids: got {type(source).__name__}, expected {wanted}")
    where = f"{source.origin}: membership_ids()"
    if not isinstance(source.source, MembershipSource):
        raise ValueError(
            f"{where} is missing, and validation during training needs it to tell that nothing held out is trained; "
            "return a tuple with one string for each item, from metadata"
        )
    try:
        ids: Any = source.source.membership_ids()
    except Exception as error:
        raise ValueError(f"{where} raised {type(error).__name__}: {error}") from error
    if not isinstance(ids, tuple):
        raise ValueError(f"{where} returned a {type(ids).__name__}, expected a tuple of strings")
    if len(ids) != len(source):
        raise ValueError(f"{where} returned {len(ids)} ids for {len(source)} items, expected one for each")
    first: dict[str, int] = {}
    for place, one in enumerate(ids):
        if not isinstance(one, str) or not one:
            raise ValueError(f"{where} returned {one!r} for item {place}, expected a string that is not empty")
        if first.setdefault(one, place) != place:
            raise ValueError(f"{where} returned {one!r} for the items {first[one]} and {place}, expected it once")
    return ids


def refuse_overlap(training: BuiltSource, held_out: BuiltSource) -> None:
    """`ValueError` where an id of `training` is one of `held_out`, with their number, some of them and both origins.

    To be called before the first step of a run with validation; refuses what `membership_ids` refuses. No item is
    read. Spec: sources, SOURCE-14.
    """
    trained = set(membership_ids(training))
    common = [one for one in membership_ids(held_out) if one in trained]
    if common:
        shown = ", ".join(map(repr, common[:5])) + (", ..." if len(common) > 5 else "")
        are = "id is" if len(common) == 1 else "ids are"
        raise ValueError(
            f"{len(common)} {are} in both the training data, {training.origin}, and the held-out data, "
            f"{held_out.origin}: {shown}; take these items out of one of them"
        )
