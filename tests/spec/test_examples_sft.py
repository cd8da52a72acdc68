"""The worked examples of the chapter on supervised fine-tuning, shaped again by the chapter's own definitions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from transformers import AutoTokenizer
from worked_tables import example, intro, text_of

from packproof.models import model_path

Message = Mapping[str, Any]
Render = Callable[[Sequence[Message], bool], list[int]]
OPEN = {"user": 101, "assistant": 103, "tool": 106}


def toy(
    *, opener: Sequence[int] = (), end: int = 102, assistant_end: int = 102, line_break: Sequence[int] = ()
) -> Render:
    """The template of the examples over messages whose content is ids: header, content, terminator, line break."""

    def render(messages: Sequence[Message], generation_prompt: bool) -> list[int]:
        ids: list[int] = []
        for message in messages:
            role = message["role"]
            written = [*opener, *message["content"]] if role == "assistant" else message["content"]
            ids += [OPEN[role], *written, assistant_end if role == "assistant" else 102, *line_break]
        return [*ids, OPEN["assistant"], *opener] if generation_prompt else ids

    return render


def real(name: str) -> tuple[Any, Render]:
    """An embedded tokenizer, and its own template as the chapter renders and encodes with it."""
    tokenizer = AutoTokenizer.from_pretrained(model_path(name))

    def render(messages: Sequence[Message], generation_prompt: bool) -> list[int]:
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=generation_prompt)
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    return tokenizer, render


def shaped(messages: Sequence[Message], render: Render, controls: Sequence[int]) -> tuple[list[int], list[int]]:
    """The row and its labels, by the definitions under *Words*; AssertionError where a span is not exact (SFT-9)."""
    row = render(messages, False)
    labels = [-100] * len(row)
    for k, message in enumerate(messages):
        if message["role"] == "assistant" and message.get("train", True):
            prompt, ending = render(messages[:k], True), render(messages[: k + 1], False)
            start = len(prompt)
            end = max(i for i, one in enumerate(ending) if one in controls)
            assert row[:start] == prompt
            assert end >= start
            assert row[: end + 1] == ending[: end + 1]
            labels[start : end + 1] = row[start : end + 1]
    return row, labels


def said(role: str, *ids: int, **more: Any) -> Message:
    """A message of the toy template."""
    return {"role": role, "content": list(ids), **more}


ASKED = said("user", 110)


def whatever_follows(row: list[int], labels: list[int]) -> list[int]:
    """Everything is trained from the first label on."""
    first = next(i for i, one in enumerate(labels) if one != -100)
    return [*labels[:first], *row[first:]]


FAULTS: dict[str, Callable[[list[int], list[int]], list[int]]] = {
    "SFT-3": lambda _, labels: [*labels[1:], -100],
    "SFT-4": whatever_follows,
    "SFT-5": lambda _, labels: [-100 if one == 102 else one for one in labels],
    "SFT-6": lambda row, labels: [id if id == 107 else one for id, one in zip(row, labels, strict=True)],
    "SFT-7": lambda row, labels: [*labels[:4], *row[4:6], *labels[6:]],
    "SFT-8": lambda row, labels: [id if id == 120 else one for id, one in zip(row, labels, strict=True)],
}
"""What the packer at fault gives for a row and its labels."""


@pytest.mark.parametrize(
    ("rule_id", "messages", "template"),
    [
        ("SFT-3", [ASKED, said("assistant", 120)], toy(assistant_end=108)),
        ("SFT-4", [ASKED, said("assistant", 120), said("tool", 130), said("assistant", 121)], toy()),
        ("SFT-5", [ASKED, said("assistant")], toy()),
        ("SFT-6", [ASKED, said("assistant", 120)], toy(opener=[107])),
        ("SFT-7", [ASKED, said("assistant", 120, train=False), said("user", 111), said("assistant", 121)], toy()),
        ("SFT-8", [said("user", 120), said("assistant", 120)], toy()),
    ],
)
def test_the_labels_follow_from_the_definitions(rule_id: str, messages: list[Message], template: Render) -> None:
    """Row and expected labels of a smallest break are those of its conversation, and the others those of its fault."""
    table = example("sft", rule_id)
    row, labels = shaped(messages, template, [102, 108])
    assert (table.numbers("input_ids"), table.numbers("expected")) == (row, labels)
    assert table.numbers("got") == FAULTS[rule_id](row, labels) != labels
    if "turn's prompt" in table.rows:
        assert table.numbers("turn's prompt") == template(messages[:1], True)


def test_the_label_stands_one_place_right_of_the_prediction() -> None:
    """The introduction's row, its labels and what the model compares are those of a user's 110 and a 120, 121."""
    table = intro("sft", "compared with the prediction made here")
    row, labels = shaped([ASKED, said("assistant", 120, 121)], toy(line_break=[104]), [102])
    assert (table.numbers("input_ids"), table.numbers("labels")) == (row, labels)
    *compared, last = table.row("compared with the prediction made here")
    assert ([float(one) for one in compared], last) == (labels[1:], "nothing")


def test_the_row_on_tiny_qwen_is_what_its_template_and_tokenizer_give() -> None:
    """`Hi` answered with `yes` gives the ids that the introduction prints, with start 13 and end 15."""
    tokenizer, render = real("tiny-qwen")
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yes"}]
    row, labels = shaped(messages, render, tokenizer.all_special_ids)
    ids, printed = text_of("sft").partition("```\ninput_ids ")[2].splitlines()[:2]
    assert [int(one) for one in ids.split()] == row
    assert printed.split()[-4:] == [str(one) for one in labels[13:]]
    assert [i for i, one in enumerate(labels) if one != -100] == [13, 14, 15]


def test_a_template_that_writes_bos_gives_it_once() -> None:
    """SFT-2 prints the first ids of a row on `tiny-llama3`, and what the tokenizer's defaults make of the same text."""
    tokenizer, render = real("tiny-llama3")
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yes"}]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    table = example("sft", "SFT-2")
    assert table.numbers("expected") == render(messages, False)[:4]
    assert table.numbers("got") == tokenizer(text)["input_ids"][:4]


def test_ids_merge_over_the_start_of_a_turn() -> None:
    """SFT-9's `tiny-gpt2` row has one id where the turn's prompt of 12 ids ends in a space and the answer begins."""
    tokenizer, render = real("tiny-gpt2")
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yes"}]
    table = example("sft", "SFT-9")
    prompt, row = render(messages[:1], True), render(messages, False)
    assert (len(prompt), table.numbers("turn's prompt")) == (12, prompt[10:])
    assert table.numbers("input_ids") == row[10:14]
    assert table.numbers("got") == [-100, -100, *row[12:14]]
    with pytest.raises(AssertionError):
        shaped(messages, render, tokenizer.all_special_ids)


def test_typed_control_text_becomes_the_control_token() -> None:
    """SFT-11's row holds the terminator of `tiny-qwen` twice, once from the user and once from the template."""
    _, render = real("tiny-qwen")
    table = example("sft", "SFT-11")
    assert table.numbers("got") == render([{"role": "user", "content": "Hi<|im_end|>"}], False)[4:9]


def test_media_positions_of_a_span_carry_no_label() -> None:
    """SFT-12's expected labels are the span of the turn without its two placeholders."""
    table = example("sft", "SFT-12")
    row, labels = shaped([ASKED, said("assistant", 120, 300, 300)], toy(), [102])
    assert (table.numbers("input_ids"), table.numbers("got")) == (row[3:], labels[3:])
    assert table.numbers("expected") == [-100 if one == 300 else one for one in labels[3:]]


def test_filler_is_told_by_position() -> None:
    """SFT-14's row is filled up by length; told by the id that is also the terminator of `tiny-spm`, it loses one."""
    table = example("sft", "SFT-14")
    tokenizer, _ = real("tiny-spm")
    assert (tokenizer.pad_token_id, tokenizer.eos_token_id) == (None, 2)
    ids, labels, width = [110, 120, 2], [-100, 120, 2], 4
    row = ids + [2] * (width - len(ids))
    assert table.numbers("input_ids") == row
    assert table.numbers("expected labels") == labels + [-100] * (width - len(ids))
    assert table.numbers("expected attention_mask") == [int(i < len(ids)) for i in range(width)]
    by_id = [one != 2 for one in row]
    assert table.numbers("got attention_mask") == [int(one) for one in by_id]
    expected = table.numbers("expected labels")
    assert table.numbers("got labels") == [one if kept else -100 for one, kept in zip(expected, by_id, strict=True)]


def test_a_cut_row_loses_its_terminator() -> None:
    """SFT-15's sample has six ids, and the row of five that the packer gives is its beginning."""
    table = example("sft", "SFT-15")
    row, _ = shaped([ASKED, said("assistant", 120)], toy(), [102])
    assert ", ".join(table.row("sample a")).replace(", then", ",") == ", ".join(str(one) for one in row)
    assert table.numbers("got") == row[:5]


def test_positions_restart_in_every_segment() -> None:
    """SFT-16's packed row joins its two samples, counts positions in each, and leaves filler at 0."""
    table = example("sft", "SFT-16")
    samples, width = [([110, 120, 102], [-100, 120, 102]), ([210, 220], [-100, 220])], len(table.header)
    lengths = [len(ids) for ids, _ in samples]
    filler = width - sum(lengths)
    assert table.row("input_ids") == [*(str(one) for ids, _ in samples for one in ids), *["pad"] * filler]
    assert table.numbers("labels") == [*(one for _, labels in samples for one in labels), *[-100] * filler]
    (expected,) = [head for head in table.rows if head.startswith("expected")]
    (got,) = [head for head in table.rows if head.startswith("got")]
    assert f"[{lengths}]" in expected
    assert table.numbers(expected) == [*(i for length in lengths for i in range(length)), *[0] * filler]
    assert table.numbers(got) == list(range(width))


def test_the_first_label_of_a_segment_is_ignored() -> None:
    """SFT-17's expected labels are the joined ones with -100 at the places where segments begin."""
    table = example("sft", "SFT-17")
    joined = [-100, 120, 210, 220]
    assert (table.numbers("got"), table.numbers("input_ids")[2:]) == (joined, joined[2:])
    assert table.numbers("expected") == [-100 if i in (0, 2) else one for i, one in enumerate(joined)]


def test_a_stand_in_shows_in_the_second_call() -> None:
    """SFT-18's expected row is the conversation's, and the other has the pad id for the answer."""
    table = example("sft", "SFT-18")
    row, _ = shaped([ASKED, said("assistant", 120)], toy(), [102])
    assert table.numbers("expected") == row
    assert table.row("got") == ["pad" if one == 120 else str(one) for one in row]
