"""Real packers on the embedded model folders, and model folders of a test's own."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from packer_reference import BaseDataPacker, DecoderOnlyLLMDataPacker
from packproof.models import EMBEDDED, model_path


@pytest.fixture(scope="session", params=EMBEDDED)
def ready(request: pytest.FixtureRequest) -> DecoderOnlyLLMDataPacker:
    """A set-up packer on each embedded model in turn; shared, so leave it as it is."""
    return _ready(request.param)


@pytest.fixture(scope="session")
def packer() -> DecoderOnlyLLMDataPacker:
    """A set-up packer on tiny-qwen; shared, so leave it as it is."""
    return _ready("tiny-qwen")


@pytest.fixture
def model_folder(tmp_path: Path) -> Callable[..., str]:
    """Makes a model folder: a config.json, and tokenizer files if a tokenizer is given."""

    def make(config: dict[str, Any] | None = None, tokenizer: Any = None, name: str = "model", **files: str) -> str:
        folder = tmp_path / name
        folder.mkdir()
        if tokenizer is not None:
            tokenizer.save_pretrained(folder)
        if config is not None:
            (folder / "config.json").write_text(json.dumps(config))
        for stem, text in files.items():
            (folder / f"{stem}.py").write_text(text)
        return str(folder)

    return make


@pytest.fixture
def registry() -> Iterator[None]:
    """Puts the registry back as it was."""
    before = dict(BaseDataPacker._classes)
    yield
    BaseDataPacker._classes.clear()
    BaseDataPacker._classes.update(before)


def _ready(name: str) -> DecoderOnlyLLMDataPacker:
    packer = DecoderOnlyLLMDataPacker()
    packer.setup(str(model_path(name)))
    return packer
