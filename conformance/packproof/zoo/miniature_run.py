"""A run that takes data sources in and keeps every rule, in steps small enough for a fault to replace just one of them.

It shares no code with the models of the schemas, nor with the reference.
"""

import importlib
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from typing import Any

from packproof.zoo.miniature_cursors import MiniatureCursors, Opened

__all__ = ["MiniatureRun", "Sample"]

_PROMPTS = ("factory", "path", "name")
_PREFERENCES = ("factory", "jsonl_path", "tar_path", "synthetic_pairs")
_NAMES = {
    "prompt_column": "prompt",
    "response_column": "reference",
    "image_column": "image",
    "video_column": "video",
    "id_column": "id",
}


class Sample:
    """What a row became."""

    def __init__(self, representations: dict[str, Any]) -> None:
        self.representations = representations


class MiniatureRun(MiniatureCursors):
    """Takes sources in and, as it stands, has no fault."""

    def open_prompts(self, settings: Mapping[str, Any]) -> Opened:
        """The prompts of the settings."""
        self._expect_one_selector(settings, _PROMPTS)
        fn = self._imported(settings["items_fn"]) if settings.get("items_fn") else None
        source, path = self._source(settings)
        opened = Opened(source, path, lambda opened, index: self._sample(opened, index, settings, fn))
        self._look_at_first(opened)
        return opened

    def open_preferences(self, settings: Mapping[str, Any]) -> Opened:
        """The preferences of the settings."""
        self._expect_one_selector(settings, _PREFERENCES)
        source, path = self._source(settings)
        return Opened(source, path, self._triple)

    def recorded(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The section as it is written down."""
        return {**settings, "factory_kwargs": deepcopy(settings.get("factory_kwargs") or {})}

    def refuse_overlap(self, training: Opened, held_out: Opened) -> None:
        """`ValueError` unless validation may start."""
        self._expect_apart(self._ids(training), self._ids(held_out), training.path, held_out.path)

    def preflight(self, config: Mapping[str, Any]) -> None:
        """Import every path."""
        for path in self._paths(config):
            self._look_up(path)

    # From settings to a source.

    def _expect_one_selector(self, settings: Mapping[str, Any], selectors: tuple[str, ...]) -> None:
        chosen = [name for name in selectors if self._is_set(settings.get(name))]
        if len(chosen) > 1:
            self._refuse_selectors({name: settings[name] for name in chosen})
        if settings.get("factory_kwargs") and "factory" not in chosen:
            raise ValueError("factory_kwargs without a factory would be lost")
        if chosen != ["factory"]:
            raise ValueError("this run has no sources of its own")

    def _is_set(self, value: Any) -> bool:
        return bool(value)

    def _refuse_selectors(self, chosen: dict[str, Any]) -> None:
        raise ValueError(f"more than one source is set: {chosen}")

    def _source(self, settings: Mapping[str, Any]) -> tuple[Any, str]:
        path = settings["factory"]
        source = self._called(self._imported(path), self._arguments(settings), path)
        self._expect_source(source, path)
        return source, path

    def _imported(self, path: str) -> Callable[..., Any]:
        try:
            return self._look_up(path)
        except Exception as error:
            raise ImportError(f"{path} cannot be imported: {error}") from error

    def _look_up(self, path: str) -> Callable[..., Any]:
        module, _, name = path.rpartition(".")
        if not module:
            raise ImportError(f"{path} has no dot")
        found = getattr(importlib.import_module(module), name)
        if not callable(found):
            raise TypeError(f"{path} cannot be called")
        return found

    def _arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return deepcopy(settings.get("factory_kwargs") or {})

    def _called(self, factory: Callable[..., Any], arguments: dict[str, Any], path: str) -> Any:
        try:
            return factory(**arguments)
        except (Exception, SystemExit) as error:
            raise ValueError(f"{path} raised {type(error).__name__}: {error}") from error

    def _expect_source(self, source: Any, path: str) -> None:
        shown = source.__name__ if isinstance(source, type) else type(source).__name__
        lacking = [one for one in ("__len__", "__getitem__") if not hasattr(type(source), one)]
        if lacking or not self._is_map_style(source):
            raise TypeError(f"{path} gave a {shown}, which has no usable {' and '.join(lacking) or '__getitem__'}")
        if not self._length(source, path, shown):
            raise ValueError(f"{path} gave a {shown} without an item")

    def _is_map_style(self, source: Any) -> bool:
        from torch.utils.data import Dataset, IterableDataset

        only_inherited = type(source).__getitem__ is Dataset.__getitem__
        return not (only_inherited or isinstance(source, (Mapping, str, bytes, type, IterableDataset)))

    def _length(self, source: Any, path: str, shown: str) -> int:
        try:
            return len(source)
        except Exception as error:
            raise TypeError(f"{path} gave a {shown} without a usable __len__: {error}") from error

    # From items to triples and samples.

    def _triple(self, opened: Opened, index: int) -> tuple[Any, Any, Any]:
        item = opened.source[index]
        self._expect_triple(item, f"{opened.path}: item {index}")
        return self._copied(item)

    def _expect_triple(self, item: Any, where: str) -> None:
        if not isinstance(item, tuple) or len(item) != 3:
            raise TypeError(f"{where} is a {type(item).__name__} and no tuple of prompt, winner and loser")

    def _look_at_first(self, opened: Opened) -> None:
        opened[0]

    def _sample(
        self, opened: Opened, index: int, settings: Mapping[str, Any], fn: Callable[[Any], Any] | None
    ) -> Sample:
        row = self._row(opened, index)
        if fn is not None:
            row = self._copied(fn(row))
        return Sample(self._representations(row, settings, f"{opened.path}: row {index}"))

    def _row(self, opened: Opened, index: int) -> Any:
        return self._copied(opened.source[index])

    def _copied(self, value: Any) -> Any:
        if isinstance(value, dict):
            made = copy(value)
            made.update({key: self._copied(one) for key, one in value.items()})
            return made
        if isinstance(value, tuple):
            return self._tuple(value)
        if isinstance(value, Mapping):
            return deepcopy(value)
        return [self._copied(one) for one in value] if isinstance(value, list) else value

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple.__new__(type(value), [self._copied(one) for one in value])

    def _representations(self, row: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> dict[str, Any]:
        named = {"prompt_column": "prompt", **settings}
        columns = {setting: named[setting] for setting in _NAMES if named.get(setting)}
        made = {_NAMES[setting]: self._value(row, setting, column, where) for setting, column in columns.items()}
        if settings.get("metadata_columns"):
            listed = settings["metadata_columns"]
            made["metadata"] = {column: self._value(row, "metadata_columns", column, where) for column in listed}
        media = {setting: column for setting, column in columns.items() if setting in ("image_column", "video_column")}
        if media:
            self._expect_text(made["prompt"], media, where)
            made["prompt"] = self._with_media(made["prompt"], made.get("image"), made.get("video"))
        return made

    def _value(self, row: Mapping[str, Any], setting: str, column: str, where: str) -> Any:
        if column not in row:
            raise ValueError(f"{where} lacks the column {column} that {setting} names; it has {', '.join(row)}")
        return row[column]

    def _expect_text(self, prompt: Any, media: dict[str, str], where: str) -> None:
        if not isinstance(prompt, str):
            raise ValueError(f"{where} has a conversation beside {media}")  # noqa: TRY004  SOURCE-8 wants it

    def _with_media(self, prompt: str, image: Any, video: Any) -> Any:
        parts = self._parts(image, video)
        return [{"role": "user", "content": [*parts, {"type": "text", "text": prompt}]}] if parts else prompt

    def _parts(self, image: Any, video: Any) -> list[Any]:
        images = [{"type": "image", "image": handle} for handle in self._several(image)]
        return [*images, *deepcopy(self._several(video))]

    def _several(self, value: Any) -> list[Any]:
        return value if isinstance(value, list) else [] if value is None else [value]

    # Held-out data.

    def _ids(self, opened: Opened) -> tuple[str, ...]:
        if not hasattr(opened.source, "membership_ids"):
            raise ValueError(f"{opened.path} gives a source without membership_ids()")
        ids = opened.source.membership_ids()
        self._expect_ids(ids, opened)
        return ids

    def _expect_ids(self, ids: Any, opened: Opened) -> None:
        good = isinstance(ids, tuple) and all(isinstance(one, str) and one for one in ids)
        if not good or len(set(ids)) != len(opened) or len(ids) != len(opened):
            raise ValueError(f"{opened.path}: membership_ids() gave {ids!r} for {len(opened)} items")

    def _expect_apart(self, trained: tuple[str, ...], held_out: tuple[str, ...], *paths: str) -> None:
        common = self._common(trained, held_out)
        if common:
            raise ValueError(f"{len(common)} ids are in both {' and '.join(paths)}: {', '.join(common[:3])}")

    def _common(self, trained: tuple[str, ...], held_out: tuple[str, ...]) -> list[str]:
        return sorted(set(trained) & set(held_out))

    # The driver.

    def _paths(self, config: Mapping[str, Any]) -> list[str]:
        rl, packers = config.get("rl") or {}, config.get("data_packer") or {}
        sections = [rl.get("data") or {}, (rl.get("validation") or {}).get("data") or {}]
        found = [section.get(name) for section in sections for name in ("factory", "items_fn")]
        return [path for path in (*found, packers.get("factory"), packers.get("teacher_model_factory")) if path]
