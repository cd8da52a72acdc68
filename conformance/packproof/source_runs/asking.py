"""How checks ask a run: sources opened from settings, answers and refusals demanded, warnings overheard."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from packer_schemas.source_run_cases import SourceKind
from packproof.driver import REFUSALS, calling, finished, refusal, short
from packproof.load import describe
from packproof.source_runs.spelling import spelled
from packproof.sources.subject import SourceSubject
from packproof.violation import CallFailed, Violation

__all__ = [
    "STOCK",
    "answered",
    "expect_named",
    "item_of",
    "message_of",
    "open_call",
    "opened",
    "overhearing",
    "pointing",
    "refused",
    "shown",
]

STOCK = "packproof.source_runs.stock"
"""Where the kit's own factories are."""


def pointing(factory: str, *, module: str = STOCK, **kwargs: Any) -> dict[str, Any]:
    """Settings that name one of the kit's factories, with its keyword arguments where there are any."""
    return {"factory": f"{module}.{factory}"} | ({"factory_kwargs": kwargs} if kwargs else {})


def open_call(of: SourceKind, settings: Mapping[str, Any]) -> str:
    """`open_prompts(...)` as one would type it, shortened."""
    return f"open_{of}({short(dict(settings))})"


def answered(subject: SourceSubject, call: str, run: Callable[[], Any], wanted: str = "an answer") -> Any:
    """The answer of a call that nothing may be refused in; a refusal is a violation."""
    with calling(call, subject.note):
        try:
            return finished(run(), call)
        except CallFailed:
            raise
        except REFUSALS as error:
            raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}") from None


def opened(subject: SourceSubject, of: SourceKind, settings: Mapping[str, Any]) -> Any:
    """What the run makes of settings that are good."""
    asked = subject.run.open_prompts if of == "prompts" else subject.run.open_preferences
    return answered(subject, open_call(of, settings), lambda: asked(settings), "a source")


def item_of(subject: SourceSubject, source: Any, index: int, call: str) -> dict[str, Any] | tuple[Any, ...]:
    """The representations of the sample at an index, or the triple there."""
    call = f"{call}[{index}]"

    def read() -> Any:
        item = source[index]
        return item if isinstance(item, tuple) else dict(item.representations)

    item = answered(subject, call, read, "an item")
    with calling(f"{call}, described", subject.note):
        spelled(item)  # here, so that an item that cannot be read is the run's fault wherever it is compared
    return item


def refused(
    subject: SourceSubject,
    call: str,
    run: Callable[[], Any],
    *names: str,
    kinds: tuple[type[Exception], ...] = (ValueError,),
) -> Exception:
    """Demand an error of one of `kinds` whose message holds all `names`, and hand it back."""
    kind = "an error" if kinds == (Exception,) else " or ".join(one.__name__ for one in kinds)
    wanted = f"{kind} that names {', '.join(names)}" if names else kind
    error = refusal(call, run, subject.note, accept=kinds, wording=wanted, show=shown)
    if isinstance(error, CallFailed):
        raise error
    expect_named(call, error, *names, wanted=wanted)
    return error


def shown(answer: Any) -> str:
    """An answer in a message: its type, where it is neither a text nor None."""
    return repr(answer) if answer is None or type(answer) is str else f"a {type(answer).__name__}"


def expect_named(call: str, error: BaseException, *names: str, wanted: str = "") -> None:
    """Demand that the message of an error holds all `names`."""
    said = describe(error) if not names else message_of(error)
    missing = [name for name in names if name not in said]
    if missing:
        fault = f"the message does not name {missing[0]}"
        expected = wanted or f"an error that names {', '.join(names)}"
        raise Violation.of(call, expected=expected, got=f"raised {describe(error)}", fault=fault) from None


def message_of(error: BaseException) -> str:
    """What an error says; nothing, where its text cannot be read."""
    try:
        return str(error)
    except Exception:
        return ""


@contextmanager
def overhearing() -> Iterator[list[str]]:
    """Within the block, what is logged at level warning or above and reaches the root logger."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    ear, root = Ear(logging.WARNING), logging.getLogger()
    root.addHandler(ear)
    try:
        yield heard
    finally:
        root.removeHandler(ear)
