"""Vectors of chapter wire: payloads and tags that do not go together, the columns of a worker, and their names."""

from itertools import pairwise
from typing import Any

from packer_spec.oracle import columns, wire
from packer_spec.vectors.arrays import array, written
from packer_spec.vectors.probe import Group, Probe, Refusal

__all__ = ["GROUPS", "decoded", "present", "reassembled"]

_FIELD = "pixel_values"
_PAD = "pad_to_max_shape"


def decoded(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle reads from a payload and tags."""
    return _container(wire.decode(given["field"], _jagged(given["jagged"]), given["tags"]))


def reassembled(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle makes of columns."""
    read = {name: _column(column) for name, column in given["columns"]}
    after = columns.reassembled(read, given["tags"])
    return {"columns": [[name, _told(column)] for name, column in after.items()]}


def present(given: dict[str, Any]) -> dict[str, Any]:
    """The names that the oracle finds."""
    return {"names": columns.present(given["names"])}


def _jagged(given: dict[str, Any]) -> wire.Jagged:
    return wire.Jagged(given["dtype"], tuple(given["values"]), tuple(given["offsets"]))


def _container(packed: wire.Packed) -> dict[str, Any]:
    return {
        "rows": [[written(segment) for segment in row] for row in packed.rows],
        "preprocess_mode": packed.preprocess_mode,
        "preprocess_kwargs": dict(packed.preprocess_kwargs),
    }


def _column(given: dict[str, Any]) -> columns.Column:
    ((kind, content),) = given.items()
    if kind == "jagged":
        return _jagged(content)
    if kind == "dense":
        return array(content)
    rows = tuple(tuple(array(segment) for segment in row) for row in content["rows"])
    return wire.Packed(rows, content["preprocess_mode"], content["preprocess_kwargs"])


def _told(column: columns.Column) -> dict[str, Any]:
    if isinstance(column, wire.Jagged):
        return {"jagged": {"dtype": column.dtype, "values": list(column.values), "offsets": list(column.offsets)}}
    if isinstance(column, wire.Packed):
        return {"container": _container(column)}
    return {"dense": written(column)}


def _payload(*offsets: int, count: int | None = None, dtype: str = "float32") -> dict[str, Any]:
    """A payload whose values count up from 10; as many as the last offset says, if not told otherwise."""
    values = list(range(10, 10 + (offsets[-1] if count is None else count)))
    return {"dtype": dtype, "values": values, "offsets": list(offsets)}


def _tag(shapes: Any, *, field: str = _FIELD, mode: Any = None, kwargs: Any = None) -> dict[str, Any]:
    content = {"shapes": shapes, "preprocess_mode": mode, "preprocess_kwargs": {} if kwargs is None else kwargs}
    return {f"{field}__row_shapes": content}


def _unread(note: str, payload: dict[str, Any], tags: Any, *mentions: str, kind: str = "ValueError") -> Probe:
    given = {"kind": "decode", "field": _FIELD, "jagged": payload, "tags": tags}
    return Probe(note, given, Refusal(kind, (_FIELD, *mentions)))


def _settings(note: str, row: int, *tags: dict[str, Any]) -> Probe:
    """Tags of rows of the shape [1, 2, 2], of which one is at fault."""
    return _unread(note, _payload(*range(0, 4 * len(tags) + 1, 4)), list(tags), str(row))


def _shapes(note: str, shapes: Any) -> Probe:
    """A tag for row 1 with these shapes."""
    return _unread(note, _payload(0, 2, 4), [_tag([[1, 2]]), _tag(shapes)], "1")


def _offsets(note: str, *offsets: int, count: int) -> Probe:
    tags = [_tag([[size]]) for size in (max(0, b - a) for a, b in pairwise(offsets))]
    return _unread(note, _payload(*offsets, count=count), tags, "offsets")


def _dtype(note: str, dtype: str) -> Probe:
    return _unread(note, _payload(0, 2, dtype=dtype), [_tag([[1, 2]])], dtype, kind="TypeError")


def _patches(size: Any = None, **more: Any) -> dict[str, Any]:
    return _tag([[1, 2, 2]], mode="patchify", kwargs=({} if size is None else {"patch_dim": size}) | more)


def _columns(note: str, tags: Any, refusal: Refusal | None = None, **read: dict[str, Any]) -> Probe:
    return Probe(note, {"kind": "reassemble", "columns": [list(item) for item in read.items()], "tags": tags}, refusal)


def _names(note: str, names: list[str] | None) -> Probe:
    return Probe(note, {"kind": "present", "names": names})


TWO = {"jagged": _payload(0, 2, 5)}
IDS = {"jagged": _payload(0, 3, 4, dtype="int64")}
DENSE = {"dense": {"dtype": "int64", "shape": [2, 2], "values": [0, 1, 1, 0]}}
GRID = {"jagged": {"dtype": "int64", "values": [1, 2, 2], "offsets": [0, 3, 3]}}
NOTHING = {"jagged": {"dtype": "float32", "values": [], "offsets": [0]}}
MADE = {
    "container": {
        "rows": [[{"dtype": "float32", "shape": [1, 2], "values": [10, 11]}], []],
        "preprocess_mode": None,
        "preprocess_kwargs": {},
    }
}
TAGS = [_tag([[1, 2]], mode=_PAD), _tag([[1, 3]], mode=_PAD)]
GRID_TAGS = [_tag([[1, 3]], field="image_grid_thw"), _tag([], field="image_grid_thw")]
BOTH = [one | other for one, other in zip(TAGS, GRID_TAGS, strict=True)]

GROUPS = (
    Group(
        "WIRE-8",
        [
            _offsets("offsets that do not begin with 0", 1, 3, count=3),
            _offsets("offsets that end before the last element", 0, 2, 4, count=5),
            _offsets("offsets that end behind the last element", 0, 2, 4, count=3),
            _offsets("offsets that go down", 0, 3, 2, 4, count=4),
            _offsets("elements without a row", 0, 0, count=1),
            _dtype("a dtype that the wire does not have", "uint16"),
            _dtype("a complex dtype", "complex64"),
            _dtype("a dtype by another name", "half"),
        ],
    ),
    Group(
        "WIRE-15",
        [
            _shapes("shapes that are nothing", None),
            _shapes("a shape in the place of a list of shapes", [1, 2]),
            _shapes("shapes a level too deep", [[[1, 2]]]),
            _shapes("a size that is true", [[True, 2]]),
            _shapes("a size that is a text", [["1", 2]]),
            _shapes("a size with a fraction", [[0.5, 4]]),
            _unread("a tag that is a list", _payload(0, 2), [{"pixel_values__row_shapes": [[1, 2]]}], "0"),
            _unread("a tag that is nothing", _payload(0, 2), [{"pixel_values__row_shapes": None}], "0"),
        ],
    ),
    Group(
        "WIRE-15",
        [
            _settings("patches of the size 0", 0, _patches(0)),
            _settings("patches of a negative size", 0, _patches(-2)),
            _settings("patches of a size that is a text", 0, _patches("2")),
            _settings("patches of a size that is true", 0, _patches(True)),
            _settings("a kwarg that the constructor does not know", 1, _patches(2), _patches(2, stride=2)),
            _settings("a kwarg that the constructor does not know, without a mode", 0, _tag([[4]], kwargs={"size": 4})),
            _settings("kwargs in a list", 0, _tag([[4]], kwargs=[])),
            _settings("a mode that is a number", 0, _tag([[4]], mode=0)),
            _settings("patches of two sizes", 1, _patches(2), _patches(1)),
            _settings("the third row has other settings than the first two", 2, _patches(2), _patches(2), _patches(1)),
            _settings("the first row is the odd one: the second is named", 1, _patches(1), _patches(2), _patches(2)),
            _settings("1 and true are two values", 1, _patches(1), _patches(True)),
        ],
    ),
    Group(
        "WIRE-14",
        [
            _columns(
                "a packed payload is rebuilt, a per-token one is left alone", TAGS, pixel_values=TWO, token_type_ids=IDS
            ),
            _columns(
                "the order of the columns stays", BOTH, token_type_ids=DENSE, pixel_values=TWO, image_grid_thw=GRID
            ),
            _columns(
                "a name in neither set is left alone, ragged or not", TAGS, notes=IDS, pixel_values=TWO, ids=DENSE
            ),
            _columns("a container that is there already", TAGS, pixel_values=MADE),
            _columns("a container beside a payload of another field", BOTH, image_grid_thw=GRID, pixel_values=MADE),
            _columns("a dense column that no sample has a tag for", TAGS, image_sizes=DENSE, pixel_values=TWO),
            _columns(
                "no packed name holds a tensor: tags are not looked at", None, input_ids=DENSE, token_type_ids=IDS
            ),
            _columns("tags of a field that is not among the columns", BOTH, pixel_values=TWO),
            _columns(
                "a tag under the name of a per-token field",
                [_tag([[3]], field="token_type_ids"), _tag([[1]], field="token_type_ids")],
                token_type_ids=IDS,
            ),
            _columns("no columns", None),
        ],
    ),
    Group(
        "WIRE-5",
        [
            _columns("a payload of no rows is left out", [], input_ids=DENSE, pixel_values=NOTHING),
            _columns("a payload of no rows, without tags", None, pixel_values=NOTHING),
            _columns("a payload of no rows under a name in neither set stays", None, notes=NOTHING),
        ],
    ),
    Group(
        "WIRE-15",
        [
            _columns(
                "one of two fields has no tags",
                TAGS,
                Refusal("ValueError", ("image_grid_thw",)),
                pixel_values=TWO,
                image_grid_thw=GRID,
            ),
            _columns(
                "a packed name that is tagged arrives dense",
                [{}, TAGS[1]],
                Refusal("ValueError", (_FIELD,)),
                pixel_values=DENSE,
            ),
            _columns("a ragged packed column and no tags", None, Refusal("ValueError", (_FIELD,)), pixel_values=TWO),
        ],
    ),
    Group(
        "WIRE-11",
        [
            _names("the example of the chapter", ["video_grid_thw", "input_ids", "pixel_values"]),
            _names(
                "by code point, and both sets together", ["token_type_ids", "num_frames", "mm_owned_mask", "imgs_sizes"]
            ),
            _names("a name that was written twice is there once", ["pixel_values", "num_frames", "pixel_values"]),
            _names(
                "names that only begin like a registered one", ["pixel_values_flat", "pixel", "num_frames__row_shapes"]
            ),
            _names("a name in other letters", ["Pixel_Values", "pixel_values_videos"]),
            _names("no names", []),
            _names("nothing, which counts as no names", None),
        ],
    ),
    Group(
        "WIRE-8",
        [
            _unread(
                "the second of three rows is shorter than its shapes",
                _payload(0, 2, 7, 9),
                [_tag([[2]]), _tag([[2, 3]]), _tag([[2]])],
                *("1", "6", "5"),
            ),
            _unread(
                "two rows do not fit: the first of them is named",
                _payload(0, 2, 9, 18),
                [_tag([[2]]), _tag([[3]]), _tag([[4]])],
                *("1", "3", "7"),
            ),
        ],
    ),
)
