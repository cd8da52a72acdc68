"""Rows of a data set of the library `datasets`: saved in a local folder, or known by its public name."""

import json
import os
from pathlib import Path
from typing import Any

from packer_reference.sources.file_bytes import FileBytes
from packer_reference.sources.map_style import place_of
from packer_schemas import identity_digest

__all__ = ["DatasetRows", "named_rows", "saved_rows"]


class DatasetRows:
    """A map-style source over a `datasets.Dataset` that lies in Arrow files; rows are made anew at every read."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._digest: str | None = None

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self._dataset[place_of(index, len(self))]

    def cursor_fingerprint(self) -> str:
        """Another string for every content of the files, or format of the rows; the same in every folder (SOURCE-10).

        The data set's own fingerprint is not used: it follows how a set was made, and not what is in it.
        """
        if self._digest is None:
            files = [FileBytes(file["filename"]).digest() for file in self._dataset.cache_files]
            form = {"files": files, "features": repr(self._dataset.features), "format": repr(self._dataset.format)}
            self._digest = identity_digest(form)
        return f"packer_reference.datasets-v1-{self._digest}"


def saved_rows(folder: str | os.PathLike[str]) -> DatasetRows:
    """The data set that `Dataset.save_to_disk` left in a folder.

    Raises `ValueError` for a folder of several splits, or of something else, and `ImportError` without `datasets`.
    """
    if (splits := Path(folder) / "dataset_dict.json").is_file():
        names = json.loads(splits.read_text(encoding="utf-8"))["splits"]
        raise ValueError(f"{folder}: holds the splits {', '.join(names)}; name one of them, as in {folder}/{names[0]}")
    if not (Path(folder) / "state.json").is_file():
        raise ValueError(
            f"{folder}: is a folder without state.json, expected one that Dataset.save_to_disk wrote, or a .jsonl, "
            ".ndjson or .parquet file"
        )
    import datasets

    return DatasetRows(datasets.load_from_disk(str(folder), keep_in_memory=False))


def named_rows(name: str) -> DatasetRows:
    """The split `train` of a data set by its public name, from the cache of `datasets` or from its hub.

    Another split or configuration takes a factory of a few lines. Raises `ValueError` for a name that a file or folder
    has too, since `datasets` would read that; what `datasets` raises passes through.
    """
    if Path(name).exists():
        raise ValueError(f"{name}: is the path of something here, expected a public name; use the setting path for it")
    import datasets

    found = datasets.load_dataset(name, split="train", keep_in_memory=False)
    if not isinstance(found, datasets.Dataset):
        raise ValueError(f"{name}: has no map-style split 'train', got {type(found).__name__}")
    return DatasetRows(found)
