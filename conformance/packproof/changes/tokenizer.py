"""Changes of a tokenizer's content, one at a time, in its `tokenizer.json` (IDENT-7)."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from packproof.changes.model_files import ModelFiles, Parsed
from packproof.probes import PROBES

__all__ = ["TOKENIZER_CHANGES"]


Edit = Callable[[Parsed], Iterator[Parsed]]
"""From a tokenizer's file, which is the function's own, to edited ones."""


def _edited(edit: Edit) -> Callable[[ModelFiles], Iterator[ModelFiles]]:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        if files.tokenizer:
            for tokenizer in edit(files.tokenizer):
                yield files.having(tokenizer=tokenizer)

    return candidates


def _two_ids_swapped(tokenizer: Parsed) -> Iterator[Parsed]:
    vocabulary = tokenizer["model"].get("vocab", {})
    used = _used(tokenizer)
    if len(used) < 2:
        return
    first, second = used[:2]
    if isinstance(vocabulary, dict):
        vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]
    else:  # pieces with scores, whose ids are their places
        places = {piece[0]: place for place, piece in enumerate(vocabulary)}
        one, other = places[first], places[second]
        vocabulary[one], vocabulary[other] = vocabulary[other], vocabulary[one]
    yield tokenizer


def _merge_dropped(tokenizer: Parsed) -> Iterator[Parsed]:
    merges = [tuple(one.split(" ")) if isinstance(one, str) else tuple(one) for one in _merges(tokenizer)]
    parts = {part for pair in merges for part in pair}
    for token in _used(tokenizer):
        kept = [list(pair) for pair in merges if "".join(pair) != token]
        if token not in parts and len(kept) < len(merges):
            yield {**tokenizer, "model": {**tokenizer["model"], "merges": kept}}


def _merges_turned_round(tokenizer: Parsed) -> Iterator[Parsed]:
    if _merges(tokenizer):
        yield {**tokenizer, "model": {**tokenizer["model"], "merges": tokenizer["model"]["merges"][::-1]}}


def _score_lowered(tokenizer: Parsed) -> Iterator[Parsed]:
    vocabulary = tokenizer["model"].get("vocab", {})
    if isinstance(vocabulary, list):
        for token in _used(tokenizer)[:8]:
            lowered = [[piece, score - 1000.0 if piece == token else score] for piece, score in vocabulary]
            yield {**tokenizer, "model": {**tokenizer["model"], "vocab": lowered}}


def _token_added(tokenizer: Parsed) -> Iterator[Parsed]:
    added = tokenizer.get("added_tokens", [])
    ids = [token["id"] for token in added] + [len(tokenizer["model"].get("vocab", ())) - 1]
    new = {"id": max(ids) + 1, "content": "the", "special": False, "normalized": False}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    yield {**tokenizer, "added_tokens": [*added, {**new, **flags}]}


def _flag_turned(flag: str) -> Edit:
    def edit(tokenizer: Parsed) -> Iterator[Parsed]:
        added = tokenizer.get("added_tokens", [])
        if added:
            turned = [{**token, flag: not token.get(flag, False)} for token in added]
            yield {**tokenizer, "added_tokens": turned}

    return edit


def _normalised(tokenizer: Parsed) -> Iterator[Parsed]:
    own = [tokenizer["normalizer"]] if tokenizer.get("normalizer") else []
    for more in ({"type": "Lowercase"}, {"type": "Replace", "pattern": {"String": "a"}, "content": "o"}):
        yield {**tokenizer, "normalizer": {"type": "Sequence", "normalizers": [more, *own]}}


def _cut_before(tokenizer: Parsed) -> Iterator[Parsed]:
    own = [tokenizer["pre_tokenizer"]] if tokenizer.get("pre_tokenizer") else []
    split = {"type": "Split", "pattern": {"String": "e"}, "behavior": "Isolated", "invert": False}
    yield {**tokenizer, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, *own]}}


def _processed_after(tokenizer: Parsed) -> Iterator[Parsed]:
    yield {**tokenizer, "post_processor": None}
    for token in tokenizer.get("added_tokens", [])[:1]:
        name, added = token["content"], {"SpecialToken": {"id": token["content"], "type_id": 0}}
        text = {"Sequence": {"id": "A", "type_id": 0}}
        special = {name: {"id": name, "ids": [token["id"]], "tokens": [name]}}
        ends = {"type": "TemplateProcessing", "single": [text, added], "pair": [text, added], "special_tokens": special}
        yield {**tokenizer, "post_processor": ends}


def _merges(tokenizer: Parsed) -> list[Any]:
    return tokenizer["model"].get("merges") or []


def _used(tokenizer: Parsed) -> list[str]:
    """Entries of the vocabulary that the texts of the probes come to, without the added tokens, each once."""
    from tokenizers import Tokenizer

    added = {token["content"] for token in tokenizer.get("added_tokens", [])}
    backend = Tokenizer.from_str(json.dumps(tokenizer))
    texts = [sample.prompt for probe in PROBES for sample in probe.samples if isinstance(sample.prompt, str)]
    tokens = (token for text in texts for token in backend.encode(text, add_special_tokens=False).tokens)
    return list(dict.fromkeys(token for token in tokens if token not in added))


TOKENIZER_CHANGES = {
    "two ids of the vocabulary swapped": _edited(_two_ids_swapped),
    "a merge less": _edited(_merge_dropped),
    "merges in the opposite order": _edited(_merges_turned_round),
    "the score of a piece": _edited(_score_lowered),
    "an added token more": _edited(_token_added),
    "the flag lstrip of the added tokens": _edited(_flag_turned("lstrip")),
    "the flag rstrip of the added tokens": _edited(_flag_turned("rstrip")),
    "the flag single_word of the added tokens": _edited(_flag_turned("single_word")),
    "the flag normalized of the added tokens": _edited(_flag_turned("normalized")),
    "the normaliser": _edited(_normalised),
    "the pre-tokeniser": _edited(_cut_before),
    "the post-processor": _edited(_processed_after),
}
"""By name, what makes edited model files of given ones: one or more candidates, of which one shows in some output."""
