"""What a run holds once its source is built: the source, where it came from, and the items as they may be handed on."""

from collections.abc import Callable, Mapping
from typing import Any

from packer_reference.loading import load_callable
from packer_reference.sources.columns import ColumnMap
from packer_reference.sources.containers import copy_containers
from packer_reference.sources.map_style import expect_map_style, place_of
from packer_schemas import ObsBundle, PromptSourceSettings

__all__ = ["BuiltSource", "PreferenceSource", "PromptSource"]


class BuiltSource:
    """A source and its `origin`: how messages name where it came from, such as `factory 'my.data.rows'`.

    `fresh` says that the source makes its items anew at every read, so that they need not be copied. Raises what
    `expect_map_style` raises. Pickles as far as the source does.
    """

    def __init__(self, source: Any, origin: str, *, fresh: bool = False) -> None:
        self.source = source
        self.origin = origin
        self._fresh = fresh
        self._length = expect_map_style(source, origin)

    def __len__(self) -> int:
        return self._length

    def _item(self, index: int) -> Any:
        """The item at an index from 0 to N - 1, as the source hands it out."""
        if self._fresh:
            return self.source[index]
        try:
            return self.source[index]
        except Exception as error:  # an IndexError among them, which would end a loop as if all had been read
            raise ValueError(
                f"{self.origin}: item {index} of {self._length} cannot be read: {type(error).__name__}: {error}"
            ) from error

    def _copied(self, value: Any, index: int) -> Any:
        """A copy of what user code may write into; for an item that has something else than data in it, it fails."""
        try:
            return copy_containers(value)
        except Exception as error:
            raise ValueError(
                f"{self.origin}: item {index} cannot be copied, so that what is written into it would stay in the "
                f"source: {type(error).__name__}: {error}"
            ) from error


class PromptSource(BuiltSource):
    """The prompts of a run: `source[i]` is the sample that is made of row i, an `ObsBundle`.

    Its containers are the caller's own, values are not converted, and an index beyond the rows is an `IndexError`. The
    first row is looked at when this is made. Raises `ValueError` for a row that lacks a configured column or cannot be
    read, and for an `items_fn` that raises; `TypeError` for a row that is no mapping. Spec: sources, SOURCE-6 to
    SOURCE-9.
    """

    def __init__(self, source: Any, settings: PromptSourceSettings, origin: str, *, fresh: bool = False) -> None:
        super().__init__(source, origin, fresh=fresh)
        self._columns = ColumnMap(settings, origin)
        self._items_fn_path = settings.items_fn or ""
        self._items_fn: Callable[..., Any] | None = None
        self[0]

    def __getitem__(self, index: int) -> ObsBundle:
        place = place_of(index, len(self))
        row = self._item(place)
        if self._items_fn_path:
            row = self._changed(row if self._fresh else self._copied(row, place), place)
        made = self._columns.representations(row, place)
        if self._items_fn_path or not self._fresh:
            made = self._copied(made, place)  # a function of the user's may hand out what it keeps, as a source may
        return ObsBundle.model_construct(representations=made)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_items_fn": None}  # found by its path again: not every function pickles

    def _changed(self, row: Any, place: int) -> Any:
        if self._items_fn is None:
            self._items_fn = load_callable(self._items_fn_path)
        where = f"items_fn {self._items_fn_path!r}, row {place} of {self.origin}"
        try:
            changed = self._items_fn(row)
        except Exception as error:
            raise ValueError(f"{where}: raised {type(error).__name__}: {error}") from error
        if not isinstance(changed, Mapping):
            raise TypeError(f"{where}: returned a {type(changed).__name__}, expected one row, a mapping")
        return changed


class PreferenceSource(BuiltSource):
    """The preference pairs of a run: `source[i]` is the triple of prompt, winner and loser.

    Its containers are the caller's own, and an index beyond the pairs is an `IndexError`. No pair is read when this is
    made. Raises `ValueError` for a pair that cannot be read, `TypeError` for an item that is not a tuple, and
    `ValueError` for one of another length than three. Spec: sources, SOURCE-6 and SOURCE-7.
    """

    def __getitem__(self, index: int) -> tuple[Any, Any, Any]:
        place = place_of(index, len(self))
        item = self._item(place)
        wanted = "expected the tuple (prompt, winner, loser)"
        if not isinstance(item, tuple):
            raise TypeError(f"{self.origin}: item {place} is a {type(item).__name__}, {wanted}")
        if len(item) != 3:
            raise ValueError(f"{self.origin}: item {place} is a tuple of {len(item)}, {wanted}")
        return item if self._fresh else self._copied(item, place)
