"""Faults of chapter rollout: the engine is asked something else."""

import unicodedata
from typing import Any

from packproof.zoo.member import fault
from packproof.zoo.miniature import MiniaturePacker

__all__: list[str] = []


@fault("ROLL-1")
class PromptStripped(MiniaturePacker):
    """White space around a string prompt is taken off, and a prompt that ends in a space or a newline loses it."""

    def _render(self, prompt: Any) -> str:
        return super()._render(prompt.strip() or prompt if isinstance(prompt, str) else prompt)


@fault("ROLL-1")
class StringPromptTemplated(MiniaturePacker):
    """A string prompt is wrapped into a user turn and put through the chat template, though it is final text."""

    def _render(self, prompt: Any) -> str:
        turns = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        return super()._render(turns)


@fault("ROLL-1")
class PromptNormalised(MiniaturePacker):
    """A string prompt is brought into Unicode form NFC before it is sent, and a byte-level model reads other text."""

    def _render(self, prompt: Any) -> str:
        return super()._render(unicodedata.normalize("NFC", prompt) if isinstance(prompt, str) else prompt)


@fault("ROLL-2")
class GenerationPromptMissing(MiniaturePacker):
    """The conversation is rendered as history, without the generation prompt, so the model continues the user."""

    def _apply_template(self, turns: Any) -> str:
        return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=False)


@fault("ROLL-2", report="https://github.com/PrimeIntellect-ai/prime-rl/issues/1334")
class EarlierTurnsDropped(MiniaturePacker):
    """Only the last user turn is rendered, so a talk of several turns loses its history.

    A template that rewrites earlier turns: https://github.com/PrimeIntellect-ai/prime-rl/issues/1334.
    """

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template(turns[-1:])


@fault("ROLL-2", report="https://github.com/huggingface/trl/issues/1400")
class TemplateBosStripped(MiniaturePacker):
    """BOS is cut from the rendered text so that encoding with special tokens does not double it.

    The packer encodes without special tokens, and so sends none. https://github.com/huggingface/trl/issues/1400.
    """

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template(turns).removeprefix(self.tokenizer.bos_token or "")


@fault("ROLL-2")
class LastAssistantTurnContinued(MiniaturePacker):
    """A conversation that ends with the assistant is left open for the model to go on, without a generation prompt."""

    def _apply_template(self, turns: Any) -> str:
        if turns[-1]["role"] != "assistant":
            return super()._apply_template(turns)
        return self.tokenizer.apply_chat_template(turns, tokenize=False, continue_final_message=True)


@fault("ROLL-2")
class SystemMessageDropped(MiniaturePacker):
    """The system message is dropped, for the sake of templates that know no such role."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template([turn for turn in turns if turn["role"] != "system"])


@fault("ROLL-2")
class MessageKeysDropped(MiniaturePacker):
    """Messages are rebuilt from role and content, so what a template reads beside them, such as reasoning, is gone."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template([{name: turn[name] for name in ("role", "content")} for turn in turns])


@fault("ROLL-2")
class LongConversationCut(MiniaturePacker):
    """A conversation of more than eight messages keeps the last eight, whatever the window of the model is."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template(turns[-8:])


@fault("ROLL-2")
class EmptyMessagesDropped(MiniaturePacker):
    """Messages of nothing are dropped, and the turns around them meet."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template([turn for turn in turns if turn["content"]] or turns)


@fault("ROLL-2")
class NeighboursOfOneRoleMerged(MiniaturePacker):
    """Messages of the same role that follow each other are merged, for templates that want roles to alternate."""

    def _apply_template(self, turns: Any) -> str:
        merged: list[Any] = []
        for turn in turns:
            if merged and merged[-1]["role"] == turn["role"] and isinstance(turn["content"], str):
                merged[-1] = turn | {"content": f"{merged[-1]['content']}\n{turn['content']}"}
            else:
                merged.append(turn)
        return super()._apply_template(merged)


@fault("ROLL-2")
class ToolMessagesDropped(MiniaturePacker):
    """Messages of a tool are dropped: only user and assistant speak here."""

    def _apply_template(self, turns: Any) -> str:
        return super()._apply_template([turn for turn in turns if turn["role"] != "tool"])


@fault("ROLL-3")
class AnyPromptStringified(MiniaturePacker):
    """Whatever the prompt is, its printed form is sent: None becomes the word None."""

    def _render(self, prompt: Any) -> str:
        try:
            return super()._render(prompt)
        except TypeError:
            return str(prompt)


@fault("ROLL-3")
class PromptTypeAsserted(MiniaturePacker):
    """The prompt's type is checked with an assertion, as public packers do; `python -O` takes the check away."""

    def _check_conversation(self, prompt: Any) -> None:
        try:
            super()._check_conversation(prompt)
        except TypeError as error:
            raise AssertionError(str(error)) from None


@fault("ROLL-3")
class LaterMessagesUnchecked(MiniaturePacker):
    """Only the first message is looked at, and what is no message after it is skipped."""

    def _check_conversation(self, prompt: Any) -> None:
        super()._check_conversation(prompt[:1] if isinstance(prompt, list) else prompt)

    def _apply_template(self, turns: Any) -> str:
        messages = [turn for turn in turns if isinstance(turn, dict) and {"role", "content"} <= set(turn)]
        return super()._apply_template(messages)


@fault("ROLL-4")
class RenderedPromptStoredInTheSample(MiniaturePacker):
    """The rendered prompt is kept in the caller's sample, as a cache that nobody asked for and that goes stale."""

    def get_rollout_input(self, item: Any) -> str:
        """As the miniature, and kept."""
        item.representations["rendered"] = super().get_rollout_input(item)
        return item.representations["rendered"]
