"""Sources built from settings: how a factory is called, and what of an item is handed on."""

from collections import UserDict
from collections.abc import Callable
from threading import Lock
from typing import Any

import pytest
import user_sources
from PIL import Image

from packer_reference.sources import build_preference_source, build_prompt_source
from packer_schemas import IndexedSource, ObsBundle, PreferenceSourceSettings, PromptSourceSettings


def prompts(**settings: Any) -> Any:
    """A source of prompts; of the user's kept rows, unless something else is said."""
    settings = {"factory": "user_sources.rows", "prompt_column": "question", **settings}
    return build_prompt_source(PromptSourceSettings(**settings))


def test_a_factory_gets_exactly_the_recorded_keyword_arguments() -> None:
    """One call, nothing positional or added, values of their types; what it writes into them stays its own."""
    user_sources.calls.clear()
    settings = PromptSourceSettings(
        factory="user_sources.recorded",
        factory_kwargs={"count": 3, "text": "3", "rate": 1.0, "deep": {"list": [1, None, True]}},
        prompt_column="question",
    )
    build_prompt_source(settings)
    given = {"count": "3", "text": "'3'", "rate": "1.0", "deep": "{'list': [1, None, True]}"}
    assert user_sources.calls == [((), given)]
    assert settings.factory_kwargs["deep"] == {"list": [1, None, True]}


def test_without_a_factory_nothing_set_means_sums() -> None:
    """Prompts fall back to the built-in arithmetic source, whose rows are computed; preferences have none."""
    source = build_prompt_source(PromptSourceSettings(response_column="answer", id_column="id"))
    assert len(source) == 10_000
    assert source[203].representations == {"prompt": "What is 2 + 3?", "reference": "5", "id": "2+3"}
    with pytest.raises(ValueError, match="set one of factory, jsonl_path, tar_path, synthetic_pairs"):
        build_preference_source(PreferenceSourceSettings(factory="", synthetic_pairs=0))


def test_made_up_pairs_prefer_the_right_answer() -> None:
    """The number of pairs is the setting's, and the winner is the sum."""
    source = build_preference_source(PreferenceSourceSettings(synthetic_pairs=3))
    assert list(source) == [("What is 0 + 0?", "0", "1"), ("What is 0 + 1?", "1", "2"), ("What is 0 + 2?", "2", "3")]


def test_the_chapters_row_becomes_the_chapters_sample() -> None:
    """Configured columns come under their canonical names, and a column that no setting names does not come."""
    source = prompts(response_column="answer", id_column="uid", metadata_columns=["topic"])
    assert source[2] == ObsBundle(
        representations={  # pyright: ignore[reportArgumentType]
            "prompt": "What is 2 + 1?",
            "reference": "3",
            "id": "r2",
            "metadata": {"topic": "sums"},
        }
    )


def test_a_setting_that_is_left_out_gives_no_entry() -> None:
    """Columns of no setting, and settings of None or an empty name, leave nothing behind."""
    source = prompts(response_column=None, image_column="", id_column="")
    assert source[0].representations == {"prompt": "What is 0 + 1?"}


@pytest.mark.parametrize("value", [None, "", 0, 1.0, [], {"a": [1]}])
def test_values_are_not_converted(from_rows: Callable[..., Any], value: Any) -> None:
    """A value is the row's, None and empty ones included, in every place; two settings may name one column."""
    source = from_rows({"x": value}, prompt_column="x", response_column="x", id_column="x", metadata_columns=["x"])
    kept = {"prompt": value, "reference": value, "id": value, "metadata": {"x": value}}
    assert repr(source[0].representations) == repr(kept)


def test_a_later_row_without_a_column_is_refused_when_it_is_read(from_rows: Callable[..., Any]) -> None:
    """No row is skipped and no value made up; a key with None is there."""
    source = from_rows({"question": "a", "t": 1}, {"question": None}, metadata_columns=["t"])
    with pytest.raises(ValueError, match=r"row 1 has no column 't', which metadata_columns\[0\] names; it has 'quest"):
        source[1]


@pytest.mark.parametrize("row", ["a row", ["question"], ("question", "answer"), 3])
def test_a_row_that_is_no_mapping_is_refused(from_rows: Callable[..., Any], row: Any) -> None:
    """Rows map column names to values; others are refused with their type, the index and the path."""
    with pytest.raises(TypeError, match=rf"factory 'user_sources.rows': row 0 is a {type(row).__name__}, expected"):
        from_rows(row)


def test_a_row_function_changes_one_row_before_columns_are_read() -> None:
    """It gets a copy of the row, and the columns are those of the row that it returns."""
    source = prompts(items_fn="user_sources.shouting")
    assert source[0].representations == {"prompt": "WHAT IS 0 + 1?"}
    assert user_sources.ROWS[0]["question"] == "What is 0 + 1?"


def test_a_row_function_that_fails_is_named_with_its_row() -> None:
    """What it raises is the cause of an error that holds its path, the row and the source's path."""
    source = prompts(items_fn="user_sources.broken_fn")
    with pytest.raises(
        ValueError, match=r"items_fn 'user_sources.broken_fn', row 3 of factory 'user_sources.rows'"
    ) as got:
        source[3]
    assert isinstance(got.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("user_sources.several_rows", TypeError, "returned a list, expected one row"),
        ("user_sources.no_such", ImportError, "items_fn 'user_sources.no_such': 'user_sources' has no attribute"),
    ],
)
def test_a_row_function_that_is_none_is_refused_when_the_source_is_built(path: str, error: Any, said: str) -> None:
    """A path that leads nowhere, and a function that returns several rows, end the run before its first step."""
    with pytest.raises(error, match=said):
        prompts(items_fn=path)


def test_what_is_written_into_a_sample_does_not_show_at_the_next_read(from_rows: Callable[..., Any]) -> None:
    """Containers of a sample are the caller's own to any depth, tuples on the way; large things in them are shared."""
    picture = Image.new("RGB", (2, 2), "red")
    turns = [{"role": "user", "content": [{"type": "image", "image": picture}]}]
    row = {"question": turns, "extra": ({"deep": [1]}, [2]), "frames": picture}
    source = from_rows(row, response_column="extra", metadata_columns=["frames"])
    first = source[0].representations
    first["prompt"][0]["content"].clear()
    first["prompt"].append("turn")
    first["reference"][0]["deep"].append(2)
    first["reference"][1].pop()
    first.pop("metadata")
    assert source[0].representations == {
        "prompt": turns,
        "reference": ({"deep": [1]}, [2]),
        "metadata": {"frames": picture},
    }
    assert source[0].representations["metadata"]["frames"] is picture


def test_what_a_row_function_keeps_is_guarded_too() -> None:
    """An object that the user's function hands out again and again is copied like one that a source keeps."""
    source = prompts(items_fn="user_sources.from_memory")
    source[0].representations["prompt"].append("written")
    assert source[0].representations == {"prompt": ["kept"]}


def test_an_item_that_cannot_be_copied_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mapping of somebody's own around an open file can be guarded by nobody, and is not handed on unguarded."""

    class Lazy(UserDict[str, Any]):
        lock = None

        def __init__(self) -> None:
            super().__init__(question="a")
            self.lock = Lock()

    monkeypatch.setattr(user_sources, "ROWS", [("p", Lazy(), "l")])
    source = build_preference_source(PreferenceSourceSettings(factory="user_sources.rows"))
    with pytest.raises(ValueError, match=r"factory 'user_sources.rows': item 0 cannot be copied.*TypeError: cannot pi"):
        source[0]


def test_pairs_are_the_callers_own() -> None:
    """Payloads of a triple are copied before anybody writes into them."""
    source = build_preference_source(PreferenceSourceSettings(factory="user_sources.Pairs"))
    source[0][1]["completion"] = "changed"
    assert source[0] == ("Describe sample 0", {"completion": "preferred-0"}, {"completion": "rejected-0"})


@pytest.mark.parametrize(
    ("item", "error", "said"),
    [
        (["p", "w", "l"], TypeError, "is a list"),
        ({"prompt": "p", "winner": "w", "loser": "l"}, TypeError, "is a dict"),
        (("p", "w"), ValueError, "is a tuple of 2"),
        (("p", "w", "l", "id"), ValueError, "is a tuple of 4"),
    ],
)
def test_a_preference_is_a_triple(monkeypatch: pytest.MonkeyPatch, item: Any, error: Any, said: str) -> None:
    """Anything but a tuple of three is refused with the path, the index and what was found."""
    monkeypatch.setattr(user_sources, "ROWS", [("p", "w", "l"), item])
    source = build_preference_source(PreferenceSourceSettings(factory="user_sources.rows"))
    assert source[0] == ("p", "w", "l")
    with pytest.raises(error, match=rf"factory 'user_sources.rows': item 1 {said}, expected the tuple"):
        source[1]


def test_an_item_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a source raises at an index that it has, an `IndexError` among it, does not pass for the end of the data."""
    monkeypatch.setattr(user_sources.Sums, "__getitem__", lambda self, index: [{"question": "a"}][index])
    source = prompts(factory="user_sources.Sums")
    with pytest.raises(ValueError, match=r"factory 'user_sources.Sums': item 1 of 100 cannot be read: IndexError"):
        list(source)


@pytest.mark.parametrize("source", [prompts(factory="user_sources.Sums", factory_kwargs={"count": 3}), prompts()])
def test_an_index_that_names_no_item_is_an_index_error(source: Any) -> None:
    """A source that computes its rows for any index ends all the same, so that a loop over it does."""
    size = len(source)
    assert isinstance(source, IndexedSource)
    assert len(list(source)) == size
    assert source[-1] == source[size - 1]
    for index in (size, size + 7, -size - 1):
        with pytest.raises(IndexError):
            source[index]


def test_settings_of_the_other_kind_are_a_type_error() -> None:
    """A mistake in the caller's code is told as one."""
    with pytest.raises(TypeError, match="got PreferenceSourceSettings, expected PromptSourceSettings"):
        build_prompt_source(PreferenceSourceSettings())  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="got PromptSourceSettings, expected PreferenceSourceSettings"):
        build_preference_source(PromptSourceSettings())  # pyright: ignore[reportArgumentType]
