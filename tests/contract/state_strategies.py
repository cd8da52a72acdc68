"""Strategies for the state of a data loader: documents whose counts and names agree, without a filter."""

from typing import Any

from case_strategies import counts, floats, names
from hypothesis import strategies as st

from packer_schemas import DataloaderState

ratios = floats.map(abs)
last_places = st.fixed_dictionaries({"epoch": counts, "index": st.integers(-1, 2**40)})
places = {"epoch": counts, "index": counts}
dataset: dict[str, Any] = {
    "length": st.integers(1, 2**40),
    "seed": st.integers(),
    "shuffle": st.booleans(),
    "fingerprint": st.none() | names,
}
map_sources = st.fixed_dictionaries({"kind": st.just("map"), **dataset})
given_parts = st.fixed_dictionaries({"name": names, "shard_rank": counts, "shard_world_size": st.integers(1, 99)})
partitioned = st.fixed_dictionaries({"kind": st.just("rank_partitioned"), **dataset, "part": given_parts})
sources = map_sources | partitioned


@st.composite
def _frames(draw: st.DrawFn) -> dict[str, Any]:
    """What documents of all loaders but joint ones hold, apart from the source and the places of the workers."""
    num_workers, world = draw(st.integers(0, 3)), draw(st.integers(1, 9))
    return {
        "schema_version": 1,
        "name": draw(st.text(max_size=8)),
        "dp_rank": draw(st.integers(0, world - 1)),
        "dp_world_size": world,
        "num_workers": num_workers,
        "batches": draw(counts),
        "next_worker": draw(st.integers(0, max(1, num_workers) - 1)),
        "workers": [{"worker_id": number} for number in range(max(1, num_workers))],
    }


@st.composite
def _loaders(draw: st.DrawFn) -> dict[str, Any]:
    """The document of a loader over one dataset, whose places lie in the workers' slices, each told once."""
    frame, source = draw(_frames()), draw(sources)
    rank, world = frame["dp_rank"], frame["dp_world_size"]
    if part := source.get("part"):
        rank, world = min(part["shard_rank"], part["shard_world_size"] - 1), part["shard_world_size"]
        source = {**source, "part": {**part, "shard_rank": rank}}
    streams = world * len(frame["workers"])
    source = {**source, "length": max(source["length"], streams)}
    workers = []
    for worker in frame["workers"]:
        first = rank * len(frame["workers"]) + worker["worker_id"]
        last = (source["length"] - 1 - first) // streams
        own, *aside = draw(st.lists(st.tuples(counts, counts), min_size=1, max_size=3))
        told = dict.fromkeys((epoch, min(index, last)) for epoch, index in (own, *aside))
        (epoch, index), *set_aside = told
        if not set_aside and draw(st.booleans()):
            index = -1
        places_aside = [{"epoch": one, "index": at} for one, at in set_aside]
        workers.append({**worker, "epoch": epoch, "index": index, "set_aside": places_aside})
    return {**frame, "source": source, "workers": workers}


@st.composite
def _mixtures(draw: st.DrawFn) -> dict[str, Any]:
    """The document of a loader over a mixture, whose workers know its parts alone."""
    frame = draw(_frames())
    part = st.fixed_dictionaries({"ratio": ratios, "source": sources})
    parts = draw(st.dictionaries(names, part, min_size=1, max_size=2))
    one = st.sampled_from(sorted(parts))
    read = st.dictionaries(one, last_places, max_size=2)
    set_aside = st.lists(st.fixed_dictionaries({"part": one, **places}), max_size=2)
    workers = [
        {**worker, "draws": draw(counts), "parts": draw(read), "set_aside": draw(set_aside)}
        for worker in frame["workers"]
    ]
    return {**frame, "source": {"kind": "mixture", "seed": draw(st.integers()), "parts": parts}, "workers": workers}


@st.composite
def _joints(draw: st.DrawFn) -> dict[str, Any]:
    """The document of a joint loader, with one for each loader in it."""
    loaders = draw(st.dictionaries(names, _loaders() | _mixtures(), min_size=1, max_size=2))
    weights = {name: draw(ratios) for name in loaders}
    source = {"kind": "joint", "seed": draw(st.integers()), "ratios": weights}
    return {
        "schema_version": 1,
        "name": draw(names),
        "source": source,
        "loaders": {**loaders, "global_id": draw(counts)},
    }


dataloader_states = st.builds(DataloaderState.model_validate, _loaders() | _mixtures() | _joints())
