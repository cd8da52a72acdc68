"""The reference as a run that takes sources in: the steps of `packer_reference.sources` behind one object."""

import copy
import logging
from typing import Any

import pytest

import packer_reference
from packer_reference import ReferenceRun
from packer_reference.sources import ReferenceRun as FromSources
from packer_schemas import SourceRun

PROMPTS = {"factory": "user_sources.rows", "prompt_column": "question"}


@pytest.fixture
def run() -> ReferenceRun:
    return ReferenceRun()


def test_it_is_a_source_run(run: ReferenceRun) -> None:
    """The object has the methods of the protocol, under both names that it is exported by."""
    assert isinstance(run, SourceRun)
    assert FromSources is ReferenceRun
    assert "ReferenceRun" in packer_reference.__all__


def test_settings_are_plain_data_and_stay_as_they_were(run: ReferenceRun) -> None:
    """A mapping of settings is enough, and is not written into."""
    settings: dict[str, Any] = {**PROMPTS, "factory_kwargs": {"count": 3}}
    given = copy.deepcopy(settings)
    opened = run.open_prompts(given)
    assert (len(opened), opened[2].representations) == (3, {"prompt": "What is 2 + 1?"})
    assert run.recorded(given) == given == settings
    assert run.recorded(PROMPTS)["factory_kwargs"] == {}


def test_preferences_are_triples(run: ReferenceRun) -> None:
    """A preference is the triple of the source, with containers of its own."""
    opened = run.open_preferences({"factory": "user_sources.Pairs"})
    opened[0][1].clear()
    assert opened[0][1] == {"completion": "preferred-0"}


def test_settings_that_are_none_are_refused(run: ReferenceRun) -> None:
    """A setting that there is not, and a value of another type, are errors that name it."""
    with pytest.raises(ValueError, match=r"prompt_colum\b"):
        run.open_prompts({**PROMPTS, "prompt_colum": "question"})
    with pytest.raises(ValueError, match="metadata_columns"):
        run.open_prompts({**PROMPTS, "metadata_columns": "topic"})


def test_a_cursor_of_its_own_loader_is_restored(run: ReferenceRun, caplog: pytest.LogCaptureFixture) -> None:
    """The loader is one rank of one; a document of two ranks does not fit, and a start by `off` is told."""
    opened = run.open_prompts({"factory": "user_sources.Sums", "prompt_column": "question"})
    document = {
        "schema_version": 1,
        "name": "",
        "source": {
            "kind": "map",
            "length": 100,
            "seed": 0,
            "shuffle": False,
            "fingerprint": run.saved_fingerprint(opened),
        },
        "dp_rank": 0,
        "dp_world_size": 1,
        "num_workers": 0,
        "batches": 4,
        "next_worker": 0,
        "workers": [{"worker_id": 0, "epoch": 0, "index": 3, "set_aside": []}],
    }
    saved = {"checkpoint": "step-4", "documents": [document]}
    assert run.decide_cursor("strict", opened, None) == "start"
    assert run.decide_cursor("auto", opened, saved) == "restore"
    with caplog.at_level(logging.WARNING):
        assert run.decide_cursor("off", opened, saved) == "start"
    assert "step-4" in caplog.text
    two = {"checkpoint": "step-4", "documents": [{**document, "dp_world_size": 2}, None]}
    with pytest.raises(ValueError, match="1 have none"):
        run.decide_cursor("auto", opened, two)


def test_the_driver_imports_and_calls_nothing(run: ReferenceRun) -> None:
    """A configuration with good paths passes, and a bad one names its path, or the key of a setting."""
    config: dict[str, Any] = {"rl": {"data": {"factory": "user_sources.raising"}}}
    run.preflight(config)
    with pytest.raises(ImportError, match=r"user_sources\.risen"):
        run.preflight({"rl": {"data": {"factory": "user_sources.risen"}}})
    with pytest.raises(TypeError, match=r"user_sources\.ROWS"):
        run.preflight({**config, "data_packer": {"factory": "user_sources.ROWS"}})
    with pytest.raises(ValueError, match=r"rl\.data"):
        run.preflight({"rl": {"data": {"factory": "user_sources.raising", "path": "rows.jsonl"}}})


def test_held_out_pairs_are_compared_by_name(run: ReferenceRun) -> None:
    """Two opened sources share ids or do not; no pair is read for it."""
    first = run.open_preferences({"factory": "user_sources.Unreadable", "factory_kwargs": {"count": 3}})
    apart = {"count": 3, "first": 3}
    run.refuse_overlap(first, run.open_preferences({"factory": "user_sources.Unreadable", "factory_kwargs": apart}))
    with pytest.raises(ValueError, match="3 ids are in both"):
        run.refuse_overlap(first, first)
