"""A model folder that brings tokenizer code of its own, which leaves a mark when it runs."""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["FOLDER_TOKENIZER", "model_with_code"]

FOLDER_TOKENIZER = "FolderTokenizer"
"""Name of the tokenizer class that the folder brings."""

_CODE = '''"""A tokenizer class that a model folder brings along."""
from pathlib import Path

from transformers import PreTrainedTokenizerFast

Path({mark!r}).touch()


class {name}(PreTrainedTokenizerFast):
    """Behaves as its base; that it was loaded at all is what counts."""
'''


@contextmanager
def model_with_code(model: str) -> Iterator[tuple[str, Callable[[], bool]]]:
    """A copy of the model folder whose tokenizer is a class in the folder; yields it and "has its code run?"."""
    with tempfile.TemporaryDirectory(prefix="packproof_") as parent:
        # A name of its own: transformers keys its copy of the code by it, and other processes may be at this too.
        folder, mark = Path(parent) / f"code_of_{Path(parent).name}", Path(parent) / "code-has-run"
        folder.mkdir()
        for name in ("tokenizer.json", "tokenizer_config.json", "config.json", "special_tokens_map.json"):
            if (Path(model) / name).exists():
                shutil.copy(Path(model) / name, folder)
        config_file = folder / "tokenizer_config.json"
        config = json.loads(config_file.read_text(encoding="utf-8"))
        config["tokenizer_class"] = FOLDER_TOKENIZER
        config["auto_map"] = {"AutoTokenizer": [None, f"folder_tokenizer.{FOLDER_TOKENIZER}"]}
        config_file.write_text(json.dumps(config), encoding="utf-8")
        code = _CODE.format(mark=str(mark), name=FOLDER_TOKENIZER)
        (folder / "folder_tokenizer.py").write_text(code, encoding="utf-8")
        try:
            yield str(folder), mark.exists
        finally:
            _forget_modules(folder.name)


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
