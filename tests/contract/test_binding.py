"""What a packer declares is found on its class and nowhere else, and the source of that class is bound beside it."""

import importlib
import json
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from pydantic import ValidationError

from packer_schemas import (
    IdentityDocument,
    PackerBinding,
    PackerProcessorIdentity,
    PackerSemanticsIdentity,
    class_source_sha256,
    identity_digest,
)


class Declares:
    """Declares what it was given, by the first method."""

    def __init__(self, value: Any = None) -> None:
        self.value = {"x": 1} if value is None else value

    def validation_semantics_identity(self) -> Any:
        return self.value


class DeclaresBoth(Declares):
    """Declares a processor as well."""

    def processor_semantics_identity(self) -> dict[str, Any]:
        return {"image_token_id": 450}


class OnlyProcessor:
    """Declares a processor alone."""

    processor_semantics_identity = DeclaresBoth.processor_semantics_identity


class CannotVouch(DeclaresBoth):
    """Takes back what it inherits."""

    validation_semantics_identity = None  # pyright: ignore[reportAssignmentType]


class OtherNames:
    """Has much that sounds like a declaration."""

    identity = "my-packer"

    def semantics_identity(self) -> dict[str, Any]:
        return {"x": 1}


class AnswersAnything:
    """Has every attribute that it is asked for, and none on its class."""

    def __getattr__(self, name: str) -> Any:
        return lambda: {"asked": name}


class Colour(Enum):
    """No JSON."""

    RED = 1


class Pair(NamedTuple):
    """A tuple in disguise."""

    a: int


def on_the_instance() -> Any:
    """A packer with a method that is set on the instance alone."""
    packer = OtherNames()
    packer.validation_semantics_identity = lambda: {"x": 1}  # pyright: ignore[reportAttributeAccessIssue]
    return packer


@pytest.mark.parametrize(
    ("packer", "parts"),
    [
        (Declares(), {"semantics": {"x": 1}}),
        (DeclaresBoth(), {"semantics": {"x": 1}, "processor": {"image_token_id": 450}}),
        (OnlyProcessor(), {"processor": {"image_token_id": 450}}),
        (CannotVouch(), {"processor": {"image_token_id": 450}}),
    ],
)
def test_parts_are_the_protocols_that_a_packer_satisfies(packer: Any, parts: dict[str, Any]) -> None:
    """There is one part for each protocol, and the document says which class it is of."""
    identity = PackerBinding.of(packer).identity
    assert identity is not None
    assert {name: part.value for name, part in identity.parts.items()} == parts
    assert identity.packer == f"{__name__}.{type(packer).__name__}"
    assert identity == IdentityDocument.of(packer) == IdentityDocument.make(identity.packer, parts)
    assert isinstance(packer, PackerSemanticsIdentity) == ("semantics" in parts)
    assert isinstance(packer, PackerProcessorIdentity) == ("processor" in parts)


@pytest.mark.parametrize("make", [OtherNames, AnswersAnything, on_the_instance, object], ids=lambda make: make.__name__)
def test_nothing_else_is_a_declaration(make: Callable[[], Any]) -> None:
    """Other names, `__getattr__` and what is set on the instance declare nothing, and asking for a document says so."""
    assert PackerBinding.of(make()).identity is None
    with pytest.raises(TypeError, match=r"^\S+ declares no identity: its class has neither validation_semantics_id"):
        IdentityDocument.of(make())


@pytest.mark.parametrize(("given", "said"), [(None, "got None"), (Declares, "got the class Declares")])
def test_a_packer_is_an_instance(given: Any, said: str) -> None:
    """A class or None in place of a packer is refused, for it would pass for a packer that declares nothing."""
    for make in (PackerBinding.of, IdentityDocument.of):
        with pytest.raises(TypeError, match=rf"expected a packer that is set up, {said}"):
            make(given)


@pytest.mark.parametrize("method", ["validation_semantics_identity", "processor_semantics_identity"])
@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        pytest.param([("x", 1)], TypeError, r" returned a list, expected a mapping", id="list"),
        pytest.param("x", TypeError, r" returned a str, expected a mapping", id="text"),
        pytest.param(0, TypeError, r" returned a int, expected a mapping", id="number"),
        pytest.param({}, ValueError, r" returned an empty dict, expected at least one entry", id="empty"),
        pytest.param({"size": (14, 14)}, TypeError, r": {part}\.size: .*got tuple", id="tuple"),
        pytest.param({"size": [14, Pair(1)]}, TypeError, r": {part}\.size\[1\]: .*\.Pair", id="named tuple"),
        pytest.param({"a.b": {1}}, TypeError, r': {part}\["a\.b"\]: .*got set', id="set"),
        pytest.param({"a": [{"b": b"x"}]}, TypeError, r": {part}\.a\[0\]\.b: .*got bytes", id="bytes"),
        pytest.param({"a": Path("x")}, TypeError, r": {part}\.a: .*Path", id="path"),
        pytest.param({"a": Colour.RED}, TypeError, r": {part}\.a: .*Colour", id="enum"),
        pytest.param({"a": np.float64(2)}, TypeError, r": {part}\.a: .*got numpy\.float64", id="numpy"),
        pytest.param({"a": OrderedDict(b=1)}, TypeError, r": {part}\.a: .*OrderedDict", id="subclass"),
        pytest.param({1: 2}, TypeError, r": {part}: the key 1 is of type int", id="key"),
        pytest.param({"fps": float("nan")}, ValueError, r": {part}\.fps: nan is not in JSON", id="nan"),
        pytest.param({"a": "\ud800"}, ValueError, r": {part}\.a: the lone surrogate", id="surrogate"),
        pytest.param({"a": 10**4300}, ValueError, r": {part}\.a: an integer of more than 4300 digits", id="digits"),
        pytest.param(
            {"t": "x" * 65_529}, ValueError, r": {part}: expected at most 65536 bytes .* got 65537", id="large"
        ),
    ],
)
def test_a_declaration_that_is_none_is_refused(method: str, value: Any, error: type[Exception], said: str) -> None:
    """What is no plain JSON data, empty or too large is refused by class, method and path, and never converted."""
    cls = type("Odd", (), {method: lambda self: value, "__module__": "my.packers"})
    part = "semantics" if method.startswith("validation") else "processor"
    with pytest.raises(error, match=rf"^my\.packers\.Odd\.{method}\(\){said.format(part=part)}"):
        PackerBinding.of(cls())


def test_a_declaration_may_be_exactly_as_large_as_allowed() -> None:
    """65,536 bytes of canonical JSON pass; the 100th level passes and the 101st does not."""
    assert PackerBinding.of(Declares({"t": "x" * 65_528})).identity is not None
    deep: Any = 1
    for _ in range(100):
        deep = {"a": deep}
    assert PackerBinding.of(Declares(deep)).identity is not None
    with pytest.raises(ValueError, match="nested deeper than 100 levels"):
        PackerBinding.of(Declares({"a": deep}))


@pytest.mark.parametrize("wrap", [types.MappingProxyType, OrderedDict])
def test_a_declaration_may_be_any_mapping(wrap: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """A declaration is a mapping of any kind; it is what stands in it that has to be plain."""
    assert PackerBinding.of(Declares(wrap({"x": 1}))) == PackerBinding.of(Declares({"x": 1}))


def test_what_the_method_raises_passes_through() -> None:
    """A packer that is not set up refuses in its own words, and a method that is no method is named."""

    class NotReady(Declares):
        def validation_semantics_identity(self) -> Any:
            raise RuntimeError("call setup first")

    with pytest.raises(RuntimeError, match=r"^call setup first$"):
        PackerBinding.of(NotReady())
    odd = type("Odd", (), {"validation_semantics_identity": {"x": 1}, "__module__": "my.packers"})
    with pytest.raises(TypeError, match=r"^my\.packers\.Odd\.validation_semantics_identity is a dict, expected a meth"):
        PackerBinding.of(odd())
    unset = Declares()
    unset.validation_semantics_identity = None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match=r"Declares\.validation_semantics_identity is a NoneType, expected a method"):
        PackerBinding.of(unset)


def test_a_packer_is_asked_anew_every_time() -> None:
    """Nothing is kept between two bindings, and a binding does not follow the packer."""
    packer = Declares({"x": [1]})
    first = PackerBinding.of(packer)
    packer.value["x"].append(2)
    assert first.identity is not None
    assert first.identity.parts["semantics"].value == {"x": [1]}
    assert PackerBinding.of(packer) != first


def test_a_binding_has_exactly_its_two_fields() -> None:
    """A binding reads back from its JSON; a missing or an added field is refused."""
    binding = PackerBinding.of(Declares())
    saved = json.loads(binding.model_dump_json())
    assert saved.keys() == {"identity", "class_source_sha256"}
    assert PackerBinding.model_validate(saved) == binding
    for broken in ({**saved, "more": 1}, {"identity": saved["identity"]}, {"class_source_sha256": None}):
        with pytest.raises(ValidationError):
            PackerBinding.model_validate(broken)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes a module of a test's own and imports it, each time anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names: set[str] = set()

    def write(text: str, name: str = "packers_of_a_test") -> Any:
        (tmp_path / f"{name}.py").write_bytes(text.encode())
        names.add(name)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write
    for name in names:
        sys.modules.pop(name, None)


def test_the_example_of_the_specification(module: Callable[..., Any]) -> None:
    """The class of IDENT-15 has the hash that stands there."""
    expected = "c9abc1a14a2e76d095b9639bd097bc62508e4e47415e66fef9faaecffd84697e"
    assert class_source_sha256(module("class P:\n    pass\n").P) == expected
    assert identity_digest(["class P:\n    pass\n"]) == expected


def test_line_ends_and_indentation_do_not_count(module: Callable[..., Any]) -> None:
    """A class with other line ends, or inside a function, has the same source; a trailing line feed may be missing."""
    expected = class_source_sha256(module("class P:\n    pass\n").P)
    assert class_source_sha256(module("class P:\r\n    pass\r\n").P) == expected
    assert class_source_sha256(module("def make():\n    class P:\n        pass\n    return P\n").make()) == expected
    assert class_source_sha256(module("x = 1\n\n\nclass P:\n    pass").P) == expected


def test_every_text_of_the_class_counts(module: Callable[..., Any]) -> None:
    """Comments, decorators, a base and the order of the bases are in the hash; the rest of the module is not."""
    source = "import typing\n\n\nclass A:\n    pass\n\n\nclass B:\n    pass\n\n\nclass P(A, B):\n    x = 1\n"
    edits = {
        "comment": ("x = 1", "x = 1  # one"),
        "method": ("x = 1", "x = 2"),
        "decorator": ("class P(", "@typing.final\nclass P("),
        "base": ("class A:\n    pass", "class A:\n    y = 1"),
        "order": ("P(A, B)", "P(B, A)"),
        "fewer": ("P(A, B)", "P(A)"),
    }
    found = {"": class_source_sha256(module(source).P)}
    for name, (old, new) in edits.items():
        found[name] = class_source_sha256(module(source.replace(old, new)).P)
    assert None not in found.values()
    assert len(set(found.values())) == len(found)
    assert class_source_sha256(module(f"# above\n{source}\n\ndef below():\n    return 1\n").P) == found[""]


def test_bases_of_the_standard_library_are_left_out(module: Callable[..., Any]) -> None:
    """A base that comes with Python has no source in the hash, built in or not."""
    text = "import abc, collections, typing\n\n\nclass P({}):\n    pass\n"
    for bases in ("", "dict", "abc.ABC", "collections.UserDict", "typing.Generic[typing.TypeVar('T')]"):
        cls = module(text.format(bases)).P
        assert class_source_sha256(cls) == identity_digest([f"class P({bases}):\n    pass\n"])
    assert class_source_sha256(object) == identity_digest([])


def test_a_module_that_borrows_a_name_of_the_standard_library_counts(
    module: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A packer in somebody's own `sndhdr.py` is no part of Python."""
    name = next(name for name in ("sndhdr", "this", "turtledemo") if name in sys.stdlib_module_names)
    monkeypatch.delitem(sys.modules, name, raising=False)
    cls = module("class P:\n    pass\n", name).P
    assert class_source_sha256(cls) == identity_digest(["class P:\n    pass\n"])


def test_a_text_that_cannot_be_had_makes_the_hash_null(module: Callable[..., Any], tmp_path: Path) -> None:
    """A class made at run time, a compiled one, and one whose file is gone or broken have no hash."""
    assert class_source_sha256(type("Made", (Declares,), {})) is None
    assert class_source_sha256(np.ndarray) is None
    cls = module("class P:\n    pass\n", "goes_away").P
    (tmp_path / "goes_away.py").write_text("class P(:\n")
    assert class_source_sha256(cls) is None
    (tmp_path / "goes_away.py").unlink()
    assert class_source_sha256(cls) is None


def test_the_hash_is_of_a_class() -> None:
    """An instance is refused, with the way to its class."""
    with pytest.raises(TypeError, match=r"got a Declares, expected a class; pass type\(packer\)"):
        class_source_sha256(Declares())  # pyright: ignore[reportArgumentType]
