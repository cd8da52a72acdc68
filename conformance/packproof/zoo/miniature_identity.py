"""The miniature packer with a declared identity, in steps small enough for a fault to replace just one of them.

It declares media settings too, as far as its model folder has some, and shapes text only.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from packproof.zoo.miniature import MiniaturePacker

__all__ = ["MiniatureDeclared"]

_PLACEHOLDERS = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id", "audio_token_id")


class MiniatureDeclared(MiniaturePacker):
    """Declares what decides its output, and what a processor of its model would do."""

    def setup(self, name_or_path: str, trust_remote_code: bool = False) -> None:
        """As the miniature; keeps what it declares later."""
        super().setup(name_or_path, trust_remote_code)
        self.trusted = trust_remote_code
        self.config = self._file(name_or_path, "config.json") or {}
        self.images = self._file(name_or_path, "preprocessor_config.json")
        self.videos = self._file(name_or_path, "video_preprocessor_config.json")

    def _file(self, folder: str, name: str) -> Any:
        file = Path(folder, name)
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None

    def save_state(self, dest_path: str) -> None:
        """As the miniature, with the files that it declares settings of."""
        super().save_state(dest_path)
        files = {"config": self.config, "preprocessor_config": self.images, "video_preprocessor_config": self.videos}
        for name, content in files.items():
            if content is not None:
                Path(dest_path, f"{name}.json").write_text(json.dumps(content), encoding="utf-8")

    def validation_semantics_identity(self) -> dict[str, Any]:
        """What decides the output."""
        self._expect_setup()
        return {
            "tokenizer_sha256": self._content(),
            "chat_template": self._template(),
            "special_tokens": self._special_tokens(),
            "model_type": self._model_type(),
            "trust_remote_code": self._trust(),
            "shaping": 1,
        }

    def processor_semantics_identity(self) -> dict[str, Any]:
        """What a processor is and does."""
        self._expect_setup()
        return {
            "tokenizer_sha256": self._processor_content(),
            "chat_template": self._processor_template(),
            "model_type": self._model_type(),
            "image_processor": self._image_settings(),
            "video_processor": self._video_settings(),
            "placeholders": self._placeholders(),
        }

    def _expect_setup(self) -> None:
        if self.tokenizer is None:
            raise ValueError("setup has not been called, so there is nothing to declare yet")

    def _content(self) -> Any:
        return self._digest(self._tokenizer_content())

    def _tokenizer_content(self) -> dict[str, Any]:
        """What a fast tokenizer is made of, less what its last call left behind."""
        content = json.loads(self.tokenizer.backend_tokenizer.to_str())
        added = sorted(content["added_tokens"], key=lambda token: token["id"])
        return content | {"truncation": None, "padding": None, "added_tokens": added}

    def _digest(self, value: Any) -> str:
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

    def _template(self) -> Any:
        return self.tokenizer.chat_template

    def _special_tokens(self) -> Any:
        tokenizer = self.tokenizer
        return {
            "bos": tokenizer.bos_token_id,
            "eos": tokenizer.eos_token_id,
            "unk": tokenizer.unk_token_id,
            "pad": self._pad(),
            "others": sorted(tokenizer.all_special_ids),
            "added_by_a_call": self.adds_special_tokens(),
            "read_as_text": bool(getattr(tokenizer, "split_special_tokens", False)),
        }

    def _pad(self) -> Any:
        return self.tokenizer.pad_token_id

    def _model_type(self) -> Any:
        return self.config.get("model_type")

    def _trust(self) -> Any:
        return self.trusted

    def _processor_content(self) -> Any:
        return self._content()

    def _processor_template(self) -> Any:
        return self._template()

    def _image_settings(self) -> Any:
        return self._settings(self.images)

    def _video_settings(self) -> Any:
        return self._settings(self.videos)

    def _settings(self, settings: Any) -> Any:
        return None if settings is None else dict(settings)

    def _placeholders(self) -> Any:
        return {name: self.config.get(name) for name in _PLACEHOLDERS}
