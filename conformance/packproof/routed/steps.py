"""The steps beside a packer, called under their names: what they raise is told of them, and what they refuse."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from packer_schemas.routing import ROLLOUT_ROUTED_EXPERTS_KEY
from packer_schemas.routing_cases import RoutedSample
from packer_schemas.trajectory import Trajectory
from packproof.driver import Driver, calling, observation, refusal
from packproof.routed.batches import expect_named
from packproof.routed.records import handed, length_of
from packproof.subject import Subject

__all__ = ["Steps", "trajectory_of"]


class Steps:
    """The steps of a subject; every method makes one call of them."""

    def __init__(self, subject: Subject) -> None:
        self.module, self._note = subject.routing, subject.note
        self.last_call = ""

    @contextmanager
    def calling(self, call: str) -> Iterator[Any]:
        """Run a step under the name `call`; whatever it raises becomes `CallFailed`. Yields the steps."""
        self.last_call = call
        with calling(call, self._note):
            yield self.module

    def refuses(
        self,
        call: str,
        run: Callable[[], Any],
        words: Sequence[str] = (),
        accept: tuple[type[Exception], ...] = (ValueError,),
    ) -> None:
        """Demand that a step refuses, in a message that names all `words`."""
        self.last_call = call
        expect_named(call, str(refusal(call, run, self._note, accept=accept)), words)

    def shape(
        self,
        driver: Driver,
        sample: RoutedSample,
        *,
        key: str = ROLLOUT_ROUTED_EXPERTS_KEY,
        packer: Any = None,
        n: int = 0,
    ) -> Any:
        """`shape_policy_input` on a trajectory of the sample, its record under `key`."""
        given = trajectory_of(sample, key)
        with self.calling(_shape_call(sample, n)) as steps:
            made = packer or driver.packer
            return steps.shape_policy_input(made, given, n) if n else steps.shape_policy_input(made, given)

    def refuses_shape(
        self,
        driver: Driver,
        sample: RoutedSample,
        words: Sequence[str],
        *,
        accept: tuple[type[Exception], ...] = (ValueError,),
        packer: Any = None,
    ) -> None:
        """Demand that `shape_policy_input` refuses a trajectory of the sample."""
        given, made = trajectory_of(sample), packer or driver.packer
        self.refuses(_shape_call(sample, 0), lambda: self.module.shape_policy_input(made, given), words, accept)


def _shape_call(sample: RoutedSample, n: int) -> str:
    record = "no record" if sample.record is None else f"a record {sample.record.shape}"
    more = f", {n}" if n else ""
    return f"shape_policy_input(packer, a trajectory of {length_of(sample)} ids with {record}{more})"


def trajectory_of(sample: RoutedSample, key: str = ROLLOUT_ROUTED_EXPERTS_KEY) -> Trajectory:
    """What a rollout hands on: ids and record in `policy_info`, and no text that could be taken for them.

    Built without validation, for a record may be wrong on purpose.
    """
    info: dict[str, Any] = {"prompt_ids": list(sample.prompt_ids), "completion_ids": list(sample.completion)}
    if sample.record is not None:
        info[key] = handed(sample.record, sample.container)
    completion = list(sample.completion)
    return Trajectory.model_construct(obs=observation("the prompt text"), completion=completion, policy_info=info)
