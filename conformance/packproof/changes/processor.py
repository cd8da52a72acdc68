"""Changes of a multimodal processor, one at a time (IDENT-11, IDENT-12 and IDENT-13), and a processor to change."""

from collections.abc import Callable, Iterator
from typing import Any

from packproof.changes.model_files import ModelFiles

__all__ = ["IMAGE_CHANGES", "OTHER_TOKENS", "PLACEHOLDERS", "VIDEO_CHANGES", "ids_exchanged", "with_processor"]

IMAGES, VIDEOS = "preprocessor_config.json", "video_preprocessor_config.json"

PLACEHOLDERS = {
    "the image placeholder": "image_token_id",
    "the video placeholder": "video_token_id",
    "the marker before media": "vision_start_token_id",
    "the marker after media": "vision_end_token_id",
    "the audio placeholder": "audio_token_id",
}
"""What each id of `config.json` stands for, by the key that holds it."""

OTHER_TOKENS = "two other added tokens"

_SIZES = {
    "patch_size": 16,
    "merge_size": 2,
    "temporal_patch_size": 2,
    "size": {"shortest_edge": 4096, "longest_edge": 65536},
}
_PIXELS = {
    "do_convert_rgb": True,
    "do_normalize": True,
    "do_rescale": True,
    "do_resize": True,
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
    "resample": 3,
    "rescale_factor": 0.00392156862745098,
}
_IMAGE_SETTINGS = {
    **_SIZES,
    **_PIXELS,
    "image_processor_type": "Qwen2VLImageProcessor",
    "processor_class": "Qwen3VLProcessor",
}
_VIDEO_SETTINGS = {
    **_SIZES,
    **_PIXELS,
    "do_sample_frames": True,
    "fps": 2.0,
    "max_frames": 768,
    "min_frames": 4,
    "processor_class": "Qwen3VLProcessor",
    "video_processor_type": "Qwen3VLVideoProcessor",
}
_TOKENS = {
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
}


def with_processor(files: ModelFiles) -> ModelFiles | None:
    """The model with a processor: its own, or that of a tiny Qwen3-VL where its tokenizer has the tokens for one.

    None where it has neither.
    """
    if IMAGES in files.parsed or VIDEOS in files.parsed:
        return files
    ids = {token["content"]: token["id"] for token in files.tokenizer.get("added_tokens", [])}
    if not files.config or not set(_TOKENS.values()) <= set(ids):
        return None
    placeholders = {key: ids[token] for key, token in _TOKENS.items()}
    config = {**files.config, "model_type": "qwen3_vl", "vision_config": {"patch_size": 16}, **placeholders}
    return files.having(config=config).with_files({IMAGES: _IMAGE_SETTINGS, VIDEOS: _VIDEO_SETTINGS})


def ids_exchanged(files: ModelFiles, what: str) -> ModelFiles | None:
    """The model with the id of a placeholder, or of some other added token, exchanged for another's; None if it cannot.

    It is exchanged wherever it stands, in the tokenizer and in the config, so that a packer finds one model.
    """
    config, tokenizer = files.config, files.tokenizer
    added = tokenizer.get("added_tokens", [])
    held = {config.get(key) for key in PLACEHOLDERS.values()}
    spare = [token for token in added if token["id"] not in held]
    own = [token for token in added if token["id"] == config.get(PLACEHOLDERS.get(what, ""), -1)]
    if len(spare) < 2 or not (own or what == OTHER_TOKENS):
        return None
    first, second = own[0] if own else spare[-2], spare[-1]
    swapped = {first["id"]: second["id"], second["id"]: first["id"]}
    by_id = {token["id"]: token for token in added}
    turned = [{**by_id[swapped.get(token["id"], token["id"])], "id": token["id"]} for token in added]
    model, vocabulary = tokenizer["model"], tokenizer["model"].get("vocab")
    if isinstance(vocabulary, dict):
        model = {**model, "vocab": {token: swapped.get(id, id) for token, id in vocabulary.items()}}
    ids = {key: swapped.get(id, id) for key, id in config.items() if key.endswith("_token_id") and isinstance(id, int)}
    return files.having(tokenizer={**tokenizer, "added_tokens": turned, "model": model}, config={**config, **ids})


def _setting(file: str, key: str) -> Callable[[ModelFiles], Iterator[ModelFiles]]:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        settings = files.parsed.get(file, {})
        if settings.get(key) is not None:
            yield files.with_files({file: {**settings, key: _another(settings[key])}})

    return candidates


def _another(value: Any) -> Any:
    """A value of the same kind that a processor takes in the place of this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, dict):
        return {key: _another(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_another(one) for one in value]
    return value * 2 if isinstance(value, (int, float)) else value


def _another_type(file: str, key: str, *types: str) -> Callable[[ModelFiles], Iterator[ModelFiles]]:
    def candidates(files: ModelFiles) -> Iterator[ModelFiles]:
        settings = files.parsed.get(file, {})
        for name in types:
            if settings.get(key) not in (None, name):
                yield files.with_files({file: {**settings, key: name}})

    return candidates


def _resampling(files: ModelFiles) -> Iterator[ModelFiles]:
    settings = files.parsed.get(IMAGES, {})
    if isinstance(settings.get("resample"), int):
        yield files.with_files({IMAGES: {**settings, "resample": 2 if settings["resample"] != 2 else 3}})


IMAGE_CHANGES: dict[str, Callable[[ModelFiles], Iterator[ModelFiles]]] = {
    "the type of the image processor": _another_type(
        IMAGES, "image_processor_type", "Qwen2VLImageProcessor", "CLIPImageProcessor"
    ),
    **{
        f"{key} of the images": _setting(IMAGES, key)
        for key in ("size", "min_pixels", "max_pixels", "patch_size", "merge_size", "image_mean", "image_std")
    },
    **{
        f"{key} of the images": _setting(IMAGES, key)
        for key in ("rescale_factor", "do_resize", "do_rescale", "do_normalize", "do_convert_rgb")
    },
    "resampling of the images": _resampling,
}
"""By name, what makes a model with another image processor (IDENT-11)."""

VIDEO_CHANGES: dict[str, Callable[[ModelFiles], Iterator[ModelFiles]]] = {
    "the type of the video processor": _another_type(
        VIDEOS, "video_processor_type", "Qwen2VLVideoProcessor", "Qwen3VLVideoProcessor"
    ),
    **{
        f"{key} of the videos": _setting(VIDEOS, key)
        for key in ("fps", "min_frames", "max_frames", "num_frames", "do_sample_frames", "temporal_patch_size")
    },
    **{f"{key} of the videos": _setting(VIDEOS, key) for key in ("size", "patch_size", "image_mean", "do_resize")},
}
"""By name, what makes a model with another video processor, and the same image processor (IDENT-12)."""
