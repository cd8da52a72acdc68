"""Vectors of chapter authority: rows of ids that are kept verbatim, and what is no id at all."""

from typing import Any

from packer_spec.oracle import authority
from packer_spec.oracle.typed_values import value_of
from packer_spec.vectors.core import GPT2, LLAMA3, QWEN, SPM
from packer_spec.vectors.probe import EITHER, MENTIONS, Group, Probe, Refusal

__all__ = ["DESCRIPTION", "GROUPS", "answer"]

DESCRIPTION = (
    "Rows made of ids. input: prompt_ids and completion, and where the ids mean something to a tokenizer, its special "
    "ids. expected: input_ids, both streams verbatim. Plain JSON integers and lists are what they seem; whatever else "
    'stands among them, or in the place of one of the two, is a tagged value as in identity.json, and {"int": "120"} '
    f"is the id 120. {MENTIONS}"
)


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """What the oracle says of an input."""
    return {"input_ids": authority.row(_value(given["prompt_ids"]), _value(given["completion"]))}


def _value(given: Any) -> Any:
    if isinstance(given, list):
        return [_value(entry) for entry in given]
    return given if isinstance(given, int) else value_of(given)


def _kept(note: str, prompt: Any, completion: Any, tokenizer: Any = None) -> Probe:
    special = {} if tokenizer is None else {"tokenizer": tokenizer}
    return Probe(note, {"prompt_ids": prompt, "completion": completion} | special)


def _no_prompt(note: str, completion: list[int]) -> Probe:
    return Probe(note, {"prompt_ids": [], "completion": completion}, Refusal("ValueError", ("prompt_ids",)))


def _bad_prompt(note: str, ids: list[Any], at: int) -> Probe:
    refusal = Refusal(EITHER, ("prompt_ids", str(at)))
    return Probe(note, {"prompt_ids": ids, "completion": [120]}, refusal)


def _no_prompt_ids(note: str, prompt: Any, *at: int) -> Probe:
    refusal = Refusal(EITHER, ("prompt_ids", *map(str, at)))
    return Probe(note, {"prompt_ids": prompt, "completion": [120]}, refusal)


def _bad_completion(note: str, ids: list[Any], at: int) -> Probe:
    refusal = Refusal(EITHER, ("completion", str(at)))
    return Probe(note, {"prompt_ids": [110], "completion": ids}, refusal)


def _no_completion(note: str, completion: Any) -> Probe:
    return Probe(note, {"prompt_ids": [110], "completion": completion}, Refusal(EITHER, ("completion",)))


GROUPS = (
    Group(
        "AUTH-1",
        [
            _kept("the smallest row", [110], [120]),
            _kept("stored ids come first", [110, 111], [120, 121]),
            _kept("BOS at the start is kept", [1, 110], [120], SPM),
            _kept("no BOS is added where there is none", [110, 111], [120], LLAMA3),
            _kept("a doubled BOS is kept: the engine saw two", [1, 1, 110], [120], SPM),
            _kept("BOS alone", [555], [120], LLAMA3),
            _kept("an end token in the middle", [110, 2, 111], [120], SPM),
            _kept("an end token at the end", [110, 2], [120], SPM),
            _kept("pad ids in front, and id 0 is no absence", [0, 0, 110], [120], LLAMA3),
            _kept("id 0 alone", [0], [120], LLAMA3),
            _kept("h and e, which text would encode as the one id 257", [71, 68], [120], QWEN),
            _kept("the same id over and over", [110, 110, 110], [120]),
            _kept("ids in falling order", [113, 112, 111, 110], [120]),
            _kept("before an empty completion", [110, 111], []),
        ],
    ),
    Group(
        "AUTH-2",
        [
            _kept("h and e, which text would encode as the one id 257", [110], [71, 68], QWEN),
            _kept("a stop token at the end is kept", [110], [120, 2], SPM),
            _kept("no stop token is added where there is none", [110], [120, 121], SPM),
            _kept("two stop tokens are kept", [110], [120, 2, 2], SPM),
            _kept("a stop token and nothing else", [110], [543], GPT2),
            _kept("BOS in front of the completion is kept", [110], [1, 120], SPM),
            _kept("pad ids at the end were sampled", [110], [120, 0, 0], LLAMA3),
            _kept("the completion repeats the whole prompt", [110, 111], [110, 111]),
            _kept("the completion repeats the prompt and goes on", [110, 111], [110, 111, 120]),
            _kept("the completion begins with the end of the prompt", [110, 111, 112], [112, 120]),
            _kept("the completion begins with the last two of the prompt", [110, 111, 112], [111, 112, 120]),
            _kept("prompt and completion are one id, over and over", [110, 110], [110, 110, 110]),
            _kept("ids in falling order", [110], [123, 122, 121, 120]),
        ],
    ),
    Group(
        "AUTH-6",
        [
            _no_prompt("no prompt ids", [120]),
            _no_prompt("no prompt ids, and a longer completion", [120, 121]),
            _no_prompt("no ids at all", []),
        ],
    ),
    Group(
        "AUTH-8",
        [
            _bad_completion("true is not the id 1", [120, True], 1),
            _bad_completion("false is not the id 0", [False], 0),
            _bad_completion("a float, also where it is whole", [120, {"float": "121.0"}], 1),
            _bad_completion("a float that is not whole", [{"float": "120.5"}, 121], 0),
            _bad_completion("minus one", [120, -1, 121], 1),
            _bad_completion("the label that means ignore", [-100], 0),
            _bad_completion("minus zero, a float", [120, {"float": "-0.0"}], 1),
            _bad_prompt("true among prompt ids", [True, 110], 0),
            _bad_prompt("false among prompt ids", [110, False], 1),
            _bad_prompt("a float among prompt ids", [110, {"float": "111.0"}], 1),
            _bad_prompt("minus one among prompt ids", [110, 111, -1], 2),
            _bad_prompt("the label that means ignore among prompt ids", [110, -100], 1),
        ],
    ),
    Group(
        "AUTH-9",
        [
            _no_completion("nothing, as from a failed generation", None),
            _no_completion("an id without a list", 120),
            _no_completion("a bool", True),
            _no_completion("a float", {"float": "1.5"}),
            _no_completion("an empty map", {"map": []}),
            _no_completion("a map of ids", {"map": [["token_ids", {"list": [{"int": "120"}]}]]}),
            _no_completion("a list of text", ["Hi"]),
            _no_completion("digits are text", [120, "121"]),
            _no_completion("a list that holds nothing", [120, None]),
            _no_completion("a list of lists", [{"list": [{"int": "120"}]}]),
            _no_completion("a list of maps", [{"map": []}]),
        ],
    ),
    Group(
        "AUTH-1",
        [
            _kept("a tagged integer is an id", [{"int": "110"}], [120]),
            _kept("tagged integers and plain ones, in one list", [{"int": "110"}, 111, {"int": "112"}], [120, 121]),
            _kept("a tagged list of ids", {"list": [{"int": "111"}, {"int": "110"}]}, [120]),
            _kept("id 0, tagged", [{"int": "0"}, 110], [120]),
        ],
    ),
    Group(
        "AUTH-2",
        [
            _kept("a tagged integer is a sampled id", [110], [{"int": "120"}]),
            _kept("tagged integers and plain ones, in one list", [110], [120, {"int": "121"}, 122]),
            _kept("a tagged list of sampled ids", [110], {"list": [{"int": "121"}, {"int": "120"}]}),
            _kept("a tagged list without ids is an empty completion", [110, 111], {"list": []}),
        ],
    ),
    Group(
        "AUTH-8",
        [
            _bad_completion("a tagged integer below zero", [120, 121, 122, {"int": "-7"}], 3),
            _bad_completion("the second and the fourth are none: the second is named", [120, False, 122, -1], 1),
            _bad_prompt("the third and the fourth are none: the third is named", [110, 111, {"float": "5.5"}, -1], 2),
            _no_prompt_ids("a text in the place of the prompt ids", "Hi"),
            _no_prompt_ids("an empty text in their place", ""),
            _no_prompt_ids("digits in their place", "110"),
            _no_prompt_ids("a map in their place", {"map": [["token_ids", {"list": [{"int": "110"}]}]]}),
            _no_prompt_ids("an empty map in their place", {"map": []}),
            _no_prompt_ids("a map from ids in their place", {"map": [[{"int": "110"}, {"int": "0"}]]}),
            _no_prompt_ids("an id without a list in their place", 110),
            _no_prompt_ids("a bool in their place", True),
            _no_prompt_ids("a float in their place", {"float": "110.0"}),
            _no_prompt_ids("a text among prompt ids", [110, 111, "112"], 2),
            _no_prompt_ids("nothing among prompt ids", [110, None], 1),
            _no_prompt_ids("a map among prompt ids", [{"map": []}, 111], 0),
        ],
    ),
)
