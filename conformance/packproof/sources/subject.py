"""The data source under test: built fresh from its factory with keyword arguments, beside the run that takes it in."""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from packer_schemas.source_protocols import FingerprintedSource, IndexedSource, MembershipSource
from packproof import limits
from packproof.capabilities import satisfies
from packproof.driver import calling, finished, short
from packproof.flight_recorder import FlightRecorder
from packproof.load import load_callable
from packproof.sources.paths import absolute
from packproof.tested import Tested, name_of
from packproof.violation import CallFailed, Unexercised, UsageError

__all__ = ["SourceSubject"]

_WANTED = "a map-style object with __len__ and __getitem__ that is not empty"
_CAPABILITIES = (IndexedSource, FingerprintedSource, MembershipSource)


class SourceSubject(Tested):
    """One data source under test, a run that takes sources in, or both.

    `target` is `module:factory`, a dotted path, or the factory itself, called with `kwargs`; a relative path of a file
    among them is made absolute, for other processes work in other folders. `run` is a `SourceRun`, for the rules that
    bind the run, and `run_target` what it was loaded from. `UsageError` where there is neither, and for a factory that
    gives no source.
    """

    noun: ClassVar[str] = "source"
    bound: ClassVar[str] = "data sources and runs"
    named_with: ClassVar[str] = "--source module:factory, or --source-run"
    levels: ClassVar[tuple[str, ...]] = ("source",)

    def __init__(
        self,
        target: str | Callable[..., Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        *,
        label: str = "source",
        run: Any = None,
        run_target: str = "",
        recorder: FlightRecorder | None = None,
    ) -> None:
        if target is None and run is None:
            raise UsageError("expected a source, a run, or both; got neither.")
        super().__init__(name_of(target or run_target or type(run)), label, recorder)
        self.hidden = ""
        self.run = run
        self.run_target = run_target or name_of(type(run))
        if not isinstance(kwargs, Mapping | None):
            raise UsageError(f"kwargs {short(kwargs)}: expected keyword arguments, a mapping, or none.")
        self.given = dict(kwargs or {})
        self.kwargs = {name: absolute(value, Path.cwd()) for name, value in self.given.items()}
        self.factory: Callable[..., Any] | None = None
        if run is not None:
            self.capabilities |= {"SourceRun"}
        if target is None:
            return
        self.note(f"importing {self.target}")
        self.factory = load_callable(target, "--source") if isinstance(target, str) else target
        first = self._first()
        self.capabilities |= {one.__name__ for one in _CAPABILITIES if satisfies(first, one)}
        self.note("")

    @property
    def call(self) -> str:
        """The call of the factory, as one would type it."""
        return self.call_with(self.kwargs)

    def call_with(self, kwargs: Mapping[str, Any]) -> str:
        """The same with other arguments."""
        return f"{self.target}({', '.join(f'{name}={self.shown(value)}' for name, value in kwargs.items())})"

    def shown(self, value: Any) -> str:
        """A value on one line, in which copies of a file lie in no particular folder, so that equal runs read alike."""
        return short(_replaced(value, self.hidden) if self.hidden else value)

    @property
    def source(self) -> Any:
        """The source that is kept between cases."""
        if "source" not in self.kept:
            self.kept["source"] = self.build()
        return self.kept["source"]

    def build(self, kwargs: Mapping[str, Any] | None = None) -> Any:
        """A source straight from the factory, with other arguments if these are given; `CallFailed` for none."""
        given = self.kwargs if kwargs is None else kwargs
        call = self.call_with(given)
        assert self.factory is not None, "rules on a source need IndexedSource"
        with calling(call, self.note), limits.setting_up():
            source = finished(self.factory(**copy.deepcopy(dict(given))), call)
        if inspect.isclass(source):
            raise CallFailed(call, f"returned the class {source.__name__}", "an instance of it")
        if isinstance(source, Mapping | str | bytes) or not satisfies(source, IndexedSource):
            hint = "; return one of its values" if isinstance(source, Mapping) else ""
            raise CallFailed(call, f"returned {_kind(source)}", f"{_WANTED}{hint}")
        return source

    def length(self, source: Any) -> int:
        """`len(source)`; `CallFailed` where it raises."""
        with calling("len(source)", self.note):
            return len(source)

    def count(self, source: Any) -> int:
        """The same; `Unexercised` where there is nothing to be read, of which SOURCE-4 speaks."""
        length = self.length(source)
        if length < 1:
            raise Unexercised(f"len(source) is {length}, of which SOURCE-4 speaks")
        return length

    def item(self, source: Any, index: int) -> Any:
        """`source[index]`; `CallFailed` where it raises."""
        with calling(f"source[{index}]", self.note):
            return finished(source[index], f"source[{index}]")

    def readable(self, source: Any, index: int) -> Any:
        """The item at an index that is to have one; `Unexercised` where it cannot be read, of which SOURCE-4 speaks."""
        try:
            return self.item(source, index)
        except CallFailed as error:
            found = error.counterexample
            raise Unexercised(f"{found.call} {found.got}, of which SOURCE-4 speaks") from None

    def held(self, needs: Sequence[str]) -> tuple[str, str]:
        """`source`, or `run` for the rules that bind one, and its target."""
        of_run = self.factory is None or "SourceRun" in needs
        return ("run", self.run_target) if of_run else super().held(needs)

    def lacks(self, absent: Sequence[str]) -> str:
        """Why a rule that needs these protocols does not apply."""
        if "SourceRun" in absent:
            return "no run named (--source-run)"
        return "no source named (--source)" if self.factory is None else super().lacks(absent)

    def _first(self) -> Any:
        """The first source; what goes wrong is a mistake of the user's."""
        self._expect_arguments(f"--source {self.target!r}: ")
        with self.starting():
            first = self.build()
            if not self.length(first):
                raise CallFailed(self.call, "returned a source of length 0", _WANTED)
            return first

    def _expect_arguments(self, given: str) -> None:
        """`UsageError` for keyword arguments that the factory does not take, or that it lacks."""
        assert self.factory is not None
        try:
            signature = inspect.signature(self.factory)
        except (TypeError, ValueError):
            return  # no signature to read; calling it says what is wrong
        try:
            signature.bind(**self.kwargs)
        except TypeError as error:
            told = ", ".join(self.kwargs) if self.kwargs else "left out"
            raise UsageError(f"{given}the factory cannot be called with --source-kwargs {told}: {error}.") from None


def _replaced(value: Any, folder: str) -> Any:
    """A value in whose texts a folder is left out."""
    if isinstance(value, str):
        return value.replace(folder, "...")
    if type(value) is dict:
        return {name: _replaced(one, folder) for name, one in value.items()}
    return type(value)(_replaced(one, folder) for one in value) if type(value) in (list, tuple) else value


def _kind(source: Any) -> str:
    return "None" if source is None else f"a {type(source).__qualname__}"
