"""Callables by path, and what their errors tell apart."""

import os.path
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from packer_reference import CallableImportError, load_callable, make_packer


@pytest.fixture
def extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Writes a module that the test can import, and forgets it afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(name: str, text: str) -> None:
        path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    yield write
    for name in set(sys.modules) - before:
        if name.startswith("ext"):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("os.path:join", os.path.join),
        ("os.path.join", os.path.join),
        ("packer_reference.decoder_only:make_packer", make_packer),
        ("packer_reference.decoder_only.make_packer", make_packer),
        ("packer_reference.make_packer", make_packer),
        ("pathlib:Path.cwd", Path.cwd),
        ("pathlib.Path.cwd", Path.cwd),
    ],
)
def test_both_spellings(path: str, found: object) -> None:
    """A colon or a dot before the name, and names inside a class, lead to the same callable."""
    assert load_callable(path) == found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("no_such_module:make", "there is no module 'no_such_module'"),
        ("no_such_module.make", "there is no module 'no_such_module'"),
        ("packer_reference.no_such:make", "there is no module 'packer_reference.no_such'"),
        ("os.path:jion", "'posixpath' has no attribute 'jion'; did you mean 'join'"),
        ("packer_reference.mak_packer", "no attribute 'mak_packer'; did you mean 'make_packer'"),
        ("packer_reference.no_such.make", "'packer_reference' has no attribute 'no_such'"),
        ("make_packer", "no path of a callable"),
        ("", "no path of a callable"),
        ("module:", "no path of a callable"),
        (":name", "no path of a callable"),
        (".module:name", "no path of a callable"),
        ("a/b.py:name", "no path of a callable"),
    ],
)
def test_not_found(path: str, text: str) -> None:
    """Module, attribute and spelling errors differ, and each holds the path."""
    with pytest.raises(CallableImportError) as error:
        load_callable(path)
    assert repr(path) in str(error.value)
    assert text in str(error.value)
    assert isinstance(error.value, ImportError)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("import no_such_dependency", "importing 'ext_mod' failed: No module named 'no_such_dependency'"),
        ("raise RuntimeError('no licence here')", "importing 'ext_mod' failed: RuntimeError: no licence here"),
        ("def broken(:", "importing 'ext_mod' failed: SyntaxError"),
        ("from os import no_such_name", "importing 'ext_mod' failed: ImportError: cannot import name"),
    ],
)
def test_import_that_fails(extension: Callable[[str, str], None], body: str, text: str) -> None:
    """A module that is there and fails to import shows its own cause."""
    extension("ext_mod", body)
    for path in ("ext_mod:make", "ext_mod.make"):
        with pytest.raises(CallableImportError) as error:
            load_callable(path)
        assert f"{path!r}: {text}" in str(error.value)


def test_failing_parent_package(extension: Callable[[str, str], None]) -> None:
    """A package whose own import fails is not taken for a missing module."""
    extension("ext_pkg.__init__", "1 / 0")
    extension("ext_pkg.mod", "def make(): ...")
    with pytest.raises(CallableImportError, match=r"failed: ZeroDivisionError"):
        load_callable("ext_pkg.mod.make")


def test_not_callable() -> None:
    """An object that cannot be called is named by type and path."""
    with pytest.raises(TypeError, match=r"'os.path:sep' is a str and cannot be called"):
        load_callable("os.path:sep")
    with pytest.raises(TypeError, match=r"expected a path"):
        load_callable(None)  # pyright: ignore[reportArgumentType]


def test_package_import_is_light() -> None:
    """Importing the package, or what it holds beside the packers, loads neither torch nor transformers."""
    names = "packer_reference, packer_reference.moe, packer_reference.rewards, packer_reference.roles"
    code = f"import {names}, packer_reference.rollouts, sys\n"
    code += "sys.exit(str({'torch', 'transformers', 'vllm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "set()"
