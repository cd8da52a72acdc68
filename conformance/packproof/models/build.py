"""Write the embedded model folders again: ``python -m packproof.models.build [DEST]``.

The files are the same bytes in every process, under every hash seed and thread count, and with tokenizers 0.22
and 0.23: the corpus is in this file, the trainers break ties by id, no alphabet is cut by frequency (ties there
are broken at random), and the JSON is written by us, with sorted keys, in ASCII.
"""

import json
import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from packproof.models import EMBEDDED

__all__ = ["build_model", "main"]

MAX_LENGTH = 64  # tokens, in tokenizer and model alike; short, so that a packer which truncates to it shows

ENGLISH = """\
A packer turns one conversation into one row of token ids, with a mask that says which of them the loss may see.
The prompt comes first and the response follows it; the response is what the model wrote, so it is what we train on.
When a tool answers, its text is part of the context and not of the response, so its mask is zero.
What is the sum of the first ten numbers? The answer is 55, since ten times eleven is 110 and half of that is 55.
Please write a short story about a fox that learns to count. Once there was a fox who could not count to three.
She looked at the river, she looked at the stones, and then she said: one stone, two stones, many stones.
Why is the sky blue? Because the air scatters the short waves of the light more than the long ones.
Is this right? Yes, it is. I think that we should check every step before we give the final answer.
If you have any other question, just ask; there is always more to say about this and that, here and there.
They would have been there by now if they had taken the other train, but it's late and we don't know where they are.
Let us think about this: first we read the question, then we work it out, and last we state the result.
You are a helpful assistant. The user asks, the assistant answers, and the system sets the rules.
The user wants the weather in Paris. The tool says it is raining. The assistant says: take an umbrella with you.
system user assistant tool role content text message conversation token sequence batch position loss mask reward
The length of the sequence is the length of the prompt plus the length of the completion, and nothing is cut off.
Some words come again and again: the, and, of, to, in, that, which, with, for, from, when, then, than, this, these.
Nobody can see what will happen next year, but some things are known: the days are counted, the work is done.
[INST] Who wrote this? [/INST] I did. [INST] And when was it written? [/INST] A long time ago.
"""
SYMBOLS = """\
def pack(rows, limit):
    out = []
    for row in rows:
        if len(row) > limit:
            raise ValueError(f"row of {len(row)} tokens, limit {limit}")
        out.append(row)
    return out

import json
print(json.dumps({"name": "weather", "arguments": {"city": "Paris", "days": 3}}, indent=2))
x = (a + b) * c - 10 / 4; y = x ** 2 <= 100 and x != 7
0 1 2 3 4 5 6 7 8 9 10 11 12 16 20 32 42 64 100 128 256 512 1000 1024 2024 3.14159 2.71828
1. one\t2. two\t3. three\r\n- item\r\n- item\n\n\n    indented\n\tand a tab
"""
OTHER_SCRIPTS = """\
na\u00efve caf\u00e9, d\u00e9j\u00e0 vu, \u00fcber, se\u00f1or, \u00e9t\u00e9
\u4f60\u597d\uff0c\u4e16\u754c\u3002\u4eca\u5929\u5929\u6c14\u600e\u4e48\u6837\uff1f\u4eca\u5929\u662f\u6674\u5929\u3002
\u3053\u3093\u306b\u3061\u306f\u4e16\u754c
\uc548\ub155\ud558\uc138\uc694 \u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440
\U0001f600 \U0001f680 \U0001f600 \u2014 \u201cquoted\u201d \u2018single\u2019 \u2026
"""
CORPUS = ENGLISH.splitlines(keepends=True) + SYMBOLS.splitlines(keepends=True) + OTHER_SCRIPTS.splitlines(keepends=True)

# How Qwen2 and Llama 3 cut text before BPE; they differ in the digits, one by one or up to three.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_SPLIT = SPLIT.replace("DIGITS", "")
LLAMA3_SPLIT = SPLIT.replace("DIGITS", "{1,3}")

# Content is a string or a list of {"type": "text", "text": ...}; every template starts with this macro.
TEXT_MACRO = """\
{%- macro text_of(content) -%}
    {%- if content is string -%}{{- content -}}
    {%- else -%}
        {%- for part in content -%}
            {%- if part['type'] != 'text' -%}
                {{- raise_exception('this template takes text parts only, not ' ~ part['type']) -}}
            {%- endif -%}
            {{- part['text'] -}}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro -%}
"""
CHATML = """\
{%- for message in messages -%}
    {{- '<|im_start|>' ~ message['role'] ~ '\\n' -}}
    {%- if message['reasoning_content'] is defined -%}
        {{- '<think>\\n' ~ message['reasoning_content'] ~ '\\n</think>\\n\\n' -}}
    {%- endif -%}
    {{- text_of(message['content']) ~ '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
"""
PLAIN = """\
{%- for message in messages -%}
    {{- message['role'] ~ ': ' ~ text_of(message['content']) -}}
    {{- eos_token if message['role'] == 'assistant' else '\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- 'assistant: ' -}}{%- endif -%}
"""
HEADERS = """\
{{- bos_token -}}
{%- for message in messages -%}
    {{- '<|start_header_id|>' ~ message['role'] ~ '<|end_header_id|>\\n\\n' -}}
    {{- text_of(message['content']) | trim ~ '<|eot_id|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{%- endif -%}
"""
INST = """\
{%- if messages[0]['role'] == 'system' -%}
    {%- set system = text_of(messages[0]['content']) ~ '\\n\\n' -%}
    {%- set turns = messages[1:] -%}
{%- else -%}
    {%- set system = '' -%}
    {%- set turns = messages -%}
{%- endif -%}
{{- bos_token -}}
{%- for message in turns -%}
    {%- if message['role'] != ('user' if loop.index0 % 2 == 0 else 'assistant') -%}
        {{- raise_exception('roles must alternate user, assistant, user, ... after an optional system message') -}}
    {%- endif -%}
    {%- if message['role'] == 'user' -%}
        {{- '[INST] ' ~ (system if loop.first else '') ~ text_of(message['content']) ~ ' [/INST]' -}}
    {%- else -%}
        {{- ' ' ~ text_of(message['content']) ~ eos_token -}}
    {%- endif -%}
{%- endfor -%}
"""


def byte_level(size: int, *, split: str | None = None, first: Sequence[str] = ()) -> Tokenizer:
    """Byte-level BPE of exactly ``size`` entries, the special tokens ``first`` at the lowest ids.

    ``split`` is the pattern that cuts the text before BPE; without one it is GPT-2's.
    """
    tokenizer = Tokenizer(models.BPE())
    if split is None:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(split), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        show_progress=False,
        special_tokens=special(first),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def byte_fallback(size: int, first: Sequence[str]) -> Tokenizer:
    """SentencePiece-like BPE of exactly ``size`` entries: ``first``, the 256 byte pieces, then the trained ones.

    It is trained on the English and code lines alone, so every other script takes the byte route.
    """
    space = "\u2581"
    tokenizer = Tokenizer(models.BPE(unk_token=first[0], fuse_unk=True, byte_fallback=True))
    # Only while training: no merge crosses a word border, so encoding needs no pre-tokenizer.
    tokenizer.pre_tokenizer = pre_tokenizers.Split(space, behavior="merged_with_next")
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        show_progress=False,
        special_tokens=[*special(first), *(f"<0x{byte:02X}>" for byte in range(256))],
    )
    lines = [line for line in (ENGLISH + SYMBOLS).split("\n") if line]
    tokenizer.train_from_iterator([space + line.replace(" ", space) for line in lines], trainer)

    # The trainer knows the byte pieces as special tokens; here they are ordinary entries of the vocabulary.
    spec = json.loads(tokenizer.to_str())
    spec["added_tokens"] = [token for token in spec["added_tokens"] if token["content"] in first]
    spec["pre_tokenizer"] = None
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(space), normalizers.Replace(" ", space)])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(space, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def special(contents: Sequence[str]) -> list[AddedToken]:
    """Special tokens that are matched in raw text, before any normalisation."""
    return [AddedToken(content, special=True, normalized=False) for content in contents]


def starts_with(tokenizer: Tokenizer, bos: str) -> processors.TemplateProcessing:
    """A post-processor that puts ``bos`` before every sequence."""
    return processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tokenizer.token_to_id(bos))]
    )


def tiny_qwen() -> tuple[Tokenizer, dict[str, Any]]:
    tokenizer = byte_level(576, split=QWEN_SPLIT)
    tokenizer.normalizer = normalizers.NFC()  # transformers 5 builds Qwen2Tokenizer with it, whatever the file says
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    media = ["<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"]
    extra = ["<|im_start|>", *media]
    tokenizer.add_special_tokens(special(["<|endoftext|>", "<|im_start|>", "<|im_end|>", *media]))
    plain = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
    tokenizer.add_tokens([AddedToken(content, special=False, normalized=False) for content in plain])
    return tokenizer, {
        "tokenizer_class": "Qwen2Tokenizer",
        "bos_token": None,
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "unk_token": None,
        "additional_special_tokens": extra,
        "chat_template": TEXT_MACRO + CHATML,
    }


def tiny_gpt2() -> tuple[Tokenizer, dict[str, Any]]:
    tokenizer = byte_level(543)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens(special(["<|endoftext|>"]))
    return tokenizer, {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|endoftext|>",
        "eos_token": "<|endoftext|>",
        "chat_template": TEXT_MACRO + PLAIN,
    }


def tiny_llama3() -> tuple[Tokenizer, dict[str, Any]]:
    bos, pad = "<|begin_of_text|>", "<|finetune_right_pad_id|>"
    tokenizer = byte_level(555, split=LLAMA3_SPLIT, first=[pad])
    extra = ["<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>"]
    tokenizer.add_special_tokens(special([bos, "<|eot_id|>", *extra]))
    tokenizer.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=False), starts_with(tokenizer, bos)]
    )
    return tokenizer, {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": bos,
        "eos_token": "<|eot_id|>",
        "pad_token": pad,
        "additional_special_tokens": extra,
        "chat_template": TEXT_MACRO + HEADERS,
    }


def tiny_spm() -> tuple[Tokenizer, dict[str, Any]]:
    tokenizer = byte_fallback(640, first=["<unk>", "<s>", "</s>"])
    tokenizer.post_processor = starts_with(tokenizer, "<s>")
    return tokenizer, {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "chat_template": TEXT_MACRO + INST,
    }


LLAMA_SHAPE = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "max_position_embeddings": MAX_LENGTH,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "tie_word_embeddings": False,
}
MODELS: Mapping[str, tuple[Any, dict[str, Any]]] = {
    "tiny-qwen": (tiny_qwen, {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], **LLAMA_SHAPE}),
    "tiny-gpt2": (
        tiny_gpt2,
        {
            "model_type": "gpt2",
            "architectures": ["GPT2LMHeadModel"],
            "n_embd": 64,
            "n_head": 4,
            "n_layer": 2,
            "n_positions": MAX_LENGTH,
        },
    ),
    "tiny-llama3": (tiny_llama3, {"model_type": "llama", "architectures": ["LlamaForCausalLM"], **LLAMA_SHAPE}),
    "tiny-spm": (tiny_spm, {"model_type": "llama", "architectures": ["LlamaForCausalLM"], **LLAMA_SHAPE}),
}


def build_model(name: str) -> dict[str, str]:
    """The text of every file of the embedded model ``name``, by file name."""
    if name not in MODELS:
        raise ValueError(f"no embedded model is named {name!r}; choose one of {', '.join(MODELS)}")
    make, shape = MODELS[name]
    tokenizer, settings = make()

    def id_of(role: str) -> int | None:
        token = settings.get(role)
        return None if token is None else tokenizer.token_to_id(token)

    config = {
        **shape,
        "vocab_size": tokenizer.get_vocab_size(with_added_tokens=True),
        "bos_token_id": id_of("bos_token"),
        "eos_token_id": id_of("eos_token"),
        "pad_token_id": id_of("pad_token"),
        "dtype": "float32",
    }
    settings = {**settings, "clean_up_tokenization_spaces": False, "model_max_length": MAX_LENGTH}
    return {
        "config.json": as_json(config),
        "tokenizer.json": as_json(json.loads(tokenizer.to_str())),
        "tokenizer_config.json": as_json(settings),
    }


def as_json(value: Mapping[str, Any]) -> str:
    """Readable JSON of one spelling: ASCII, sorted keys, one space of indentation, a final newline."""
    return json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the four folders into the folder given, or over the ones beside this module."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) > 1:
        print("usage: python -m packproof.models.build [DEST]", file=sys.stderr)
        return 2
    destination = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent
    for name in EMBEDDED:
        folder = destination / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in build_model(name).items():
            (folder / file).write_bytes(text.encode("ascii"))
        print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
