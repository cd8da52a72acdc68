"""Chapter sources, for whoever takes sources in: what of an item reaches a sample, and what is written into it."""

from typing import Any

from packer_schemas.source_run_cases import ColumnsCase, MissingColumnCase, WrittenItemCase
from packproof.driver import calling, finished
from packproof.load import describe
from packproof.registry import check
from packproof.source_runs import stock
from packproof.source_runs.asking import STOCK, answered, item_of, open_call, opened, pointing, refused
from packproof.source_runs.expected_samples import column_settings, expected_sample, is_refused
from packproof.source_runs.spelling import spelled
from packproof.source_runs.strategies import columns, missing_columns, written_items
from packproof.sources.subject import SourceSubject
from packproof.violation import Unexercised, Violation

__all__: list[str] = []


@check("SOURCE-6", cases=lambda *_: written_items())
def source_6(subject: SourceSubject, case: WrittenItemCase) -> None:
    """What user code writes into the lists and dictionaries of an item does not show when the item is read again."""
    if case.ways and case.place in ("image", "video"):
        raise Unexercised("a media column holds a handle or a block, or a list of them, and no other container")
    of = "preferences" if case.place == "preferences" else "prompts"
    settings = pointing("kept", ways=case.ways, place=case.place)
    if of == "prompts":
        settings |= {"response_column": "answer"} if case.place == "reference" else {}
        settings |= {"metadata_columns": ["note"]} if case.place == "metadata" else {}
        settings |= {"image_column": "picture"} if case.place == "image" else {}
        settings |= {"video_column": "clip"} if case.place == "video" else {}
        settings |= {"items_fn": f"{STOCK}.scribbling"} if case.by == "items_fn" else {}
    call = open_call(of, settings)
    source = opened(subject, of, settings)
    first = _held_at(subject, source, call)
    told = spelled(first)
    if case.by == "the consumer":
        _expect_types(subject, case, first, call)
    answered(subject, f"{call}[0], written into", lambda: stock.write_into(first))
    for time in ("second", "third"):
        again = _held_at(subject, source, f"{call}, read for the {time} time")
        if spelled(again) != told:
            raise Violation.of(f"{call}[0], read for the {time} time", expected=told, got=spelled(again))
        stock.write_into(again)


def _held_at(subject: SourceSubject, source: Any, call: str) -> Any:
    """The run's own object at index 0: the representations of a sample, or a triple; it can be described."""

    def read() -> Any:
        item = source[0]
        found = item if isinstance(item, tuple) else item.representations
        spelled(found)
        return found

    return answered(subject, f"{call}[0]", read, "an item")


def _expect_types(subject: SourceSubject, case: WrittenItemCase, item: Any, call: str) -> None:
    """Demand that what the source holds is handed out in containers of the same types, if it is: see SOURCE-8."""
    call = f"{call}[0]; what stands under {case.place}"
    found = answered(subject, call, lambda: _found(case, item))
    expected = spelled(found) if case.place == "video" else spelled(stock.held(case.ways))
    got = expected if found is None else spelled(found)
    if got != expected:
        raise Violation.of(call, expected=expected, got=got)


def _found(case: WrittenItemCase, item: Any) -> Any:
    """What an item has in the place of the case; None where it has nothing."""
    if case.place == "preferences":
        return item[1]
    return (item.get("metadata") or {}).get("note") if case.place == "metadata" else item.get(case.place)


@check("SOURCE-8", cases=lambda *_: columns())
def source_8(subject: SourceSubject, case: ColumnsCase) -> None:
    """Exactly the configured columns of a row reach the sample, under their canonical names and with their values."""
    rows = case.rows
    form: dict[str, Any] = {"read_only": True} if case.read_only else {}
    settings = pointing("rows", rows=rows, **form) | column_settings(case)
    if case.items_fn:
        settings |= {"items_fn": f"{STOCK}.capitals"}
        rows = [stock.capitals(row) for row in rows]
    named = [value for value in column_settings(case).values() if isinstance(value, str)]
    if not all(column in row for row in rows for column in (*named, *case.columns.metadata_columns)):
        raise Unexercised("a row lacks a column, of which SOURCE-9 speaks")
    call = open_call("prompts", settings)
    bad = next((at for at, row in enumerate(rows) if is_refused(case, row)), None)
    if bad is not None:
        _expect_text_wanted(subject, settings, bad, f"{call}[{bad}]")
        return
    source = opened(subject, "prompts", settings)
    for at, row in enumerate(rows):
        _expect_sample(f"{call}[{at}]", expected_sample(case, row), item_of(subject, source, at, call))


def _expect_text_wanted(subject: SourceSubject, settings: dict[str, Any], index: int, call: str) -> None:
    """Demand that a conversation is refused, by the index and by one of the media columns with its setting."""
    error = refused(subject, call, lambda: subject.run.open_prompts(settings)[index], str(index))
    media = [(name, settings[name]) for name in ("image_column", "video_column") if name in settings]
    if not any(name in str(error) and column in str(error) for name, column in media):
        wanted = f"ValueError that names {' or '.join(f'{column} and {name}' for name, column in media)}"
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}")


def _expect_sample(call: str, expected: dict[str, Any], got: Any) -> None:
    sides = [{name: spelled(value) for name, value in side.items()} for side in (expected, dict(got))]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        wanted, found = (side.get(name, "nothing") for side in sides)
        if wanted != found:
            raise Violation.of(f"{call}; {name}", expected=wanted, got=found)


@check("SOURCE-9", cases=lambda *_: missing_columns())
def source_9(subject: SourceSubject, case: MissingColumnCase) -> None:
    """A row that lacks a configured column is refused with ValueError that names the column."""
    column = _COLUMNS[case.setting]
    rows = [{name: f"{name} {at}" for name in _COLUMNS.values()} for at in range(case.at + 2)]
    if case.setting == "video_column":
        rows = [row | {column: None} for row in rows]
    del rows[case.at][column]
    configured = column.upper() if case.items_fn else column
    settings: dict[str, Any] = pointing("rows", rows=rows) | _setting("prompt_column", _COLUMNS["prompt_column"], case)
    settings |= _setting(case.setting, column, case)
    settings |= {"items_fn": f"{STOCK}.capitals"} if case.items_fn else {}
    has = [name.upper() if case.items_fn else name for name in rows[case.at]]
    names = [configured, case.setting, settings["factory"], str(case.at), *has]
    call = f"open_prompts(settings with {case.setting}={settings[case.setting]!r})"
    if case.at == 0:
        told = f"{call}, where row 0 has {', '.join(has)}"
        refused(subject, told, lambda: subject.run.open_prompts(settings), *names)
        return
    told = f"{call}[{case.at}], where row {case.at} has {', '.join(has)}"
    refused(subject, told, lambda: subject.run.open_prompts(settings)[case.at], *names)
    source = _opened_or_not(subject, settings, call)
    if source is None:
        return
    count = answered(subject, f"len({call})", lambda: len(source))
    if count != len(rows):
        raise Violation.of(f"len({call})", expected=len(rows), got=count)
    for at in (0, case.at - 1, case.at + 1):
        item_of(subject, source, at, call)
    refused(subject, f"{told}, read once more", lambda: source[case.at], *names)


def _opened_or_not(subject: SourceSubject, settings: dict[str, Any], call: str) -> Any:
    """What the run makes of the settings; None where it has read all rows by then, and refuses one."""
    with calling(call, subject.note):
        try:
            return finished(subject.run.open_prompts(settings), call)
        except ValueError:
            return None


_COLUMNS = {
    "prompt_column": "question",
    "response_column": "answer",
    "image_column": "picture",
    "video_column": "clip",
    "id_column": "uid",
    "metadata_columns": "topic",
}


def _setting(name: str, column: str, case: MissingColumnCase) -> dict[str, Any]:
    written = column.upper() if case.items_fn else column
    return {name: [written] if name == "metadata_columns" else written}
