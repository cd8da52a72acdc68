"""Model folders for the selection rules: any `config.json`, beside a real tokenizer."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from packproof.models import model_path

__all__ = ["model_folder"]


@contextmanager
def model_folder(config: Mapping[str, Any]) -> Iterator[str]:
    """A folder with this `config.json` and the tokenizer of tiny-gpt2; removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="packproof-model-") as folder:
        for name in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(model_path("tiny-gpt2") / name, folder)
        (Path(folder) / "config.json").write_text(json.dumps(dict(config)), encoding="utf-8")
        yield folder
