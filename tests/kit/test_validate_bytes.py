"""`packproof validate` on bytes that are odd, or no JSON at all: each has its answer, at the right line."""

import json
from pathlib import Path

import pytest

from packproof.cli import main
from packproof.validation import data_files
from packproof.validation.strict_json import NotJson, StrictReader

GOOD = b'{"representations": {"prompt": "hi"}}'


def told(capsys, data: bytes, name: str = "o.jsonl") -> list[str]:
    """The lines that `validate` prints for a file with this content, against the observation schema."""
    Path(name).write_bytes(data)
    main(["validate", "--schema", "observation", "--limit", "0", name])
    return capsys.readouterr().out.splitlines()


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("data", [GOOD, GOOD + b"\n", GOOD + b"\r\n", GOOD + b" \t\n", b"\t" + GOOD])
def test_a_line_may_end_as_it_likes(capsys, data: bytes) -> None:
    """With or without a newline, with a carriage return, or with white space: it is one good line."""
    assert told(capsys, data) == ["o.jsonl: 1 line valid against observation"]


def test_blank_lines_are_skipped_counted_and_numbered(capsys) -> None:
    """A line of white space is no document, is told in the summary, and keeps the numbers of the others right."""
    shown = told(capsys, b"\n  \r\n" + GOOD + b"\n\n{}\r\n\n")
    assert shown == [
        "o.jsonl:5  representations  expected an object, got nothing",
        "o.jsonl: 1 of 2 lines invalid against observation (4 blank lines skipped)",
    ]


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_a_file_without_a_document_is_a_problem(capsys, data: bytes) -> None:
    """An empty file, or one of blank lines, proves nothing, and is exit code 1."""
    assert told(capsys, data) == [
        "o.jsonl  (document)  expected at least one document, got an empty file",
        "o.jsonl: no document",
    ]
    assert main(["validate", "--schema", "observation", "o.jsonl"]) == 1
    Path("h.jsonl").write_bytes(b'{"$schema": "observation"}\n' + data)
    assert main(["validate", "h.jsonl"]) == 1


def test_an_empty_json_file_is_no_json(capsys) -> None:
    """A JSON file of no bytes or only white space has no document."""
    for data in (b"", b" \n"):
        assert told(capsys, data, "o.json") == [
            "o.json:1  (document)  expected a JSON document, got nothing",
            "o.json: invalid",
        ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"hello", 'expected JSON, got "hello" at column 1 (Expecting value)'),
        (b'{"a": 1', "expected JSON, got text that breaks off at column 8 (Expecting ',' delimiter)"),
        (b'{"a": 1,}', 'expected JSON, got "}" at column 9 (Expecting property name enclosed in double quotes)'),
        (b"{'a': 1}", "expected JSON, got \"'a': 1}\" at column 2 (Expecting property name enclosed in double quotes)"),
        (GOOD + b" {}", "expected one JSON document, got more text behind it at column 39"),
        (b'{"a": "\t"}', 'expected JSON, got "\\t\\"}" at column 8 (Invalid control character at)'),
        (b'{"a": "\xff"}', "expected UTF-8, got the byte 0xff at byte 8 of the line"),
        (GOOD.decode().encode("utf-16"), "expected UTF-8, got what looks like UTF-16: it begins with the bytes FF FE"),
        (
            GOOD.decode().encode("utf-16-le"),
            "expected UTF-8, got what looks like UTF-16: it begins with the bytes 7B 00",
        ),
        (b"[" * 100_000, "expected at most 200 levels of nesting, got more"),
        (b"[[" * 201 + b"]]" * 201, "expected at most 200 levels of nesting, got more"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "expected at most 200 levels of nesting, got more"),
    ],
)
def test_what_is_no_json_is_told_at_its_column(capsys, data: bytes, said: str) -> None:
    """Bad syntax, bytes that are no UTF-8 and what cannot be read are problems of their line; the next is read."""
    shown = told(capsys, GOOD + b"\n" + data.replace(b"\n", b"") + b"\n" + GOOD + b"\n")
    assert shown[0].startswith(f"o.jsonl:2  (document)  {said}")
    assert shown[-1] == "o.jsonl: 1 of 3 lines invalid against observation"


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (
            b'{"representations": {"prompt": NaN}}',
            "representations.prompt",
            "expected a JSON value, got NaN, which is not JSON",
        ),
        (b'{"a": [1, -Infinity]}', "a[1]", "expected a JSON value, got -Infinity, which is not JSON"),
        (b'{"a b": {"c": 1, "c": 2, "c": 3}}', '["a b"].c', "expected the key once, got it 3 times"),
        (b'{"a": 1, "\\u0061": 2}', "a", "expected the key once, got it 2 times"),
        (b'{"a": ["\\ud83d"]}', "a[0]", "expected text, got the lone surrogate '\\ud83d' in \"\\ud83d\""),
        (b'{"a": [{"b": 1e999}]}', "a[0].b", "expected a number below 1.8e308, which is what others read, got 1e999"),
        (b"[1, -1e400]", "[1]", "expected a number below 1.8e308, which is what others read, got -1e400"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a", "expected an integer of at most 4300 digits, got one of 5000"),
        (b'{"a": {"\\udc00": 1}}', "a", "expected text, got the lone surrogate '\\udc00' in \"\\udc00\""),
    ],
)
def test_what_only_some_readers_take_is_refused_by_path(capsys, data: bytes, place: str, said: str) -> None:
    """NaN and infinities, a key given twice and half a character are no JSON that every language reads alike."""
    assert told(capsys, data) == [f"o.jsonl:1  {place}  {said}", "o.jsonl: 1 of 1 line invalid"]


def test_a_byte_order_mark_is_refused_and_the_rest_is_read(capsys) -> None:
    """A byte order mark is a problem of line 1; what follows it is checked, header or document."""
    mark = b"\xef\xbb\xbf"
    said = "(document)  expected UTF-8 without a byte order mark, got one: the bytes EF BB BF"
    assert told(capsys, mark + GOOD) == [f"o.jsonl:1  {said}", "o.jsonl: 1 of 1 line invalid against observation"]
    assert told(capsys, mark + GOOD, "o.json")[0] == f"o.json:1  {said}"
    Path("h.jsonl").write_bytes(mark + b'{"$schema": "observation"}\n' + GOOD)
    assert main(["validate", "h.jsonl"]) == 1
    assert capsys.readouterr().out == f"h.jsonl:1  {said}\nh.jsonl: 1 of 2 lines invalid against observation\n"
    Path("h.jsonl").write_bytes(mark + b'{"$schema": "observation"}\n{}')
    assert main(["validate", "h.jsonl"]) == 1
    assert capsys.readouterr().out.endswith("h.jsonl: 2 of 2 lines invalid against observation\n")


def test_a_line_without_an_end_does_not_fill_the_memory(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line beyond the limit is a problem of its own, is not read, and the next line is."""
    monkeypatch.setattr(data_files, "MAX_LINE", 1000)
    exact = b'"' + b"x" * 998 + b'"'
    shown = told(capsys, b"[" * 5000 + b"\n" + GOOD + b"\n" + exact + b"\n" + exact[:-1] + b'x"')
    assert shown == [
        "o.jsonl:1  (document)  expected a line of at most 0 MiB, got a longer one, which was not read",
        f'o.jsonl:3  (document)  expected an object, got "{"x" * 60}..." (998 characters)',
        "o.jsonl:4  (document)  expected a line of at most 0 MiB, got a longer one, which was not read",
        "o.jsonl: 3 of 4 lines invalid against observation",
    ]


def test_a_json_file_tells_the_line_of_bad_syntax(capsys) -> None:
    """In a whole JSON file, a problem of its bytes has a line; several documents are recognised."""
    assert told(capsys, b'{\n"a": 1,\n}', "o.json")[0].startswith("o.json:3  (document)  expected JSON, got")
    assert told(capsys, b'{\n"a": "\xff"\n}', "o.json")[0].startswith("o.json:2  (document)  expected UTF-8")
    shown = told(capsys, GOOD + b"\n" + GOOD + b"\n", "o.json")
    assert shown[0].endswith("got more text behind it at column 1; several documents, one a line, are a .jsonl file")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": {"a": 2}}',
        '{"a" : 1, "b" :2}',
        '{"a":": x", "b":":"}',
        '{"a\\\\":1, "b":"\\\\\\":"}',
        '{"say \\"x\\": 1": [{"a": 1}, {"a": [{}]}]}',
        '[1, [2, {"k": "http://example.org:80"}], "Question : why?"]',
        '{":k": 1, "x": ":k"}',
        "3",
    ],
)
def test_the_fast_and_the_careful_reader_agree(text: str) -> None:
    """Whichever way a document is read, its value is what `json` reads, whatever its texts and keys hold."""
    assert StrictReader().read(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a" : 1, "b":2, "b":3}',
        '{"a\\\\":1, "b":2, "b":3}',
        '{"a":"x",":k":1,":k":2}',
        '[{"a": 1}, {"b": {"c": [], "c": ":"}}]',
        '{"": 0, "": 0}',
    ],
)
def test_a_key_given_twice_never_slips_through(text: str) -> None:
    """The fast reader, which takes the last of two equal keys, is not trusted with any of these."""
    with pytest.raises(NotJson, match="expected the key once, got it 2 times"):
        StrictReader().read(text.encode())


@pytest.mark.parametrize(
    "text", ["[1e308, 1e308]", '{"a": -1.7e308, "b": [0.5, 3, 1e-999]}', "9" * 4300, "[1.5, 1" + "0" * 400 + "]"]
)
def test_a_number_that_is_large_but_finite_is_read(text: str) -> None:
    """A sum beyond all floats, or an integer beyond them, makes no number infinite."""
    assert StrictReader().read(text.encode()) == json.loads(text)


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, '{"a": ' * 200 + '":"' + "}" * 200])
def test_two_hundred_levels_are_read(text: str) -> None:
    """The deepest document that is taken is read by either reader."""
    assert StrictReader().read(text.encode()) == json.loads(text)
