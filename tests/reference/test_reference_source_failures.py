"""Every failure that the seed lists for custom data sources, each with the configured dotted path in its message.

What fails on the driver, before a source is built, is in tests/kit/test_preflight.py.
"""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from packer_reference.sources import build_preference_source, build_prompt_source, refuse_overlap
from packer_schemas import PreferenceSourceSettings, PromptSourceSettings

KINDS: dict[str, tuple[Callable[..., Any], Any]] = {
    "prompts": (build_prompt_source, PromptSourceSettings),
    "preferences": (build_preference_source, PreferenceSourceSettings),
}


@pytest.fixture(params=KINDS)
def build(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Builds a source of either kind from its settings."""
    make, settings = KINDS[request.param]
    return lambda **given: make(settings(**given))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("extras.data.rows", "there is no module 'extras'"),
        ("user_sources.rowz", "'user_sources' has no attribute 'rowz'; did you mean 'rows'?"),
        ("user_sources.ROWS", "is a list and cannot be called"),
        ("rows", "is no path of a callable"),
        ("user_broken.rows", "importing 'user_broken' failed: No module named 'numpi'"),
        ("user_ending.rows", "importing it raised SystemExit: 3"),
    ],
)
def test_import_failures_name_the_dotted_path(
    build: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    """A path that leads nowhere is an `ImportError` and a `ValueError` that holds it as it was configured."""
    (tmp_path / "user_broken.py").write_text("import numpi\n")
    (tmp_path / "user_ending.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as error:
        build(factory=path)
    assert isinstance(error.value, ValueError)
    assert f"factory {path!r}" in str(error.value)
    assert said in str(error.value)


def test_constructor_failures_name_the_dotted_path(build: Callable[..., Any]) -> None:
    """What a factory raises is the cause of an error that holds its path, so that its own traceback is kept."""
    with pytest.raises(ValueError, match=r"'user_sources.raising'.* FileNotFoundError: rows.jsonl") as error:
        build(factory="user_sources.raising")
    assert isinstance(error.value.__cause__, FileNotFoundError)
    assert "in raising" in "".join(traceback.format_exception(error.value))


def test_a_factory_that_ends_the_process_names_the_dotted_path(build: Callable[..., Any]) -> None:
    """A factory that exits, as command line tools do on a wrong argument, is a failure like any other."""
    with pytest.raises(ValueError, match=r"'user_sources.exiting': called without .* raised SystemExit: 3") as error:
        build(factory="user_sources.exiting")
    assert isinstance(error.value.__cause__, SystemExit)


@pytest.mark.parametrize("kwargs", [{"cuont": 3}, {"count": 3, "seed": 0}])
def test_arguments_that_a_factory_does_not_take_name_the_dotted_path(
    build: Callable[..., Any], kwargs: dict[str, Any]
) -> None:
    """A misspelt keyword argument is a failure of the factory's call, and is named."""
    with pytest.raises(ValueError, match=rf"factory 'user_sources.rows': called with {', '.join(kwargs)} it raised"):
        build(factory="user_sources.rows", factory_kwargs=kwargs)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("None", "gave None"),
        ("class", "gave the class Sums"),
        ("mapping", "gave a dict"),
        ("text", "gave a str"),
        ("bytes", "gave a bytes"),
        ("generator", "gave a generator without a usable __getitem__"),
        ("set", "gave a set without a usable __getitem__"),
        ("stream", "gave a user_sources.Walked without a usable __getitem__"),
        ("stream with a length", "gave a user_sources.CountedWalk without a usable __getitem__"),
        ("inherited index", "gave a user_sources.Indexless without a usable __getitem__"),
        ("no length", "gave a user_sources.Lengthless without a usable __len__"),
        ("raising length", r"gave a user_sources.LengthRaises without a usable __len__ \(NotImplementedError: how"),
        ("number", "gave a int without a usable __getitem__"),
    ],
)
def test_wrong_return_types_name_the_dotted_path(build: Callable[..., Any], what: str, said: str) -> None:
    """Whatever is no map-style object is refused by the type that was found, and what it lacks."""
    with pytest.raises(TypeError, match=f"factory 'user_sources.returning' {said}.*expected a map-style object"):
        build(factory="user_sources.returning", factory_kwargs={"what": what})


@pytest.mark.parametrize("what", ["empty list", "empty source"])
def test_empty_datasets_name_the_dotted_path(build: Callable[..., Any], what: str) -> None:
    """A source without items is refused when it is built, and not by a rank that waits for ever."""
    with pytest.raises(ValueError, match=r"factory 'user_sources.returning' gave a .* of length 0"):
        build(factory="user_sources.returning", factory_kwargs={"what": what})


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        (PromptSourceSettings, {"factory": "user_sources.raising", "path": "rows"}),
        (PromptSourceSettings, {"factory": "user_sources.raising", "name": "owner/rows"}),
        (PreferenceSourceSettings, {"factory": "user_sources.raising", "jsonl_path": "pairs.jsonl"}),
        (PreferenceSourceSettings, {"factory": "user_sources.raising", "tar_path": "pairs.tar"}),
        (PreferenceSourceSettings, {"factory": "user_sources.raising", "synthetic_pairs": 4}),
    ],
)
def test_exclusive_selectors_name_the_dotted_path(model: Any, settings: dict[str, Any]) -> None:
    """Two selectors are refused with the names and values of both, before either is opened."""
    with pytest.raises(ValueError, match="expected one source at most") as error:
        model(**settings)
    assert all(f"{name}={value!r}" in str(error.value) for name, value in settings.items())


@pytest.mark.parametrize("nameless", ["training", "held-out"])
def test_validation_without_membership_ids_fails_without_reading_an_item(nameless: str) -> None:
    """A source without the method is refused by its path and the method's name; none of its items is decoded."""
    named = build_preference_source(PreferenceSourceSettings(factory="user_sources.Pairs"))
    without = build_preference_source(PreferenceSourceSettings(factory="user_sources.Nameless"))
    both = (without, named) if nameless == "training" else (named, without)
    with pytest.raises(ValueError, match=r"factory 'user_sources.Nameless': membership_ids\(\) is missing"):
        refuse_overlap(*both)


def test_a_first_row_without_a_configured_column_names_the_dotted_path() -> None:
    """A misspelt column ends a run when the source is built, by column, setting, row and the columns there are."""
    settings = PromptSourceSettings(
        factory="user_sources.rows", prompt_column="question", response_column="anwser", metadata_columns=["topic"]
    )
    with pytest.raises(ValueError, match="'anwser'") as error:
        build_prompt_source(settings)
    assert str(error.value) == (
        "factory 'user_sources.rows': row 0 has no column 'anwser', which response_column names; it has 'question', "
        "'answer', 'uid', 'topic'"
    )
