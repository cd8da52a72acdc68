"""Drives one packer for the checks: names every call, and turns what goes wrong in it into violations."""

import copy
import inspect
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from packer_schemas.cases import Sample
from packer_schemas.observation import ObsBundle
from packproof.limits import setting_up
from packproof.load import describe
from packproof.signatures import wrong_signature
from packproof.views import BatchView, PolicyView
from packproof.violation import CallFailed, CaseTimeout, PackerExit, Unexercised, Violation
from packproof.vocabulary import UNKNOWN, Vocabulary
from packproof.wording import plural

__all__ = [
    "REFUSALS",
    "Driver",
    "calling",
    "finished",
    "listed",
    "observation",
    "policy_call",
    "refusal",
    "sample_lengths",
    "short",
]

REFUSALS: tuple[type[Exception], ...] = (ValueError, TypeError)
"""What a refusal may raise, unless a rule is narrower."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class _Short(reprlib.Repr):
    """Shortens, and leaves addresses out before it cuts through one."""

    def repr_instance(self, x: Any, level: int) -> str:  # noqa: ARG002  reprlib's own words
        try:
            text = _ADDRESS.sub("", repr(x))
        except Exception:  # whatever a __repr__ raises
            return f"<{type(x).__name__} instance>"
        if len(text) <= self.maxother:
            return text
        kept = self.maxother - len(self.fillvalue)
        return text[: kept // 2] + self.fillvalue + text[len(text) - (kept - kept // 2) :]


_short = _Short()
_short.maxlist = _short.maxtuple = _short.maxdict = 12
_short.maxstring = _short.maxother = 60


def observation(prompt: Any) -> ObsBundle:
    """A raw sample of its own around `prompt`, which may break the schema on purpose."""
    return ObsBundle.model_construct(representations={"prompt": copy.deepcopy(prompt)})


@contextmanager
def calling(call: str, note: Callable[[str], None]) -> Iterator[None]:
    """Run packer code under the name `call`; whatever it raises becomes `CallFailed`."""
    note(call)
    try:
        yield
    except (Violation, CaseTimeout, KeyboardInterrupt, GeneratorExit):
        raise
    except PackerExit as error:
        raise CallFailed(call, f"tried to end the process: os._exit({error.code})") from None
    except SystemExit as error:
        raise CallFailed(call, f"tried to end the process: SystemExit({error.code})") from None
    except BaseException as error:  # asyncio.CancelledError and its like are no Exception
        raise CallFailed(call, f"raised {describe(error)}") from error


def finished(answer: Any, call: str) -> Any:
    """The answer of a call; a coroutine is none, and is closed, so that Python does not warn of it later."""
    if inspect.iscoroutine(answer):
        answer.close()
        raise CallFailed(call, "returned a coroutine; the method is async", "a plain function")
    return answer


def refusal(
    call: str,
    run: Callable[[], Any],
    note: Callable[[str], None],
    *,
    accept: tuple[type[Exception], ...] = REFUSALS,
    wording: str = "",
    show: Callable[[Any], str] | None = None,
) -> Exception:
    """What `run` raises, which has to be one of `accept`; an answer, or another exception, is a violation.

    `wording` says what was wanted, and `show` what an answer was.
    """
    note(call)
    wanted = wording or " or ".join(kind.__name__ for kind in accept)
    try:
        answer = finished(run(), call)
    except accept as error:
        return error
    except PackerExit as error:
        raise Violation.of(call, expected=wanted, got=f"os._exit({error.code})") from None
    except (CallFailed, CaseTimeout, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # pytest.skip's, for one, is no Exception, and would pass for a verdict
        raise Violation.of(call, expected=wanted, got=f"raised {describe(error)}", fault="wrong exception") from None
    got = f"returned {show(answer) if show else short(readable(answer))}"
    raise Violation.of(call, expected=wanted, got=got, fault="accepted instead of refused")


def listed(answer: Any, call: str) -> list[Any]:
    """An answer that is to be a sequence, of whatever type but text, as a list."""
    answer = finished(answer, call)
    if isinstance(answer, (str, bytes, Mapping)) or not all(hasattr(answer, n) for n in ("__len__", "__getitem__")):
        raise CallFailed(call, f"returned {short(answer)}", "a sequence")
    try:
        return list(answer)
    except Exception as error:
        raise CallFailed(call, f"returned a sequence that raised {describe(error)}", "a sequence") from error


class Driver:
    """One packer instance on one model. Every method makes exactly one call on the packer."""

    def __init__(self, packer: Any, model: str, note: Callable[[str], None]) -> None:
        self.packer = packer
        self.model = model
        self.vocabulary: Vocabulary = UNKNOWN
        self.last_call = ""
        self._note = note

    @property
    def tokenizer(self) -> Any:
        """The packer's tokenizer; only for checks of rules that need `UsesTokenizer`."""
        return self.packer.tokenizer

    def encode(self, text: str) -> list[int]:
        """Ids of a text without special tokens, by the packer's tokenizer."""
        return list(self.tokenizer(text, add_special_tokens=False).input_ids)

    def completion_ids(self, completion: str | list[int]) -> list[int]:
        """Ids of a completion, sampled or encoded."""
        return completion if isinstance(completion, list) else self.encode(completion)

    @contextmanager
    def calling(self, call: str) -> Iterator[None]:
        """Run packer code under the name `call`; its exceptions become `CallFailed`."""
        self.last_call = call
        with calling(call, self._note):
            try:
                yield
            except TypeError as error:
                told = wrong_signature(error, self.packer, call)
                if told is None:
                    raise
                raise told from None

    def refuses(
        self, call: str, run: Callable[[], Any], accept: tuple[type[Exception], ...] = REFUSALS, wording: str = ""
    ) -> Exception:
        """As `refusal`, of a call on this packer."""
        self.last_call = call
        return refusal(call, run, self._note, accept=accept, wording=wording)

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """`setup(name_or_path)`, with the flag only when it is on, as callers that leave the default do."""
        call = f"setup({self.model!r}{', trust_remote_code=True' if trust_remote_code else ''})"
        with self.calling(call), setting_up():
            flag = {"trust_remote_code": True} if trust_remote_code else {}
            finished(self.packer.setup(name_or_path, **flag), call)

    def rollout_input(self, prompt: Any, item: ObsBundle | None = None) -> Any:
        """`get_rollout_input` on a sample that holds `prompt` (or on `item` itself)."""
        with self.calling(f"get_rollout_input({_short.repr(prompt)})"):
            return finished(self.packer.get_rollout_input(item or observation(prompt)), self.last_call)

    def policy_input(self, sample: Sample, item: ObsBundle | None = None, **given: Any) -> PolicyView:
        """`get_policy_input` on `sample`; `given` replaces `completion` or `prompt_ids` by other objects."""
        if sample.prompt_ids is None and given.get("prompt_ids") is None:
            self._expect_prompt(sample.prompt)
        completion = given.get("completion", _own(sample.completion))
        prompt_ids = given.get("prompt_ids", _own(sample.prompt_ids))
        call = policy_call(sample, completion, prompt_ids)
        with self.calling(call):
            return PolicyView.of(finished(self.answer(sample, completion, prompt_ids, item), call), call)

    def answer(self, sample: Sample, completion: Any, prompt_ids: Any, item: ObsBundle | None = None) -> Any:
        """The bare call, with every option spelled only when it differs from its default."""
        options: dict[str, Any] = {}
        if sample.n_ignore_prefix_tokens:
            options["n_ignore_prefix_tokens"] = sample.n_ignore_prefix_tokens
        if prompt_ids is not None:
            options["prompt_ids"] = prompt_ids
        return self.packer.get_policy_input(item or observation(sample.prompt), completion, **options)

    def _expect_prompt(self, prompt: Any) -> None:
        """Skip the case of a text that encodes to nothing, as white space does on some tokenizers: AUTH-5 speaks."""
        if not isinstance(prompt, str) or not self.vocabulary.encodes_text:
            return
        if not self.encode(prompt):
            raise Unexercised(f"the prompt {short(prompt)} encodes to no ids")

    def max_len(self, views: Sequence[PolicyView], raws: list[Any] | None = None) -> int:
        """`policy_compute_max_len` (on the very list `raws`, when that matters)."""
        with _blaming_rows(views), self.calling(f"policy_compute_max_len({sample_lengths(views)})"):
            samples = [view.raw for view in views] if raws is None else raws
            return finished(self.packer.policy_compute_max_len(samples), self.last_call)

    def collate(self, views: Sequence[PolicyView], max_len: int, raws: list[Any] | None = None) -> BatchView:
        """`policy_collate_fn` at width `max_len` (on the very list `raws`, when that matters)."""
        call = f"policy_collate_fn({sample_lengths(views)}, {max_len})"
        with _blaming_rows(views), self.calling(call):
            answer = self.packer.policy_collate_fn([view.raw for view in views] if raws is None else raws, max_len)
            return BatchView.of(finished(answer, call), call)


@contextmanager
def _blaming_rows(views: Sequence[PolicyView]) -> Iterator[None]:
    """Where a call raises on rows that the packer made with too short or too long a mask, say so, for MASK-1 speaks."""
    try:
        yield
    except CallFailed as error:
        row = next((view for view in views if len(view.ids) != len(view.mask)), None)
        if row is None or not error.counterexample.got.startswith("raised"):
            raise
        ids, marks = len(row.ids), len(row.mask)
        lengths = f"{ids} {plural(ids, 'id')} and {marks} mask {plural(marks, 'entry', 'entries')}"
        raise error.told(fault=f"a row of the packer's own has {lengths}: see MASK-1") from error


def policy_call(sample: Sample, completion: Any, prompt_ids: Any) -> str:
    """`get_policy_input(...)` as one would type it."""
    what = "sample" if prompt_ids is not None else _short.repr(sample.prompt)
    text = f"get_policy_input({what}, {_short.repr(completion)}"
    if sample.n_ignore_prefix_tokens:
        text += f", n_ignore_prefix_tokens={sample.n_ignore_prefix_tokens}"
    if prompt_ids is not None:
        text += f", prompt_ids={_short.repr(prompt_ids)}"
    return text + ")"


def readable(answer: Any) -> Any:
    """A policy input or a batch as its two streams, anything else as it is; for messages."""
    with suppress(Violation):
        row = PolicyView.of(answer, "")
        return {"input_ids": row.ids, "logprob_masks": row.mask}
    with suppress(Violation):
        batch = BatchView.of(answer, "")
        return {"input_ids": batch.ids.tolist(), "logprob_masks": batch.mask.tolist()}
    return answer


def short(value: Any) -> str:
    """A value on one line, shortened, and without addresses in memory; for messages."""
    if type(value).__repr__ is object.__repr__:
        return f"a {type(value).__name__}"
    return _ADDRESS.sub("", _short.repr(value))


def _own(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def sample_lengths(views: Sequence[PolicyView]) -> str:
    """`samples of length [2, 3]`, for messages."""
    lengths = ", ".join(str(len(view.ids)) for view in views[:8])
    more = ", ..." if len(views) > 8 else ""
    return f"samples of length [{lengths}{more}]"
