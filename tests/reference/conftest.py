"""Real packers on the embedded model folders, and model folders of a test's own."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import user_sources

from packer_reference import BaseDataPacker, DecoderOnlyLLMDataPacker
from packer_reference.sources import PromptSource, build_prompt_source
from packer_schemas import PromptSourceSettings
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


@pytest.fixture
def from_rows(monkeypatch: pytest.MonkeyPatch) -> Callable[..., PromptSource]:
    """Makes a source of prompts over rows of the test's own, which its factory keeps and hands out as they are."""

    def make(*rows: Any, **settings: Any) -> PromptSource:
        monkeypatch.setattr(user_sources, "ROWS", list(rows))
        settings = {"factory": "user_sources.rows", "prompt_column": "question", **settings}
        return build_prompt_source(PromptSourceSettings(**settings))

    return make


def _ready(name: str) -> DecoderOnlyLLMDataPacker:
    packer = DecoderOnlyLLMDataPacker()
    packer.setup(str(model_path(name)))
    return packer
