"""The vector files themselves: fresh, valid, and about every rule of the core level that plain data can show."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from outcomes import mentioned

from packer_schemas.schema_files import load_schema
from packer_schemas.vectors import VECTOR_FILES
from packer_spec import requirements
from packer_spec.vectors import VECTOR_NAMES, text_of
from packer_spec.vectors.probe import MENTIONS, Group, Probe, Refusal, vectors_of
from packproof.traceability import WITHOUT_VECTORS

FOLDER = Path(__file__).parents[2] / "conformance" / "vectors"

CORE = ("masks", "authority", "collation")

by_name = pytest.mark.parametrize("name", VECTOR_NAMES)


def read(name: str) -> dict[str, Any]:
    """A vector file as plain JSON."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))


@by_name
def test_a_file_is_as_the_oracle_writes_it(name: str) -> None:
    """The committed file is, byte for byte, what `python -m packer_spec.vectors conformance/vectors` writes."""
    assert (FOLDER / f"{name}.json").read_bytes() == text_of(name).encode("ascii")


def test_the_command_writes_all_files(tmp_path: Path) -> None:
    """The command writes one file for each name and nothing else, with nothing of ours but the spec on its path."""
    spec = FOLDER.parents[1] / "spec"
    command = [sys.executable, "-I", "-S", "-c", f"import sys, runpy; sys.path.insert(0, {str(spec)!r}); "]
    command[-1] += f"sys.argv[1:] = [{str(tmp_path)!r}]; runpy.run_module('packer_spec.vectors', run_name='__main__')"
    subprocess.run(command, check=True, timeout=60)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {f"{name}.json": (FOLDER / f"{name}.json").read_bytes() for name in VECTOR_NAMES}


def test_the_command_wants_a_folder() -> None:
    """Without a folder the command says how it is used."""
    done = subprocess.run([sys.executable, "-m", "packer_spec.vectors"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (
        1,
        "usage: python -m packer_spec.vectors FOLDER, in a checkout conformance/vectors",
    )


def test_the_command_makes_no_folder(tmp_path: Path) -> None:
    """A folder that is not there is named, and is not made."""
    command = [sys.executable, "-m", "packer_spec.vectors", str(tmp_path / "absent")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert done.stderr.startswith(f"{tmp_path / 'absent'}: is no folder")


def test_every_file_has_a_model_and_every_model_a_file() -> None:
    """The tables, the models and the files have the same names."""
    assert sorted(VECTOR_FILES) == sorted(VECTOR_NAMES) == sorted(path.stem for path in FOLDER.glob("*.json"))


@by_name
def test_a_file_validates_against_its_model_and_its_schema(name: str) -> None:
    """The Pydantic model takes the file and loses nothing, and the published schema that the file names takes it."""
    model, text = VECTOR_FILES[name], read(name)
    assert json.loads(model.model_validate(text).model_dump_json(by_alias=True, exclude_unset=True)) == text
    schema = load_schema(f"vectors-{name}")
    assert text["$schema"] == schema["$id"]
    jsonschema.Draft202012Validator(schema).validate(text)


@by_name
@pytest.mark.parametrize("outcome", [{}, {"expected": "kept", "error": {"kind": "ValueError", "mentions": []}}])
def test_a_vector_has_exactly_one_outcome(name: str, outcome: dict[str, Any]) -> None:
    """A vector with neither answer nor refusal, or with both, fits neither the model nor the schema."""
    model, text = VECTOR_FILES[name], read(name)
    first = next(one for one in text["vectors"] if "expected" in one)
    kept = first.pop("expected")
    first.update({key: kept if value == "kept" else value for key, value in outcome.items()})
    with pytest.raises(ValueError, match="needs either expected or error"):
        model.model_validate(text)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(model.model_json_schema()).validate(text)


@by_name
def test_a_vector_names_itself_and_its_rule(name: str) -> None:
    """Ids count up without a hole, notes are there, and requirements are those of the spec."""
    vectors = read(name)["vectors"]
    assert [one["id"] for one in vectors] == [f"{name}-{number:03}" for number in range(1, len(vectors) + 1)]
    assert {one["requirement"] for one in vectors} <= set(requirements())
    assert all(one["note"] for one in vectors)


@by_name
def test_no_two_vectors_of_a_rule_ask_the_same(name: str) -> None:
    """Within a rule every input is there once."""
    asked = [json.dumps([one["requirement"], one["input"]]) for one in read(name)["vectors"]]
    assert len(asked) == len(set(asked))


def test_every_rule_of_three_chapters_has_vectors() -> None:
    """Masks, authority and collation are covered rule by rule, apart from what plain data cannot show."""
    covered = {one["requirement"] for name in CORE for one in read(name)["vectors"]}
    rules = {item.id for item in requirements().values() if item.chapter in ("masks", "authority", "collation")}
    assert covered == rules - set(WITHOUT_VECTORS)


@by_name
def test_a_vector_file_has_answers_and_refusals(name: str) -> None:
    """Every file has at least twenty answers and two refusals."""
    outcomes = ["error" in one for one in read(name)["vectors"]]
    assert outcomes.count(False) >= 20
    assert outcomes.count(True) >= 2


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        (Refusal("ValueError"), "answers"),
        (Refusal("TypeError", ("7",)), "raises ValueError"),
        (Refusal("ValueError", ("70",)), "raises ValueError"),
    ],
)
def test_a_table_that_is_wrong_about_a_refusal_is_found(refusal: Refusal, says: str) -> None:
    """An input that the oracle takes, or refuses otherwise than the table says, stops the generation."""

    def answer(given: dict[str, Any]) -> dict[str, Any]:
        if refusal.mentions:
            raise ValueError("7 is refused")
        return given

    with pytest.raises(AssertionError, match=says):
        vectors_of("masks", [Group("", [Probe("a note", {}, refusal)])], answer)


MET_BY_ANOTHER = {"masks-028", "masks-029", "sharding-014", "sharding-016", "wire-037", "wire-040"}
"""Each has neighbours of the same rule with numbers of which none is met in another."""


@by_name
def test_a_mention_is_not_met_by_accident(name: str) -> None:
    """No mention of a vector is met where the message says another one, so that leaving one out shows."""
    for vector in (one for one in read(name)["vectors"] if "error" in one):
        words = vector["error"]["mentions"]
        met = [
            one for at, one in enumerate(words) if any(mentioned(one, other) for other in words[:at] + words[at + 1 :])
        ]
        assert bool(met) == (vector["id"] in MET_BY_ANOTHER), (vector["id"], met)


@by_name
def test_a_file_says_how_its_errors_are_read(name: str) -> None:
    """The description of each file says in prose what `kind` and `mentions` ask for."""
    assert read(name)["description"].endswith(MENTIONS)
