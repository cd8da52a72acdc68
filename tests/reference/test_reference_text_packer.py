"""The text packer: prompts, authority of ids, masks."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_samples import CHATML, bpe, observe

from packer_reference import DecoderOnlyLLMDataPacker, make_packer
from packer_schemas import ObsBundle, RLPolicyInput
from packproof.models import model_path

CHAT = [{"role": "user", "content": "2 + 2?"}]
TURNS = [*CHAT, {"role": "assistant", "content": "4."}, {"role": "user", "content": "Sure?"}]


REFUSED = {
    "number": (3, TypeError, r"the prompt is int 3"),
    "none": (None, TypeError, r"NoneType None"),
    "one message": (CHAT[0], TypeError, r"the prompt is dict"),
    "tuple of messages": (tuple(CHAT), TypeError, r"the prompt is tuple"),
    "empty": ([], ValueError, r"the conversation is empty"),
    "strings": (["hello"], TypeError, r"prompt\[0\] is str 'hello'"),
    "second is none": ([*CHAT, None], TypeError, r"prompt\[1\] is NoneType"),
    "no role": ([{"content": "x"}], TypeError, r"prompt\[0\] has role NoneType None"),
    "no content": ([{"role": "user"}], TypeError, r"prompt\[0\] has content NoneType None"),
    "content is a number": ([{"role": "user", "content": 3}], TypeError, r"prompt\[0\] has content int 3"),
    "image": (
        [{"role": "user", "content": [{"type": "image", "image": "x.png"}]}],
        ValueError,
        r"prompt\[0\]\.content\[0\] is of type 'image': a text packer would drop it",
    ),
    "part without type": ([{"role": "user", "content": ["x"]}], TypeError, r"content\[0\] is str 'x'"),
    "part without text": ([{"role": "user", "content": [{"type": "text"}]}], TypeError, r"content\[0\] is dict"),
}


def test_factory_is_fresh() -> None:
    """Every call of the factory gives another packer, not set up."""
    one, two = make_packer(), make_packer()
    assert one is not two
    assert one.tokenizer is None


class TestRolloutInput:
    """What the engine is asked to generate from."""

    @pytest.mark.parametrize("prompt", ["", " leading, trailing ", "<|im_start|>user\n<|im_end|>", "ﬁ é\u0301"])
    def test_string_is_verbatim(self, ready: DecoderOnlyLLMDataPacker, prompt: str) -> None:
        """A string passes through as it is, whatever it looks like."""
        assert ready.get_rollout_input(observe(prompt)) == prompt

    @pytest.mark.parametrize("prompt", [CHAT, TURNS])
    def test_conversation(self, ready: DecoderOnlyLLMDataPacker, prompt: Any) -> None:
        """A conversation is the chat template's text with the generation prompt."""
        expected = ready.tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        assert ready.get_rollout_input(ObsBundle(representations={"prompt": prompt})) == expected

    def test_text_parts_are_joined(self, ready: DecoderOnlyLLMDataPacker) -> None:
        """Text in parts is the same prompt as the text in one piece."""
        parts = [{"type": "text", "text": "2 + "}, {"type": "text", "text": "2?"}]
        split = ready.get_rollout_input(observe([{"role": "user", "content": parts}]))
        assert split == ready.get_rollout_input(observe(CHAT))

    def test_tool_calls_reach_the_template(self) -> None:
        """Keys beside role and content go to the template, and a tool call may stand without content."""
        packer = make_packer()
        template = "{% for m in messages %}{{ m.get('tool_calls', []) | length }}{{ m['content'] or '-' }};{% endfor %}"
        packer.tokenizer = bpe(eos_token="<|end|>", chat_template=template)
        call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
        assert packer.get_rollout_input(observe([*CHAT, call])) == "02 + 2?;1-;"

    def test_sample_stays_as_it_was(self, ready: DecoderOnlyLLMDataPacker) -> None:
        """Rendering does not write to the caller's messages, assistant turns and parts included."""
        parts = [{"type": "text", "text": "x"}]
        sample = observe([{"role": "user", "content": parts}, {"role": "assistant", "content": "y"}, *CHAT])
        before = copy.deepcopy(sample)
        first = ready.get_rollout_input(sample)
        assert sample == before
        assert ready.get_rollout_input(sample) == first

    def test_template_cannot_write(self) -> None:
        """Even a template that tries to edit a message leaves the caller's dict alone."""
        packer = make_packer()
        template = "{% for m in messages %}{% set _ = m.update({'content': 'edited'}) %}{% endfor %}"
        packer.tokenizer = bpe(eos_token="<|end|>", chat_template=template)
        sample = observe(copy.deepcopy(CHAT))
        with pytest.raises(ValueError, match=r"the chat template refused the conversation"):
            packer.get_rollout_input(sample)
        assert sample == observe(CHAT)

    @pytest.mark.parametrize("name", REFUSED)
    def test_refused_prompts(self, packer: DecoderOnlyLLMDataPacker, name: str) -> None:
        """A prompt that is neither a string nor a conversation is refused, naming what was given."""
        prompt, kind, text = REFUSED[name]
        with pytest.raises(kind, match=rf"get_rollout_input: .*{text}"):
            packer.get_rollout_input(observe(prompt))
        with pytest.raises(kind, match=text):
            packer.get_policy_input(observe(prompt), [1])

    @pytest.mark.parametrize("sample", ["text", None, {"prompt": "x"}])
    def test_no_sample(self, packer: DecoderOnlyLLMDataPacker, sample: Any) -> None:
        """Something without representations is no sample."""
        with pytest.raises(TypeError, match=r"expected a sample with representations"):
            packer.get_rollout_input(sample)

    @pytest.mark.parametrize("representations", [{}, None, {"text": "x"}])
    def test_no_prompt(self, packer: DecoderOnlyLLMDataPacker, representations: Any) -> None:
        """A sample without a prompt says so."""
        with pytest.raises(ValueError, match=r"expected a mapping with 'prompt'"):
            packer.get_rollout_input(ObsBundle.model_construct(representations=representations))

    def test_no_chat_template(self) -> None:
        """A conversation needs a chat template, and its absence is named."""
        packer = make_packer()
        packer.tokenizer = bpe(eos_token="<|end|>")
        assert packer.get_rollout_input(observe("text")) == "text"
        with pytest.raises(ValueError, match=r"the tokenizer has no chat template; set tokenizer.chat_template"):
            packer.get_rollout_input(observe(CHAT))

    def test_template_refusal(self) -> None:
        """What a strict template complains of is passed on as a refusal."""
        packer = make_packer()
        packer.setup(str(model_path("tiny-spm")))
        with pytest.raises(ValueError, match=r"the chat template refused the conversation: .*roles must alternate"):
            packer.get_rollout_input(observe(CHAT * 2))


class TestAuthority:
    """Which ids make the sequence."""

    def test_stored_prompt_ids_win(self, ready: DecoderOnlyLLMDataPacker) -> None:
        """Stored ids open the sequence, whatever the prompt's text would give."""
        ids = [0, 5, 5, 500_000]
        got = ready.get_policy_input(observe("quite another text"), [7], prompt_ids=ids)
        assert got.input_ids == [*ids, 7]

    def test_stored_ids_need_no_prompt(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """With stored ids nothing is read from the sample but media."""
        assert packer.get_policy_input(None, [7], prompt_ids=[1]).input_ids == [1, 7]

    def test_stored_ids_do_not_hide_media(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """Also with stored ids a text packer refuses a sample whose image it would drop."""
        sample = observe([{"role": "user", "content": [{"type": "video", "video": []}]}])
        with pytest.raises(ValueError, match=r"get_policy_input: prompt\[0\].content\[0\] is of type 'video'"):
            packer.get_policy_input(sample, [7], prompt_ids=[1])

    @pytest.mark.parametrize("prompt", ["The quick brown fox", TURNS])
    def test_derived_prompt(self, ready: DecoderOnlyLLMDataPacker, prompt: Any) -> None:
        """Without stored ids the prompt is the rollout input, encoded without special tokens."""
        text = ready.get_rollout_input(observe(prompt))
        expected = ready.tokenizer(text, add_special_tokens=False)["input_ids"]
        assert ready.get_policy_input(observe(prompt), []).input_ids == expected

    def test_overridden_rollout_input_is_what_is_scored(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A subclass that changes the rollout input changes the derived prompt with it."""

        class Tagging(DecoderOnlyLLMDataPacker):
            def get_rollout_input(self, item: Any) -> str:
                return f"<domain>{super().get_rollout_input(item)}"

        tagging = Tagging()
        tagging.tokenizer = packer.tokenizer
        expected = packer.get_policy_input(observe("<domain>text"), [1])
        assert tagging.get_policy_input(observe("text"), [1]) == expected

    def test_rollout_input_that_is_no_text(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A rollout input that is no string cannot be encoded, and the error says what to do."""

        class Engine(DecoderOnlyLLMDataPacker):
            def get_rollout_input(self, item: Any) -> Any:
                return {"prompt": "x"}

        engine = Engine()
        engine.tokenizer = packer.tokenizer
        with pytest.raises(TypeError, match=r"get_rollout_input returned dict, expected a string"):
            engine.get_policy_input(observe("text"), [1])

    def test_text_completion(self, ready: DecoderOnlyLLMDataPacker) -> None:
        """A text completion is encoded without special tokens, and no stop token is appended."""
        text = " jumps over the lazy dog"
        got = ready.get_policy_input(observe("x"), text, prompt_ids=[3])
        assert got.input_ids[1:] == ready.tokenizer(text, add_special_tokens=False)["input_ids"]

    def test_completion_ids_are_kept(self, ready: DecoderOnlyLLMDataPacker) -> None:
        """Completion ids are not decoded and encoded again, stop and pad ids included."""
        eos, pad = ready.tokenizer.eos_token_id, ready.pad_token_id
        completion = [5, 5, eos, pad, 0]
        assert ready.get_policy_input(observe("x"), completion, prompt_ids=[3]).input_ids == [3, *completion]

    def test_empty_prompt(self, ready: DecoderOnlyLLMDataPacker) -> None:
        """A prompt without tokens is refused."""
        with pytest.raises(ValueError, match=r"get_policy_input: empty prompt"):
            ready.get_policy_input(observe(""), [1])

    @pytest.mark.parametrize("empty", [[], (), np.array([], np.int64)])
    def test_empty_stored_ids(self, packer: DecoderOnlyLLMDataPacker, empty: Any) -> None:
        """Empty stored ids are an empty prompt, never an absent one."""
        with pytest.raises(ValueError, match=r"get_policy_input: empty prompt: prompt_ids=\[\] was given"):
            packer.get_policy_input(observe("some text"), [1], prompt_ids=empty)

    @pytest.mark.parametrize("make", [list, tuple, np.array, torch.tensor, lambda ids: [np.int32(i) for i in ids]])
    def test_containers(self, packer: DecoderOnlyLLMDataPacker, make: Any) -> None:
        """Ids in any container give the same plain lists, in both places."""
        got = packer.get_policy_input(observe("x"), make([4, 9, 1]), 1, prompt_ids=make([17, 0]))
        assert got == packer.get_policy_input(observe("x"), [4, 9, 1], 1, prompt_ids=[17, 0])
        assert {type(i) for i in got.input_ids} == {int}

    @pytest.mark.parametrize("bad", [[1, True], [1, 2.0], [1, None], [1, -3], np.array([[1]]), {"ids": [1]}])
    def test_bad_ids(self, packer: DecoderOnlyLLMDataPacker, bad: Any) -> None:
        """Bad ids are refused in both places, and the error says in which."""
        with pytest.raises((ValueError, TypeError), match=r"get_policy_input: prompt_ids.*expected"):
            packer.get_policy_input(observe("x"), [1], prompt_ids=bad)
        with pytest.raises((ValueError, TypeError), match=r"get_policy_input: completion.*expected"):
            packer.get_policy_input(observe("x"), bad, prompt_ids=[1])

    @pytest.mark.parametrize("bad", [None, 3, b"ids", {"token_ids": [1]}, {1, 2}, RLPolicyInput])
    def test_no_completion(self, packer: DecoderOnlyLLMDataPacker, bad: Any) -> None:
        """A completion that is neither text nor ids is refused by its type."""
        with pytest.raises(TypeError, match=r"get_policy_input: completion: got .*expected token ids"):
            packer.get_policy_input(observe("x"), bad, prompt_ids=[1])

    def test_text_as_prompt_ids(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A string is no list of ids."""
        with pytest.raises(TypeError, match=r"prompt_ids: got str"):
            packer.get_policy_input(observe("x"), [1], prompt_ids="12")  # pyright: ignore[reportArgumentType]

    def test_arguments_are_neither_shared_nor_changed(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """The lists of a policy input can be overwritten without touching what it was made from."""
        prompt, completion = [1, 2], [3, 4]
        got = packer.get_policy_input(observe("x"), completion, prompt_ids=prompt)
        got.input_ids[:] = [0] * 4
        got.logprob_masks[:] = [0] * 4
        got.mm_kwargs["image"] = 1
        assert (prompt, completion) == ([1, 2], [3, 4])
        assert packer.get_policy_input(observe("x"), completion, prompt_ids=prompt).mm_kwargs == {}

    def test_cached_tokenizer_output_is_not_written_to(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A tokenizer that hands out one list again and again keeps it as it was."""
        kept = [5, 6]
        caching = make_packer()
        caching.tokenizer = lambda text, add_special_tokens: {"input_ids": kept}
        caching.get_policy_input(observe("x"), "y")
        assert kept == [5, 6]


class TestMasks:
    """Which predictions a mask selects."""

    @given(
        prompt=st.lists(st.integers(0, 2**40), min_size=1, max_size=6),
        completion=st.lists(st.integers(0, 2**40), max_size=6),
        data=st.data(),
    )
    @settings(deadline=None)
    def test_formula(self, prompt: list[int], completion: list[int], data: st.DataObject) -> None:
        """The mask is [0]*(P-1+n) + [1]*(C-n) + [0] and validates as a policy input."""
        n = data.draw(st.integers(0, len(completion)))
        got = make_packer().get_policy_input(None, completion, n, prompt_ids=prompt)
        assert got.input_ids == prompt + completion
        assert got.logprob_masks == [0] * (len(prompt) - 1 + n) + [1] * (len(completion) - n) + [0]
        RLPolicyInput.model_validate(got.model_dump())

    def test_selected_predictions(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """The entry at position i speaks of the id at i + 1: exactly the completion's ids are selected."""
        got = packer.get_policy_input(None, [4, 9], prompt_ids=[17, 18])
        selected = [nxt for nxt, marked in zip(got.input_ids[1:], got.logprob_masks[:-1], strict=True) if marked]
        assert selected == [4, 9]

    def test_one_token_prompt(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """With one prompt token the mask starts at position zero."""
        assert packer.get_policy_input(None, [4, 9], prompt_ids=[17]).logprob_masks == [1, 1, 0]

    @pytest.mark.parametrize("completion", [[], "", ()])
    def test_empty_completion(self, packer: DecoderOnlyLLMDataPacker, completion: Any) -> None:
        """An empty completion is legal and selects nothing."""
        got = packer.get_policy_input(None, completion, prompt_ids=[17, 18, 19])
        assert got.input_ids == [17, 18, 19]
        assert got.logprob_masks == [0, 0, 0]

    @pytest.mark.parametrize("n", [-1, 3, 100])
    def test_n_out_of_range(self, packer: DecoderOnlyLLMDataPacker, n: int) -> None:
        """A count outside 0..C is refused, naming both."""
        with pytest.raises(ValueError, match=rf"n_ignore_prefix_tokens is {n}, expected 0 to 2"):
            packer.get_policy_input(None, [4, 9], n, prompt_ids=[17])

    @pytest.mark.parametrize("n", [True, False, 1.0, "1", None])
    def test_n_is_a_count(self, packer: DecoderOnlyLLMDataPacker, n: Any) -> None:
        """A count is an integer, and a bool is none."""
        with pytest.raises(TypeError, match=r"n_ignore_prefix_tokens is"):
            packer.get_policy_input(None, [4, 9], n, prompt_ids=[17])

    def test_numpy_count(self, packer: DecoderOnlyLLMDataPacker) -> None:
        """A NumPy integer counts."""
        got = packer.get_policy_input(None, [4, 9], np.int64(1), prompt_ids=[17])  # pyright: ignore[reportArgumentType]
        assert got.logprob_masks == [0, 1, 0]


def test_random_state_stays(packer: DecoderOnlyLLMDataPacker) -> None:
    """No call of the whole path draws a random number."""
    import random

    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()  # noqa: NPY002
    sample = packer.get_policy_input(observe(CHAT), "four")
    packer.policy_collate_fn([sample], packer.policy_compute_max_len([sample]))
    after = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()  # noqa: NPY002
    assert before[:2] == after[:2]
    assert torch.equal(before[2], after[2])


def test_tokenizer_of_our_own() -> None:
    """A subclass may set its tokenizer itself, and everything reads it from there."""

    class Own(DecoderOnlyLLMDataPacker):
        def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
            self.tokenizer = bpe(eos_token="<|end|>", chat_template=CHATML)

    own = Own()
    own.setup("anything")
    sample = own.get_policy_input(observe(CHAT), "4")
    assert own.adds_special_tokens() is False
    with pytest.raises(ValueError, match=r"the tokenizer has no pad token"):
        own.policy_collate_fn([sample], 100)
    own.tokenizer.pad_token = "<|end|>"
    assert own.policy_collate_fn([sample], 100)["input_ids"][0, -1] == own.tokenizer.eos_token_id
