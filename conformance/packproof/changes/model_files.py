"""The files of a model folder that decide how its data is shaped, read into memory, changed there and written again."""

import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ModelFiles", "Parsed"]

_WEIGHTS = {".bin", ".gguf", ".h5", ".msgpack", ".onnx", ".pt", ".pth", ".safetensors"}

Parsed = dict[str, Any]


@dataclass(frozen=True)
class ModelFiles:
    """A model folder without its weights: JSON files parsed, all others as bytes, by their path in the folder."""

    parsed: Mapping[str, Parsed]
    others: Mapping[str, bytes]

    @classmethod
    def read(cls, folder: Path) -> "ModelFiles":
        """The files of a folder and of the folders in it."""
        parsed: dict[str, Parsed] = {}
        others: dict[str, bytes] = {}
        for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.suffix not in _WEIGHTS):
            name, content = path.relative_to(folder).as_posix(), path.read_bytes()
            found = _object(content) if path.suffix == ".json" else None
            if found is None:
                others[name] = content
            else:
                parsed[name] = found
        return cls(parsed, others)

    def write(self, folder: Path) -> None:
        """Write them into a folder, which is made."""
        for name, content in (*((n, _text(one)) for n, one in self.parsed.items()), *self.others.items()):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    @property
    def tokenizer(self) -> Parsed:
        """A copy of `tokenizer.json`; empty where there is none."""
        return self._copy("tokenizer.json")

    @property
    def settings(self) -> Parsed:
        """A copy of `tokenizer_config.json`; empty where there is none."""
        return self._copy("tokenizer_config.json")

    @property
    def config(self) -> Parsed:
        """A copy of `config.json`; empty where there is none."""
        return self._copy("config.json")

    def having(self, **files: Parsed) -> "ModelFiles":
        """The same files, with others in the place of `tokenizer`, `settings` and `config`."""
        names = {"tokenizer": "tokenizer.json", "settings": "tokenizer_config.json", "config": "config.json"}
        return self.with_files({names[which]: content for which, content in files.items()})

    def with_files(self, files: Mapping[str, Parsed]) -> "ModelFiles":
        """The same files, with these JSON files in the place of those of their names, or beside them."""
        return ModelFiles({**self.parsed, **files}, self.others)

    def reordered(self) -> "ModelFiles":
        """The same content, with the keys of every object in the opposite order."""
        return ModelFiles({name: _reversed(one) for name, one in self.parsed.items()}, self.others)

    def template(self) -> str | None:
        """The text of the chat template, from where transformers reads it first; of several by name the default one."""
        if "chat_template.jinja" in self.others:
            return self.others["chat_template.jinja"].decode()
        found = self.parsed.get("chat_template.json", self.settings).get("chat_template")
        if isinstance(found, list):
            found = next((one["template"] for one in found if one.get("name") == "default"), None)
        return found if isinstance(found, str) else None

    def with_template(self, text: str | None) -> "ModelFiles":
        """The same files with another chat template, or without one, at the place of the one that is there."""
        if "chat_template.jinja" in self.others:
            others = {name: one for name, one in self.others.items() if name != "chat_template.jinja"}
            return ModelFiles(self.parsed, others | ({} if text is None else {"chat_template.jinja": text.encode()}))
        name = "chat_template.json" if "chat_template.json" in self.parsed else "tokenizer_config.json"
        file = self.parsed.get(name, {})
        rest, found = {key: one for key, one in file.items() if key != "chat_template"}, file.get("chat_template")
        if isinstance(found, list):
            others = [one for one in found if one.get("name") != "default"]
            own = [] if text is None else [{"name": "default", "template": text}]
            return self.with_files({name: {**rest, "chat_template": [*own, *others]}})
        return self.with_files({name: rest if text is None else {**rest, "chat_template": text}})

    def added_tokens(self) -> Iterator[str]:
        """Contents of the added tokens of `tokenizer.json`."""
        for token in self.parsed.get("tokenizer.json", {}).get("added_tokens", []):
            yield token["content"]

    def _copy(self, name: str) -> Parsed:
        dumped = pickle.dumps(self.parsed.get(name, {}))  # a vocabulary is large, and deepcopy is slow
        return pickle.loads(dumped)  # noqa: S301  our own bytes


def _object(content: bytes) -> Parsed | None:
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _text(value: Parsed) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(one) for one in value] if isinstance(value, list) else value
