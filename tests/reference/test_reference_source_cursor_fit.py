"""Whether a saved cursor fits: which fields count, and how a difference is told."""

import copy
from typing import Any

import pytest
from cursor_documents import document, fresh

from packer_reference.sources import misfits


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["schema_version"], 2, "schema_version: 2 in the cursor, 1 is read here"),
        (["schema_version"], True, "schema_version: True in the cursor, 1 is read here"),
        (["schema_version"], 1.0, "schema_version: 1.0 in the cursor, 1 is read here"),
        (["name"], "other", 'name: "other" in the cursor, "" here'),
        (["source", "seed"], 1, "source.seed: 1 in the cursor, 0 here"),
        (["source", "seed"], False, "source.seed: Input should be a valid integer, got False"),
        (["source", "shuffle"], True, "source.shuffle: true in the cursor, false here"),
        (["source", "more"], 1, "source.more: Extra inputs are not permitted, got 1"),
        (["workers", 0, "index"], 12, "expected each index of worker 0 up to 11, got [(0, 12)]"),
        (["batches"], -1, "batches: Input should be greater than or equal to 0, got -1"),
    ],
)
def test_a_field_that_differs_or_is_wrong_is_told(path: list[Any], value: Any, said: str) -> None:
    """The field as the document spells it, what is there, and what was expected."""
    changed: Any = document()
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert misfits(changed, fresh()) == [said]


@pytest.mark.parametrize("name", [name for name in document() if name != "schema_version"])
def test_a_missing_field_is_told(name: str) -> None:
    """No field has a default, so that the empty dictionary is no beginning."""
    changed = document()
    del changed[name]
    assert misfits(changed, fresh()) == [f"{name}: is missing"]
    assert misfits({}, fresh()) == ["schema_version: None in the cursor, 1 is read here"]


def test_places_and_the_order_of_keys_are_no_difference() -> None:
    """A cursor fits wherever its loader stands."""
    turned = dict(reversed(document().items()))
    assert misfits(turned, fresh()) == misfits(fresh(), document()) == []


def test_a_partition_a_mixture_and_a_joint_loader_are_compared_whole() -> None:
    """Names of parts and loaders, their ratios and sources count; 1 and 1.0 are one ratio, and places do not count."""
    part = {
        **document()["source"],
        "kind": "rank_partitioned",
        "part": {"name": "a", "shard_rank": 0, "shard_world_size": 1},
    }
    assert misfits(document(source=part), document(source=part)) == []
    other = copy.deepcopy(part)
    other["part"]["name"] = "b"
    assert misfits(document(source=other), document(source=part)) == ['source.part.name: "b" in the cursor, "a" here']

    def mixture(ratio: float, name: str = "workers") -> dict[str, Any]:
        parts = {name: {"ratio": ratio, "source": document()["source"]}}
        worker = {"worker_id": 0, "draws": 3, "parts": {name: {"epoch": 0, "index": 2}}, "set_aside": []}
        return document(source={"kind": "mixture", "seed": 0, "parts": parts}, workers=[worker])

    assert misfits(mixture(1), mixture(1.0)) == []
    assert misfits(mixture(2), mixture(1)) == ["source.parts.workers.ratio: 2.0 in the cursor, 1.0 here"]
    assert "source.parts.b.ratio: 1.0 in the cursor, nothing here" in misfits(mixture(1, "b"), mixture(1))
    assert 'source.kind: "mixture" in the cursor, "map" here' in misfits(mixture(1), fresh())

    def joint(**inner: Any) -> dict[str, Any]:
        loaders = {"a": {**document(), **inner}, "global_id": inner.get("batches", 4)}
        source = {"kind": "joint", "seed": 0, "ratios": {"a": 1}}
        return {"schema_version": 1, "name": "", "source": source, "loaders": loaders}

    assert misfits(joint(batches=9), joint()) == []
    assert misfits(joint(name="b"), joint()) == ['loaders.a.name: "b" in the cursor, "" here']
