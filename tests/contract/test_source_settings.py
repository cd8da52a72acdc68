"""Settings of data sources: what may be said together, what counts as said, and what the message holds."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from packer_schemas import PreferenceSourceSettings, PromptSourceSettings, RunConfig, dotted_paths


def refusal(model: Any, document: Any) -> str:
    """What the model says of a document that it refuses."""
    with pytest.raises(ValidationError) as error:
        model.model_validate(document)
    assert isinstance(error.value, ValueError)
    return str(error.value)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        (PromptSourceSettings, {"factory": "my.data.rows", "path": "rows"}),
        (PromptSourceSettings, {"factory": "my.data.rows", "name": "owner/rows"}),
        (PromptSourceSettings, {"path": "rows", "name": "owner/rows"}),
        (PromptSourceSettings, {"factory": "my.data.rows", "path": "rows", "name": "owner/rows"}),
        (PreferenceSourceSettings, {"factory": "my.data.pairs", "jsonl_path": "pairs.jsonl"}),
        (PreferenceSourceSettings, {"factory": "my.data.pairs", "tar_path": "pairs.tar"}),
        (PreferenceSourceSettings, {"factory": "my.data.pairs", "synthetic_pairs": 8}),
        (PreferenceSourceSettings, {"jsonl_path": "pairs.jsonl", "tar_path": "pairs.tar", "synthetic_pairs": 8}),
    ],
)
def test_selectors_exclude_each_other(model: Any, settings: dict[str, Any]) -> None:
    """The refusal holds the name and the value of each selector that is set, and needs nothing to be there."""
    said = refusal(model, settings)
    assert all(f"{name}={value!r}" in said for name, value in settings.items())


@pytest.mark.parametrize("empty", [None, ""])
def test_empty_selectors_are_not_set(empty: Any) -> None:
    """None, the empty string and the number 0 leave a selector out."""
    prompts = PromptSourceSettings(factory="my.data.rows", path=empty, name=empty)
    assert prompts.selected == {"factory": "my.data.rows"}
    pairs = PreferenceSourceSettings(factory=empty, jsonl_path="pairs.jsonl", tar_path=empty, synthetic_pairs=0)
    assert pairs.selected == {"jsonl_path": "pairs.jsonl"}
    assert PreferenceSourceSettings(synthetic_pairs=0).selected == {}


@pytest.mark.parametrize("other", [{}, {"factory": ""}, {"path": "rows"}])
def test_keyword_arguments_need_a_factory(other: dict[str, Any]) -> None:
    """Arguments that no factory would get are refused with their value, beside another selector and beside none."""
    said = refusal(PromptSourceSettings, {"factory_kwargs": {"count": 3}, **other})
    assert "expected a factory for factory_kwargs={'count': 3}" in said


def test_keyword_arguments_keep_their_types() -> None:
    """A number stays a number and a string a string, to any depth."""
    given = {"count": 3, "text": "3", "rate": 1.0, "deep": {"on": True, "none": None, "list": [1, 1.0, "1"]}}
    kept = PromptSourceSettings(factory="my.data.rows", factory_kwargs=given).factory_kwargs
    assert repr(kept) == repr(given)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ((1, 2), "factory_kwargs.x: expected plain JSON data .* got tuple"),
        ({1: 2}, "factory_kwargs.x: the key 1 is of type int"),
        ([Path("rows")], r"factory_kwargs.x\[0\]: expected plain JSON data .* got pathlib"),
        (float("nan"), "factory_kwargs.x: nan is not in JSON"),
    ],
)
def test_keyword_arguments_are_plain_data(value: Any, said: str) -> None:
    """What no file can record is refused with its place."""
    with pytest.raises(ValidationError, match=said):
        PromptSourceSettings(factory="my.data.rows", factory_kwargs={"x": value})


@pytest.mark.parametrize("value", ["on", "Strict", "", None, False, True, 0])
def test_cursor_resume_has_three_values(value: Any) -> None:
    """Anything but off, auto and strict is refused, and auto is the default."""
    said = refusal(PromptSourceSettings, {"cursor_resume": value})
    assert "'off', 'auto' or 'strict'" in said
    assert PreferenceSourceSettings().cursor_resume == PromptSourceSettings().cursor_resume == "auto"


@pytest.mark.parametrize(
    ("model", "settings", "named"),
    [
        (PromptSourceSettings, {"metadata_columns": "topic"}, "metadata_columns"),
        (PromptSourceSettings, {"metadata_columns": ["topic", ""]}, "metadata_columns.1"),
        (PromptSourceSettings, {"prompt_column": ""}, "prompt_column"),
        (PromptSourceSettings, {"prompt_column": None}, "prompt_column"),
        (PromptSourceSettings, {"respones_column": "answer"}, "respones_column"),
        (PromptSourceSettings, {"jsonl_path": "pairs.jsonl"}, "jsonl_path"),
        (PreferenceSourceSettings, {"synthetic_pairs": -1}, "synthetic_pairs"),
        (PreferenceSourceSettings, {"synthetic_pairs": "8"}, "synthetic_pairs"),
        (PreferenceSourceSettings, {"synthetic_pairs": True}, "synthetic_pairs"),
        (PreferenceSourceSettings, {"shuffle": "yes"}, "shuffle"),
        (PreferenceSourceSettings, {"prompt_column": "question"}, "prompt_column"),
    ],
)
def test_a_setting_of_another_kind_or_type_is_refused(model: Any, settings: dict[str, Any], named: str) -> None:
    """Nothing is converted, and a setting that is not there is no setting."""
    assert f"\n{named}\n" in refusal(model, settings)


def test_a_configuration_keeps_its_other_keys_to_itself() -> None:
    """Sections of a run's own, and keys of its own beside the settings, are left alone."""
    document = {
        "trainer": {"steps": 10},
        "rl": {"gamma": 1.0, "data": {"factory": "my.data.rows", "max_tokens": 512}},
        "data_packer": {"factory": None, "threads": 2},
    }
    config = RunConfig.model_validate(document)
    assert config.sources()["rl.data"].selected == {"factory": "my.data.rows"}
    assert dotted_paths(document) == {"rl.data.factory": "my.data.rows"}


def test_a_configuration_names_every_dotted_path_that_is_set() -> None:
    """Factories of sources and packers and row functions come with the full key of their setting, in order."""
    document = {
        "rl": {
            "data": {"factory": "my.data.rows", "items_fn": "my.data.shorten"},
            "validation": {"data": {"factory": "my.data.held_out", "items_fn": ""}},
        },
        "data_packer": {"factory": "my.packers.student", "teacher_model_factory": "my.packers.teacher"},
    }
    assert dotted_paths(document) == {
        "rl.data.factory": "my.data.rows",
        "rl.data.items_fn": "my.data.shorten",
        "rl.validation.data.factory": "my.data.held_out",
        "data_packer.factory": "my.packers.student",
        "data_packer.teacher_model_factory": "my.packers.teacher",
    }


@pytest.mark.parametrize(
    "document", [{}, {"rl": None}, {"rl": {"data": None, "validation": None}, "data_packer": None}]
)
def test_a_configuration_without_sections_names_nothing(document: dict[str, Any]) -> None:
    """Sections that are missing or null choose nothing."""
    assert (RunConfig.model_validate(document).sources(), dotted_paths(document)) == ({}, {})


@pytest.mark.parametrize("document", [3, [], {"rl": 3}, {"rl": {"data": ["a.b"]}}, {"data_packer": {"factory": 3}}])
def test_paths_are_found_in_what_is_no_configuration(document: Any) -> None:
    """What cannot be a path is none, so that all others are looked at beside the refusal."""
    assert dotted_paths(document) == {}


def test_a_section_is_of_preferences_where_one_of_their_sources_is_set() -> None:
    """A run whose schema lists the keys of both kinds is told by what is set; keys of the other kind are its own."""
    both = {"factory": "", "path": None, "prompt_column": "prompt", "jsonl_path": "", "synthetic_pairs": 0}
    for given, kind in (
        ({"tar_path": "pairs.tar"}, PreferenceSourceSettings),
        ({"synthetic_pairs": 4, "shuffle": True}, PreferenceSourceSettings),
        ({"path": "rows.jsonl", "shuffle": True}, PromptSourceSettings),
        ({"factory": "my.data.rows"}, PromptSourceSettings),
    ):
        source = RunConfig.model_validate({"rl": {"data": {**both, **given}}}).sources()["rl.data"]
        assert isinstance(source, kind)
        assert RunConfig.model_validate({"rl": {"data": source}}).sources() == {"rl.data": source}


def test_sources_of_both_kinds_exclude_each_other() -> None:
    """A file of pairs beside a file of prompts is two sources, whatever the kind of the run."""
    said = refusal(RunConfig, {"rl": {"data": {"factory": "my.data.pairs", "jsonl_path": "a", "path": "b"}}})
    assert "expected one source at most, got factory='my.data.pairs', jsonl_path='a', path='b'" in said


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"rl": {"data": {"respones_column": "a"}}}, "'respones_column' (did you mean 'response_column'?)"),
        ({"rl": {"data": {"factroy": "a.b"}}}, "'factroy' (did you mean 'factory'?)"),
        ({"rl": {"validation": {"dat": {}}}}, "'dat' (did you mean 'data'?)"),
        ({"data_packer": {"teacher_model_factroy": "a.b"}}, "(did you mean 'teacher_model_factory'?)"),
        ({"data_paker": {"factory": "a.b"}}, "'data_paker' (did you mean 'data_packer'?)"),
    ],
)
def test_a_slip_of_the_pen_is_no_key_of_the_run(document: dict[str, Any], said: str) -> None:
    """A key that is almost the name of a setting is refused, for it would be a setting that nobody applies."""
    assert said in refusal(RunConfig, document)
