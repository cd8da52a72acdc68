"""How cases are generated: repeatable, shared out among the models, and kept when they fail."""

import importlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from packproof.corpus import Corpus
from packproof.models import EMBEDDED
from packproof.registry import check_for
from packproof.search import search
from packproof.zoo import good_members


def test_cases_do_not_depend_on_the_modules_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing a module full of numbers changes no generated case."""
    subject = good_members()[0].subject()
    before = Corpus(0, 100).cases(check_for("COLL-7"), subject)
    (tmp_path / "module_full_of_numbers.py").write_text(f"NUMBERS = {list(range(150, 550))}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("module_full_of_numbers")
    assert Corpus(0, 100).cases(check_for("COLL-7"), subject) == before


@pytest.mark.parametrize("seed", range(3))
def test_every_model_gets_its_share(seed: int) -> None:
    """Of a hundred cases every one of the four embedded models gets 25."""
    models: Counter[str] = Counter()
    searches = check_for("MASK-2").searches(good_members()[0].subject())
    search(lambda case: models.update([case.model]), searches, cases=100, seed=seed)
    assert dict(models) == dict.fromkeys(EMBEDDED, 25)


def test_cases_that_name_no_model_are_generated_once() -> None:
    """A rule about selection has one search, and not one for each model."""
    assert len(check_for("SEL-4").searches(good_members()[0].subject())) == 1


def test_a_kept_failure_outlives_searches_that_pass(tmp_path: Path) -> None:
    """What failed on one model is tried first in the next search, though it passes on the model searched before."""
    searches = [("qwen", st.integers(0, 99)), ("odd/name", st.integers(100, 10**9))]

    def fails_at(limit: int) -> list[int]:
        seen: list[int] = []

        def run(case: Any) -> None:
            seen.append(case)
            assert case < limit

        with pytest.raises(AssertionError):
            search(run, searches, cases=200, seed=0, repeatable=False, database=tmp_path)
        return [case for case in seen if case >= 100]

    found = fails_at(12345)
    assert found[0] != 12345 == found[-1], "it takes a search"
    assert fails_at(12345)[0] == 12345
