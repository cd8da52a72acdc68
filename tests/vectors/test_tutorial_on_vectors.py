"""The packer of the tutorial on the vectors of the core chapters, its messages included."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from outcomes import expect_outcome, ids_of, of

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The class that the page ends with, out of the files that the page gives."""
    folder = tmp_path_factory.mktemp("tutorial")
    for block in re.finditer(r'^```python title="(.+?)"\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL):
        (folder / block[1]).write_text(block[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield __import__("my_packer").MyPacker
    for name in ("my_packer", "token_ids"):
        sys.modules.pop(name, None)


@of("masks")
def test_masks(vector: Any, tutorial: Any) -> None:
    """It makes the mask of the vector, or refuses in the vector's words."""
    given, packer = vector.input, tutorial()

    def run() -> dict[str, Any]:
        ids, completion = list(given.prompt_ids), list(given.completion)
        row = packer.get_policy_input(None, completion, given.n_ignore_prefix_tokens, prompt_ids=ids)
        pairs = zip(row["input_ids"][1:], row["logprob_masks"], strict=False)
        return {"logprob_masks": row["logprob_masks"], "selected": [one for one, marked in pairs if marked]}

    expect_outcome(vector, run)


@of("authority")
def test_authority(vector: Any, tutorial: Any) -> None:
    """It keeps the ids of the vector, or refuses what is none in the vector's words."""
    prompt, completion = ids_of(vector.input.prompt_ids), ids_of(vector.input.completion)

    def run() -> dict[str, Any]:
        return {"input_ids": tutorial().get_policy_input(None, completion, prompt_ids=prompt)["input_ids"]}

    expect_outcome(vector, run)


@of("collation")
def test_collation(vector: Any, tutorial: Any) -> None:
    """It makes the batch of the vector, or refuses in the vector's words."""
    packer, given = tutorial(), vector.input
    packer.tokenizer = SimpleNamespace(pad_token_id=given.tokenizer.pad_token_id)
    samples = [one.model_dump() for one in given.samples]

    def run() -> dict[str, Any]:
        batch = packer.policy_collate_fn(samples, given.max_len)
        values = {"input_ids": batch["input_ids"].tolist(), "logprob_masks": batch["logprob_masks"].int().tolist()}
        return {**values, "longest": packer.policy_compute_max_len(samples)}

    expect_outcome(vector, run)
