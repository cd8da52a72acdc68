"""A loader's state and wire geometry: counts that have to agree, and settings that need each other."""

from typing import Any

import pytest
from pydantic import ValidationError

from packer_schemas import DataloaderState, WireGeometry
from packer_schemas.dataloader_state import LoaderState


def state(**changes: Any) -> dict[str, Any]:
    """A valid state with two workers, changed."""
    workers = [{"worker_id": number, "epoch": 0, "index": -1, "set_aside": []} for number in (0, 1)]
    source = {"kind": "map", "length": 9, "seed": 0, "shuffle": True, "fingerprint": ""}
    own = {"schema_version": 1, "name": "", "source": source, "dp_rank": 0, "dp_world_size": 1, "num_workers": 2}
    return {**own, "batches": 0, "next_worker": 1, "workers": workers, **changes}


def test_a_loader_without_workers_has_one_position() -> None:
    """Without workers the rank's own process is number 0."""
    one = DataloaderState.model_validate(state(num_workers=0, next_worker=0, workers=state()["workers"][:1]))
    assert isinstance(one.root, LoaderState)
    assert [worker.index for worker in one.root.workers] == [-1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dp_rank": 1}, r"expected dp_rank < dp_world_size \(1\), got 1"),
        ({"next_worker": 2}, r"expected next_worker < max\(1, num_workers\) \(2\), got 2"),
        ({"num_workers": 0, "next_worker": 0}, r"expected workers with the worker_id 0 to 0 in order, got \[0, 1\]"),
        ({"workers": state()["workers"][::-1]}, r"expected workers .* 0 to 1 in order, got \[1, 0\]"),
        ({"workers": []}, "at least 1 item"),
        ({"batches": -1}, "batches"),
        ({"batches": True}, "batches"),
        ({"batches": 1.0}, "batches"),
        ({"source": {**state()["source"], "length": 0}}, "length"),
        ({"source": {**state()["source"], "shuffle": 1}}, "shuffle"),
        ({"source": {**state()["source"], "kind": "My source"}}, "kind"),
        ({"workers": [{**state()["workers"][0], "index": -2}, state()["workers"][1]]}, "index"),
        ({"workers": [{**state()["workers"][0], "set_aside": [{"epoch": 0, "index": -1}]}]}, "set_aside"),
        ({"epoch": 3}, "epoch"),
    ],
)
def test_a_state_whose_counts_disagree_is_refused(changes: dict[str, Any], said: str) -> None:
    """A rank beyond the world, a worker that is not there, and numbers out of range are refused by name."""
    with pytest.raises(ValidationError, match=said):
        DataloaderState.model_validate(state(**changes))


def test_counts_beyond_all_memory_cost_nothing() -> None:
    """A number of workers that no list could hold is refused by the workers that are there; a long source is read."""
    with pytest.raises(ValidationError, match=r"expected workers with the worker_id 0 to 9{20} in order, got \[0, 1\]"):
        DataloaderState.model_validate(state(num_workers=10**20))
    read = DataloaderState.model_validate(state(source={**state()["source"], "length": 10**22}))
    assert isinstance(read.root, LoaderState)
    assert read.root.source.length == 10**22


def test_geometry_is_told_by_field() -> None:
    """One key for each media field; the shapes and the settings are all given."""
    tag = {"shapes": [[3, 4], []], "preprocess_mode": None, "preprocess_kwargs": {}}
    geometry = WireGeometry.model_validate({"pixel_values__row_shapes": tag})
    field = geometry.root["pixel_values__row_shapes"]
    assert (field.shapes, field.preprocess_mode, field.preprocess_kwargs) == ([[3, 4], []], None, {})


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ({"pixel_values": {"shapes": []}}, "__row_shapes"),
        ({"__row_shapes": {"shapes": []}}, "__row_shapes"),
        ({"a__row_shapes": {}}, "shapes"),
        ({"a__row_shapes": {"shapes": [[-1]]}}, "shapes"),
        ({"a__row_shapes": {"shapes": [[True]]}}, "shapes"),
        ({"a__row_shapes": {"shapes": [], "preprocess_mode": "resize"}}, "preprocess_mode"),
        ({"a__row_shapes": {"shapes": [], "pad_to": 3}}, "pad_to"),
    ],
)
def test_geometry_that_is_none_is_refused(tags: dict[str, Any], said: str) -> None:
    """Other keys, shapes that are no counts, unknown modes and unknown settings are refused by name."""
    with pytest.raises(ValidationError, match=said):
        WireGeometry.model_validate(tags)


@pytest.mark.parametrize("kwargs", [{"patch_dim": 0}, {"patch_dim": 14.0}, {"patch_dim": True}, {"pad": 1}])
def test_the_size_of_a_patch_is_a_whole_number_of_pixels(kwargs: dict[str, Any]) -> None:
    """`patch_dim` below one pixel, a fraction, a bool, and any other argument are refused."""
    tags = {"a__row_shapes": {"shapes": [], "preprocess_mode": "patchify", "preprocess_kwargs": kwargs}}
    with pytest.raises(ValidationError, match="preprocess_kwargs"):
        WireGeometry.model_validate(tags)


def test_patchify_needs_the_size_of_a_patch() -> None:
    """`patchify` without `patch_dim` is refused; other modes need none."""
    tags = {"a__row_shapes": {"shapes": [], "preprocess_mode": "patchify", "preprocess_kwargs": {}}}
    with pytest.raises(ValidationError, match="expected an integer patch_dim >= 1 in preprocess_kwargs"):
        WireGeometry.model_validate(tags)
    tags["a__row_shapes"]["preprocess_mode"] = "pad_to_max_shape"
    WireGeometry.model_validate(tags)
