"""Strategies for what a run that takes sources in is tried on: settings, rows, paths, ids, and saved cursors."""

from itertools import product
from typing import Any, get_args

from hypothesis import strategies as st

from packer_schemas.source_run_cases import (
    Columns,
    ColumnsCase,
    ColumnSetting,
    CursorCase,
    FactoryCallCase,
    FingerprintCase,
    MissingColumnCase,
    NoSource,
    OverlapCase,
    PathKey,
    PathKind,
    PreflightCase,
    RaisedByFactory,
    ReturnedCase,
    SavedCursor,
    SelectorsCase,
    SourceKind,
    SpoiledIds,
    UnreachableCase,
    Way,
    WhyUnreachable,
    WrittenItemCase,
)
from packproof.source_runs.saved_cursors import MODES

__all__ = [
    "columns",
    "cursors",
    "factory_calls",
    "fingerprints",
    "missing_columns",
    "overlaps",
    "preflights",
    "returned_things",
    "selectors",
    "unreachable_paths",
    "written_items",
]

_of = st.sampled_from(get_args(SourceKind))


def _one_of(literal: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(literal))


_names = st.sampled_from(["count", "seed", "names", "options", "path", "split"])
_scalars = st.sampled_from([3, 0, -1, 2**64, 1.0, 0.5, True, False, None, "3", "1.0", "true", "null", "", "a b", "é"])
_nested = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["count", "3", "a b"]), inner, max_size=2)
    ),
    max_leaves=4,
)

_telling = st.sampled_from(
    [3, None, 1.0, "3", [1.0], {"count": "3"}, 0.1234567891, 1e-7, "$HOME/rows", "~/rows", "${HOME}"]
)


def factory_calls() -> st.SearchStrategy[FactoryCallCase]:
    """Keyword arguments of the kinds that configurations lose on the way."""
    return st.builds(FactoryCallCase, of=_of, kwargs=st.dictionaries(_names, _telling | _nested, max_size=3))


def returned_things() -> st.SearchStrategy[ReturnedCase]:
    """Everything that is no source, for prompts and for preferences."""
    return st.builds(ReturnedCase, of=_of, what=_one_of(NoSource))


def written_items() -> st.SearchStrategy[WrittenItemCase]:
    """A list, within up to three containers, in every place where a sample has one; lists of media as they are."""
    places = [("prompt", "the consumer"), ("reference", "the consumer"), ("metadata", "the consumer")]
    places += [("preferences", "the consumer"), ("prompt", "items_fn"), ("metadata", "items_fn")]
    media = [("image", "the consumer"), ("video", "the consumer")]
    ways = st.lists(_one_of(Way), max_size=3)
    within = st.builds(_written_item, ways, st.sampled_from(places))
    return within | st.builds(_written_item, st.just([]), st.sampled_from(media))


def _written_item(ways: Any, place: Any) -> WrittenItemCase:
    return WrittenItemCase(ways=ways, place=place[0], by=place[1])


_values = st.sampled_from(["four", "", None, 7, 0, False, ["a", 1], {"a": None}, []])
_images = st.sampled_from([None, "cat.png", ["cat.png"], ["cat.png", "dog.png"], []])
_clip = {"type": "video", "video": "run.mp4", "fps": 2.5, "total_num_frames": 4, "frames_indices": [0, 2]}
_videos = st.sampled_from([None, _clip, [_clip], [_clip, _clip | {"video": "sit.mp4"}]])
_talk = [{"role": "user", "content": "1 + 1"}]


def columns() -> st.SearchStrategy[ColumnsCase]:
    """Rows and settings; beside media columns prompts are texts, but for a conversation now and then."""
    drawn = {
        "prompt": st.sampled_from(["prompt", "question"]),
        "response": _maybe("answer"),
        "id": _maybe("uid"),
        "media": st.sampled_from([[], [], ["image"], ["video"], ["image", "video"], ["image", "video"]]),
        "metadata": st.lists(st.sampled_from(["solution", "topic", "uid"]), max_size=2, unique=True),
        "rest": st.lists(st.sampled_from(["reference", "split"]), unique=True),
        "items_fn": st.booleans(),
        "read_only": st.booleans(),
        "talk": st.sampled_from([False, False, False, True]),
    }
    return st.builds(_columns, st.fixed_dictionaries(drawn), st.lists(_row(), min_size=1, max_size=3))


def _maybe(column: str) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, column])


def _row() -> st.SearchStrategy[dict[str, Any]]:
    plain = dict.fromkeys(("answer", "uid", "solution", "topic", "reference", "split"), _values)
    texts = {name: st.sampled_from(["1 + 1", ""]) for name in ("prompt", "question")}
    return st.fixed_dictionaries({**texts, **plain, "image": _images, "clip": _videos})


def _columns(drawn: dict[str, Any], rows: list[dict[str, Any]]) -> ColumnsCase:
    """A case of rows that have the columns drawn and no others; the last prompt may be a conversation."""
    named = {name: drawn[name] for name in ("prompt", "response", "id") if drawn[name]}
    named |= {name: {"image": "image", "video": "clip"}[name] for name in drawn["media"]}
    has = {*named.values(), *drawn["metadata"], *drawn["rest"]}
    rows = [{name: value for name, value in row.items() if name in has} for row in rows]
    if drawn["talk"]:
        rows[-1][drawn["prompt"]] = _talk

    def written(column: str) -> str:
        return column.upper() if drawn["items_fn"] else column

    settings = {f"{name}_column": written(column) for name, column in named.items()}
    chosen = Columns(**settings, metadata_columns=[written(column) for column in drawn["metadata"]])
    return ColumnsCase(rows=rows, columns=chosen, items_fn=drawn["items_fn"], read_only=drawn["read_only"])


def missing_columns() -> st.SearchStrategy[MissingColumnCase]:
    """Every setting, at the first row and at later ones."""
    return st.builds(
        MissingColumnCase,
        setting=_one_of(ColumnSetting),
        at=st.sampled_from([0, 1, 17]),
        items_fn=st.booleans(),
    )


def fingerprints() -> st.SearchStrategy[FingerprintCase]:
    """Words of every sort, and none at all."""
    words = st.sampled_from(["sums-v1", None, "é", 'a "b"', "a, b", "\u2028"])
    return st.builds(FingerprintCase, of=_of, words=words, length=st.integers(1, 13))


_WITHOUT_WORDS: tuple[SavedCursor, ...] = (
    "a new run",
    "no cursor",
    "the same",
    "length",
    "fingerprint",
    "no fingerprint",
)


_OF_BOTH: tuple[SavedCursor, ...] = ("a new run", "no cursor", "the same", "length")


def _starts() -> list[CursorCase]:
    """Every cell of the chapter's table, over sources of several lengths; for preferences one of each situation."""
    cells = [(mode, saved, True) for mode, saved in product(("auto", "strict", "off"), get_args(SavedCursor))]
    cells += [(mode, saved, False) for mode, saved in product(("auto", "strict", "off"), _WITHOUT_WORDS)]
    cells += [(mode, saved, True) for mode, saved in product(("Auto", "", "on"), ("a new run", "the same", "length"))]
    starts = [
        CursorCase(mode=mode, saved=saved, fingerprinted=words, length=3 + at % 11, read=at % 3)
        for at, (mode, saved, words) in enumerate(cells)
    ]
    pairs = [one for one in starts if one.mode in MODES and one.saved in _OF_BOTH]
    return starts + [
        one.model_copy(update={"of": "preferences"}) for one in pairs if one.fingerprinted or one.saved == "a new run"
    ]


def cursors() -> st.SearchStrategy[CursorCase]:
    """Every cell of the chapter's table, and modes that are none."""
    return st.sampled_from(_starts())


_ids = st.lists(st.sampled_from(["row-ant", "row-bee", "row-cat", "row-dog", "row-é"]), min_size=1, unique=True)


def overlaps() -> st.SearchStrategy[OverlapCase]:
    """Two sources that share some ids or none, or do not name their items, or not as they should."""
    apart = st.permutations(["row-ant", "row-bee", "row-cat", "row-dog"]).map(lambda ids: (ids[:2], ids[2:]))
    pairs = apart | st.tuples(_ids, _ids)
    unnamed = st.tuples(st.none(), _ids) | st.tuples(_ids, st.none())
    two = st.permutations(["row-ant", "row-bee", "row-cat", "row-dog"]).map(lambda ids: (ids[:2], ids[2:]))
    spoiled = st.sampled_from([one for one in get_args(SpoiledIds) if one != "nothing"])
    sides = st.sampled_from(["training", "held_out"])
    return st.one_of(
        st.builds(_overlap, _of, pairs),
        st.builds(_overlap, _of, unnamed),
        st.builds(_overlap, _of, two, spoiled, sides),
    )


def _overlap(of: Any, ids: Any, spoiled: Any = "nothing", side: Any = "training") -> OverlapCase:
    return OverlapCase(of=of, training=ids[0], held_out=ids[1], spoiled=spoiled, side=side)


_SELECTORS: dict[SourceKind, dict[str, str | int]] = {
    "prompts": {"path": "shelf/rows.jsonl", "name": "nobody/shelf"},
    "preferences": {"jsonl_path": "shelf/pairs.jsonl", "tar_path": "shelf/pairs.tar", "synthetic_pairs": 3},
}


def selectors() -> st.SearchStrategy[SelectorsCase]:
    """A factory beside selectors that are set and others that are not, and keyword arguments without a factory."""
    return _of.flatmap(_selectors)


def _selectors(of: SourceKind) -> st.SearchStrategy[SelectorsCase]:
    given = _SELECTORS[of]
    unset = st.fixed_dictionaries(
        {}, optional={name: st.sampled_from([None, 0 if value == 3 else ""]) for name, value in given.items()}
    )
    some = st.lists(st.sampled_from(list(given)), min_size=1, unique=True)
    beside = st.builds(lambda unset, names: unset | {name: given[name] for name in names}, unset, some)
    several = unset.map(lambda unset: unset | given)
    one = st.builds(lambda unset, name: unset | {name: given[name]}, unset, st.sampled_from(list(given)))
    return st.one_of(
        st.builds(SelectorsCase, of=st.just(of), others=beside, kwargs=st.booleans()),
        st.builds(SelectorsCase, of=st.just(of), others=several, factory=st.just(False)),
        st.builds(SelectorsCase, of=st.just(of), others=unset, kwargs=st.booleans()),
        st.builds(SelectorsCase, of=st.just(of), others=unset | one, factory=st.just(False), kwargs=st.just(True)),
    )


def preflights() -> st.SearchStrategy[PreflightCase]:
    """Every setting that holds a path, and everything a path may lead to; with validation and without."""
    keys = list(get_args(PathKey))
    outside = [key for key in keys if not key.startswith("rl.validation")]
    with_it = st.builds(PreflightCase, key=st.sampled_from(keys), path=_one_of(PathKind))
    without = st.builds(PreflightCase, key=st.sampled_from(outside), path=_one_of(PathKind), validation=st.just(False))
    return with_it | without


def unreachable_paths() -> st.SearchStrategy[UnreachableCase]:
    """Every way not to get a source; a factory that raises is one for each of its errors."""
    ways = [(why, "FileNotFoundError") for why in get_args(WhyUnreachable) if why != "raises"]
    ways += [("raises", raised) for raised in get_args(RaisedByFactory)]
    return st.builds(lambda of, way: UnreachableCase(of=of, why=way[0], raised=way[1]), _of, st.sampled_from(ways))
