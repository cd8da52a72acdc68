"""Ids of items: what a source may return, and what validation during training does with them."""

from typing import Any

import pytest
import user_sources

from packer_reference.sources import PreferenceSource, build_preference_source, membership_ids, refuse_overlap
from packer_schemas import PreferenceSourceSettings, PromptSourceSettings, RunConfig


def pairs(first: int, count: int = 4, factory: str = "user_sources.Pairs") -> PreferenceSource:
    """Pairs with these numbers."""
    settings = PreferenceSourceSettings(factory=factory, factory_kwargs={"first": first, "count": count})
    return build_preference_source(settings)


def test_ids_are_the_sources_own() -> None:
    """One for each item, in their order."""
    assert membership_ids(pairs(2, 2)) == ("Describe sample 2", "Describe sample 3")


def test_sources_without_a_common_id_pass() -> None:
    """Held-out items that are not trained are what validation wants."""
    refuse_overlap(pairs(0), pairs(4))


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (3, "1 id is in both .*: 'Describe sample 3'; take"),
        (2, "2 ids are in both .*: 'Describe sample 2', 'Describe sample 3'; take"),
        (0, "4 ids are in both"),
    ],
)
def test_common_ids_are_refused(first: int, said: str) -> None:
    """Their number, some of them and both dotted paths are told."""
    with pytest.raises(ValueError, match=said) as error:
        refuse_overlap(pairs(0), pairs(first, factory="user_sources.Unreadable"))
    assert "the training data, factory 'user_sources.Pairs', and the held-out data, factory 'user_sources.Unre" in str(
        error.value
    )


def test_many_common_ids_are_counted_and_not_listed() -> None:
    """Five names are enough to find the rest."""
    with pytest.raises(ValueError, match="100 ids are in both") as error:
        refuse_overlap(pairs(0, 100), pairs(0, 100))
    assert str(error.value).count("Describe sample") == 5


def test_no_item_is_read_for_it() -> None:
    """Sources whose items cannot be decoded are built, named and compared."""
    refuse_overlap(pairs(0, factory="user_sources.Unreadable"), pairs(4, factory="user_sources.Unreadable"))


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["a", "b", "c", "d"], "returned a list, expected a tuple"),
        (("a", "b", "c"), "returned 3 ids for 4 items"),
        (("a", "b", "c", "d", "e"), "returned 5 ids for 4 items"),
        (("a", "b", "c", 3), "returned 3 for item 3, expected a string"),
        (("a", "", "c", "d"), "returned '' for item 1, expected a string that is not empty"),
        (("a", "b", "c", "b"), "returned 'b' for the items 1 and 3, expected it once"),
    ],
)
def test_ids_of_another_kind_are_refused(monkeypatch: pytest.MonkeyPatch, ids: Any, said: str) -> None:
    """Type, number, emptiness and repeats are told with the path and the method."""
    monkeypatch.setattr(user_sources.Pairs, "membership_ids", lambda self: ids)
    with pytest.raises(ValueError, match=rf"factory 'user_sources.Pairs': membership_ids\(\) {said}"):
        refuse_overlap(pairs(0), pairs(4))


def test_a_method_that_raises_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it raised is the cause."""

    def lost(self: Any) -> Any:
        raise KeyError("names")

    monkeypatch.setattr(user_sources.Pairs, "membership_ids", lost)
    with pytest.raises(ValueError, match=r"'user_sources.Pairs': membership_ids\(\) raised KeyError") as error:
        membership_ids(pairs(0))
    assert isinstance(error.value.__cause__, KeyError)


def test_made_up_pairs_overlap_where_they_are_the_same() -> None:
    """A shorter set of made-up pairs is the beginning of a longer one, and its ids say so."""
    both = [build_preference_source(PreferenceSourceSettings(synthetic_pairs=count)) for count in (9, 3)]
    with pytest.raises(ValueError, match=r"3 ids are in both .*synthetic_pairs 9.*synthetic_pairs 3: '0\+0', '0\+1'"):
        refuse_overlap(*both)


def test_what_no_build_function_made_has_no_ids() -> None:
    """A list handed over as it is is told what to do with it."""
    with pytest.raises(TypeError, match="got list, expected a source that build_preference_source or build_prompt"):
        refuse_overlap([1], [2])  # type: ignore[arg-type]


def test_a_configuration_that_names_a_factory_alone_can_be_built_as_preferences() -> None:
    """Which kind a factory gives is not said in a configuration; settings that only prompts have are refused."""
    section = {"factory": "user_sources.Pairs", "factory_kwargs": {"first": 0, "count": 3}}
    settings = RunConfig.model_validate({"rl": {"data": section}}).sources()["rl.data"]
    assert isinstance(settings, PromptSourceSettings)
    assert len(build_preference_source(settings)) == 3
    with pytest.raises(TypeError, match="got PromptSourceSettings with id_column='uid', expected Preference"):
        build_preference_source(PromptSourceSettings(**section, id_column="uid"))
