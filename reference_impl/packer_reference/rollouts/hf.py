"""The body that runs a transformers model in its own process."""

from collections.abc import Mapping, Sequence
from typing import Any

from packer_reference.moe.record import RoutingRecorder
from packer_reference.rollouts.body import RolloutBody
from packer_reference.rollouts.decoding import Request, decode
from packer_reference.rollouts.forward_pass import length_limit, vocabulary
from packer_reference.rollouts.inputs import refuse_long, refuse_unknown
from packer_reference.rollouts.records import Draw
from packer_reference.token_ids import token_ids

__all__ = ["HFRollout"]


class HFRollout(RolloutBody):
    """Encodes prompts with its packer's tokenizer, without special tokens, and generates with `model`.

    `model` is a causal language model of transformers, or any `torch.nn.Module` whose `forward` takes `input_ids`.
    `sampling` takes the keys of the chapter and no others. With `routing_replay` every trajectory carries the choices
    of the model's routers. Raises `ValueError` for `packer=None`, a packer that is not set up, sampling that cannot be
    kept, and `routing_replay` on a model without routed experts; `TypeError` for what is no packer and no model.
    Spec: bodies, BODY-1, BODY-2 and BODY-9.
    """

    def __init__(
        self, model: Any, *, packer: Any, sampling: Mapping[str, Any] | None = None, routing_replay: bool = False
    ) -> None:
        super().__init__(packer=packer, sampling=sampling, routing_replay=routing_replay)
        if isinstance(model, type) or not callable(getattr(model, "forward", None)):
            what = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
            raise TypeError(f"HFRollout: model is {what}, expected a torch.nn.Module")
        if not callable(self.tokenizer):
            raise ValueError(  # noqa: TRY004  the packer is of the right type, and not ready
                f"HFRollout: packer.tokenizer is {self.tokenizer!r}, and this body encodes prompts with it; "
                "call packer.setup(name_or_path), or build the packer with init_data_packer(name_or_path)"
            )
        if self.sampling.engine:
            raise ValueError(
                f"HFRollout: sampling has the keys {sorted(self.sampling.engine)}, expected only n, temperature, "
                "max_tokens, stop_token_ids and seed"
            )
        self.model = model
        self._recorder = RoutingRecorder(model) if routing_replay else None

    def _draw(self, inputs: Sequence[Any]) -> list[Draw]:
        prompts = [self._encoded(given, f"HFRollout.generate: sample {at}") for at, given in enumerate(inputs)]
        sampling, stop = self.sampling, self._stop_ids()
        requests = [
            Request(
                f"HFRollout.generate: sample {at}, completion {turn}",
                prompt,
                sampling.temperature,
                sampling.max_tokens,
                stop,
                self._next_seed(),
            )
            for at, prompt in enumerate(prompts)
            for turn in range(sampling.n)
        ]
        return decode(self.model, requests, self._recorder)

    def _encoded(self, given: Any, where: str) -> list[int]:
        if isinstance(given, Mapping):
            _refuse_media(given, where)
            ids = given.get("prompt_token_ids")
            given = given.get("prompt") if ids is None else ids
        if isinstance(given, str):
            ids = list(self.tokenizer(given, add_special_tokens=False)["input_ids"])
        else:
            ids = token_ids(given, f"{where}, prompt_token_ids")
        if not ids:
            raise ValueError(f"{where}: the prompt encodes to no ids; check the source that produces it")
        refuse_long(len(ids), length_limit(self.model), where)
        refuse_unknown(ids, vocabulary(self.model), where)
        return ids


def _refuse_media(entries: Mapping[str, Any], where: str) -> None:
    for name, value in entries.items():
        empty = value is None or (isinstance(value, Mapping | list | tuple) and not value)
        if name not in {"prompt", "prompt_token_ids"} and not empty:
            raise ValueError(f"{where}: HFRollout cannot hand its model {name!r}; it takes text and ids alone")
