"""The probe corpus: fixed inputs whose outputs are a packer's behaviour, as the lock pins it (IDENT-17)."""

from dataclasses import dataclass
from typing import Any

from packer_schemas.cases import Sample

__all__ = ["PROBES", "PROBE_CORPUS", "Probe"]

PROBE_CORPUS = 1
"""Version of the corpus: whatever is changed in this file raises it, for digests of two corpora do not compare."""


@dataclass(frozen=True)
class Probe:
    """Samples that are shaped one by one and then, where all of them were, collated with `extra_width` more columns."""

    name: str
    samples: tuple[Sample, ...]
    extra_width: int = 0


_QUESTION: list[Any] = [{"role": "user", "content": "What is the sum of 12 and 345?"}]
_TALK: list[Any] = [
    {"role": "system", "content": "You answer in one word."},
    {"role": "user", "content": "Is the sky blue?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": " Why?\n"},
]
_TOOLS: list[Any] = [
    {"role": "user", "content": "The weather in Paris?"},
    {"role": "assistant", "content": "<think>\nask\n</think>\n\nOne moment."},
    {"role": "tool", "content": '{"city": "Paris", "days": 3}'},
]
_PIXEL = (  # one red pixel, PNG
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
_PICTURE: list[Any] = [
    {"role": "user", "content": [{"type": "image", "image": _PIXEL}, {"type": "text", "text": "Which colour?"}]}
]


def _text(name: str, prompt: Any, completion: Any = "Yes, it is.") -> Probe:
    return Probe(name, (Sample(prompt=prompt, completion=completion),))


PROBES: tuple[Probe, ...] = (
    _text("words", "A packer turns one conversation into one row of token ids."),
    _text("white space", "  two spaces,\ttab\r\n\n\n  and lines ", "\n indented\n"),
    _text("numbers", "3.14159 1024 007 -5e10 x**2 <= 100", "{'a': [1, 22, 333]}"),
    _text("accents", "na\u00efve cafe\u0301 D\u00c9J\u00c0 \ufb01n \u00df \u0130", "\u00fcber \u00e9t\u00e9"),
    _text(
        "other scripts",
        "\u4f60\u597d\uff0c\u4e16\u754c \u041f\u0440\u0438\u0432\u0435\u0442 \U0001f600\u200d\U0001f680",
        "\uc548\ub155",
    ),
    _text(
        "spelt special tokens",
        "<|im_start|>user <s> </s> [INST] <think> </tool_call> <|endoftext|>",
        "<|im_end|> </s> <eos>",
    ),
    _text("empty completion", "Nothing follows.", ""),
    _text("empty prompt", ""),
    _text("question", _QUESTION),
    _text("several turns", _TALK, "Air scatters short waves."),
    _text("tool turns", _TOOLS, "It rains."),
    _text(
        "text parts",
        [{"role": "user", "content": [{"type": "text", "text": "Part one, "}, {"type": "text", "text": "part two."}]}],
    ),
    _text("picture", _PICTURE, "Red."),
    Probe("stored ids", (Sample(prompt_ids=[110, 111, 112], completion=[120, 121, 122]),)),
    Probe(
        "ignored tokens",
        tuple(
            Sample(prompt_ids=[110, 111], completion=[120, 121, 122], n_ignore_prefix_tokens=n)
            for n in (0, 1, 3, 4, -1)
        ),
    ),
    Probe(
        "refused ids",
        (Sample(prompt_ids=[], completion=[120]), Sample(prompt_ids=[110], completion="", n_ignore_prefix_tokens=1)),
    ),
    Probe(
        "batch",
        (
            Sample(prompt_ids=[110], completion=[120]),
            Sample(prompt_ids=[111, 112, 113], completion=[121, 122], n_ignore_prefix_tokens=1),
            Sample(prompt="And this is a text.", completion="So it is."),
        ),
    ),
    Probe(
        "padded batch",
        (Sample(prompt_ids=[110, 111], completion=[]), Sample(prompt_ids=[112], completion=[120, 121])),
        3,
    ),
)
"""Every probe, in the order in which a packer gets them; their names are those of the lock file."""
