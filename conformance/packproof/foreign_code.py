"""A model folder that brings code of its own, for tokenizer and configuration, which leaves a mark when it runs."""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

__all__ = ["FOLDER_TOKENIZER", "model_with_code", "nobody_to_ask"]

FOLDER_TOKENIZER = "FolderTokenizer"
"""Name of the tokenizer class that the folder brings."""

_CODE = '''"""A tokenizer class that a model folder brings along."""
from pathlib import Path

from transformers import PreTrainedTokenizerFast

Path({mark!r}).touch()


class {name}(PreTrainedTokenizerFast):
    """Behaves as its base; that it was loaded at all is what counts."""
'''

_CONFIG_CODE = '''"""A configuration class that a model folder brings along."""
from pathlib import Path

from transformers import PretrainedConfig

Path({mark!r}).touch()


class FolderConfig(PretrainedConfig):
    """Holds what `config.json` says."""

    model_type = {model_type!r}
'''


@contextmanager
def model_with_code(model: str) -> Iterator[tuple[str, Callable[[], bool]]]:
    """A copy of the model folder whose tokenizer is a class in the folder; yields it and "has its code run?".

    Where the model has a configuration, the folder brings a class for that too.
    """
    with tempfile.TemporaryDirectory(prefix="packproof_") as parent:
        # A name of its own: transformers keys its copy of the code by it, and other processes may be at this too.
        folder, mark = Path(parent) / f"code_of_{Path(parent).name}", Path(parent) / "code-has-run"
        folder.mkdir()
        for name in ("tokenizer.json", "tokenizer_config.json", "config.json", "special_tokens_map.json"):
            if (Path(model) / name).exists():
                shutil.copy(Path(model) / name, folder)
        auto_map = {"AutoTokenizer": [None, f"folder_tokenizer.{FOLDER_TOKENIZER}"]}
        _change(folder / "tokenizer_config.json", tokenizer_class=FOLDER_TOKENIZER, auto_map=auto_map)
        code = _CODE.format(mark=str(mark), name=FOLDER_TOKENIZER)
        (folder / "folder_tokenizer.py").write_text(code, encoding="utf-8")
        if (folder / "config.json").exists():
            config = _change(folder / "config.json", auto_map={"AutoConfig": "folder_config.FolderConfig"})
            code = _CONFIG_CODE.format(mark=str(mark), model_type=config.get("model_type", ""))
            (folder / "folder_config.py").write_text(code, encoding="utf-8")
        try:
            yield str(folder), mark.exists
        finally:
            _forget_modules(folder.name)


def _change(file: Path, **entries: Any) -> dict[str, Any]:
    """Put entries into a JSON file; returns what it then holds."""
    held = json.loads(file.read_text(encoding="utf-8")) | entries
    file.write_text(json.dumps(held), encoding="utf-8")
    return held


@contextmanager
def nobody_to_ask() -> Iterator[list[str]]:
    """Within the block a question at the terminal finds its end, as in a job; yields the questions asked."""
    questions: list[str] = []

    def nobody(prompt: object = "", /) -> NoReturn:
        questions.append(str(prompt))
        raise EOFError("nobody is at the terminal")

    with patch("builtins.input", nobody):
        yield questions


def _forget_modules(folder: str) -> None:
    """Transformers keeps a copy of the folder's code among its dynamic modules; remove it again."""
    for name in [name for name in sys.modules if folder in name]:
        del sys.modules[name]
    try:
        from transformers.utils.hub import HF_MODULES_CACHE
    except ImportError:
        return
    for copied in (Path(HF_MODULES_CACHE) / "transformers_modules").glob(f"*{folder}*"):
        shutil.rmtree(copied, ignore_errors=True)
