"""The kit runs the vectors on every packer under test: last, so that what is shown is still the smallest case."""

from pathlib import Path
from typing import Any

import pytest
from oracle_packer import OraclePacker

from packproof import check_packer
from packproof.effort import EFFORTS, Settings
from packproof.models import model_path
from packproof.registry import all_checks, check_for
from packproof.runner import run_check
from packproof.subject import Subject
from packproof.vectors import case_of, vector_cases, vectors, vectors_folder
from packproof.zoo.miniature import MiniaturePacker

CORE = ("masks", "authority", "collation")
QUICK = Settings(EFFORTS["quick"])


def test_the_oracle_keeps_every_rule_of_three_chapters() -> None:
    """A packer around the oracle passes all that the kit generates: the spec's formulas are what the checks expect."""
    report = check_packer(OraclePacker, select=["AUTH", "MASK", "COLL"], effort="quick")
    assert {one.status for one in report.subjects[0].outcomes} == {"pass"}


def test_a_file_is_found_by_its_name() -> None:
    """`vectors` gives the vectors of a file in their order, and says which files there are when it is none of them."""
    assert [one.id for one in vectors("masks")][:2] == ["masks-001", "masks-002"]
    with pytest.raises(ValueError, match="no vector file is named 'mask'; choose one of masks, authority, "):
        vectors("mask")


def test_installed_files_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a wheel the files lie beside the loader; in a checkout, where they do not, in `conformance/vectors`."""
    assert vectors_folder() == Path(__file__).parents[2] / "conformance" / "vectors"
    monkeypatch.setattr("packproof.vectors.files.__file__", str(tmp_path / "files.py"))
    (tmp_path / "masks.json").touch()
    assert vectors_folder() == tmp_path


@pytest.mark.parametrize("name", CORE)
def test_special_ids_are_those_of_the_model(name: str) -> None:
    """Where a vector names one of the kit's models, its special ids are that model's, pad falling back to the end."""
    from transformers import AutoTokenizer

    told = {one.input.tokenizer for one in vectors(name) if one.input.tokenizer and one.input.tokenizer.model}
    assert told
    for facts in told:
        tokenizer = AutoTokenizer.from_pretrained(model_path(facts.model))
        pad = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        own = (tokenizer.bos_token_id, tokenizer.eos_token_id, pad)
        assert (facts.bos_token_id, facts.eos_token_id, facts.pad_token_id) == own


def test_every_vector_of_the_core_is_a_case_but_a_few() -> None:
    """All become cases of the kind that their rule takes, but for a mask that no packer makes and odd prompt ids."""
    all_vectors = [one for name in CORE for one in vectors(name)]
    left_out = [one for one in all_vectors if case_of(one) is None]
    of_prompts = [one for one in left_out if one.requirement == "AUTH-8"]
    assert all("prompt_ids" in one.error.mentions for one in of_prompts)
    assert [one.note for one in left_out if one not in of_prompts] == ["the trainer left out one in the middle"]
    for one in all_vectors:
        assert one in left_out or check_for(one.requirement).unfit(case_of(one)) == ""


def test_cases_of_a_rule_are_small_first_and_each_there_once() -> None:
    """The cases of a rule are sorted by size; a rule without vectors has none."""
    for id in all_checks():
        texts = [case.model_dump_json() for case in vector_cases(id)]
        assert texts == sorted(dict.fromkeys(texts), key=len)
    assert vector_cases("LIFE-1") == ()


def test_vectors_of_the_subjects_models_run() -> None:
    """A subject on one model gets the vectors without a model and those of its own, with ids that it has."""
    subject = Subject(MiniaturePacker, models=["tiny-spm"])
    models = {case.model for case in check_for("MASK-7").vector_cases_for(subject)}
    assert models == {"tiny-spm"}
    assert {case.model for case in check_for("AUTH-1").vector_cases_for(subject)} == {None, "tiny-spm"}
    assert len(check_for("COLL-1").vector_cases_for(subject)) < len(check_for("COLL-1").vector_cases)


def test_a_vector_that_fits_no_strategy_is_a_case_to_replay() -> None:
    """Every vector that the kit would show as a counterexample can be given back to it."""
    subject = Subject(MiniaturePacker)
    for id, check in all_checks().items():
        assert {check.misfit(subject, case) for case in check.vector_cases_for(subject)} <= {""}, id


class DropsADoubledBos(MiniaturePacker):
    """Wrong for one prompt that generated cases have not got within a quick run."""

    def _stored_ids(self, given: Any) -> list[int]:
        ids = super()._stored_ids(given)
        return ids[1:] if ids == [1, 1, 110] else ids


def test_a_fault_that_only_a_vector_shows_is_found() -> None:
    """A packer that drops a doubled BOS passes the generated cases, and fails AUTH-1 on the vector."""
    subject = Subject(DropsADoubledBos)
    alone = run_check(check_for("AUTH-1"), subject, Settings(EFFORTS["quick"], stored=False))
    assert alone.status == "pass"
    found = run_check(check_for("AUTH-1"), subject, QUICK)
    assert found.status == "fail"
    assert found.case_file is not None
    assert found.case_file.case in vector_cases("AUTH-1")


class LosesLongAnswers(MiniaturePacker):
    """Wrong for completions of three ids or more, of which the spec's own cases for MASK-2 have none."""

    def _mask(self, prompt_len: int, completion_len: int, ignored: int) -> list[int]:
        mask = super()._mask(prompt_len, completion_len, ignored)
        return mask if completion_len < 3 else [0] * len(mask)


def test_a_fault_that_a_search_shows_is_shown_small() -> None:
    """What generated cases and vectors both show is shown on the smallest generated case, not on a larger vector."""
    found = run_check(check_for("MASK-2"), Subject(LosesLongAnswers), QUICK)
    assert found.case_file is not None
    sample = found.case_file.case.sample
    assert (len(sample.prompt_ids), len(sample.completion)) == (2, 3)
    assert found.case_file.case not in vector_cases("MASK-2")


def test_the_count_of_cases_includes_the_vectors() -> None:
    """A rule that passes ran its stored cases, its generated ones and its vectors."""
    subject = Subject(MiniaturePacker)
    check = check_for("AUTH-6")
    alone = run_check(check, subject, Settings(EFFORTS["quick"], stored=False))
    with_all = run_check(check, subject, QUICK)
    assert with_all.cases == alone.cases + len(check.stored_cases_for(subject)) + len(check.vector_cases_for(subject))
