"""A packer's class in a module on disk, whose source somebody is to hash (IDENT-15)."""

import importlib.util
import linecache
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from packer_schemas.identity_cases import ClassSourceCase

__all__ = ["class_on_disk"]

_numbers = count(1)


@contextmanager
def class_on_disk(case: ClassSourceCase) -> Iterator[tuple[Any, list[str]]]:
    """A packer of the case's class, from a module on disk, and the source texts of that class and of its base."""
    body = [f"    {line}".rstrip() for line in case.body]
    texts = [f"class Packer{'(Base)' if case.base else ''}:\n" + "\n".join(body) + "\n"]
    if case.base:
        texts.append("class Base:\n" + "\n".join(f"    {line}".rstrip() for line in case.base) + "\n")
    module, name = "".join(reversed(texts)), f"packproof_class_source_{next(_numbers)}"
    for depth in range(case.depth):
        module = f"def made_{depth}():\n{textwrap.indent(module, '    ')}    return {_inner(depth)}\n"
    with tempfile.TemporaryDirectory(prefix="packproof-") as folder:
        file = Path(folder, f"{name}.py")
        file.write_text(module + "\n" * 2, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(loaded)
            yield (getattr(loaded, f"made_{case.depth - 1}")() if case.depth else loaded.Packer)(), texts
        finally:
            del sys.modules[name]
            linecache.checkcache(str(file))


def _inner(depth: int) -> str:
    return f"made_{depth - 1}()" if depth else "Packer"
