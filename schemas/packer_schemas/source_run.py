"""What the rules on data sources ask of a run: an object that takes sources in as the run does, and tells about it."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

__all__ = ["SourceRun"]


@runtime_checkable
class SourceRun(Protocol):
    """Takes data sources in as a run does. Spec: sources.

    `settings` are those of the chapter, plain data: `factory`, `factory_kwargs`, the columns and so on. What is opened
    has a length and an index. Its loader is one rank of one, without worker processes and without shuffling, with
    seed 0 and the empty name.
    """

    def open_prompts(self, settings: Mapping[str, Any]) -> Any:
        """The opened source of prompts: `opened[i]` is the sample of row i, with `representations`."""

    def open_preferences(self, settings: Mapping[str, Any]) -> Any:
        """The opened source of preferences: `opened[i]` is the triple of prompt, winner and loser."""

    def recorded(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the resolved configuration holds for this section: `factory` and `factory_kwargs` at least, in full."""
        ...

    def saved_fingerprint(self, opened: Any) -> str | None:
        """`source.fingerprint` of the cursor that the run saves; None for a source that has none of its own."""
        ...

    def decide_cursor(
        self, cursor_resume: str, opened: Any, saved: Mapping[str, Any] | None
    ) -> Literal["start", "restore"]:
        """What becomes of the cursor in a checkpoint; `ValueError` where the run is refused.

        `saved` is None for a new run, else `{"checkpoint": name, "documents": [...]}`, with the document of every rank
        in rank order, None where a rank has none.
        """
        ...

    def refuse_overlap(self, training: Any, held_out: Any) -> None:
        """`ValueError` unless validation may start: both opened sources name their items, and share none."""

    def preflight(self, config: Mapping[str, Any]) -> None:
        """What the driver does before anything is placed: import every dotted path and call none; raises for a bad one.

        `config` has the sections `rl.data`, `rl.validation.data` and `data_packer`, as nested mappings.
        """
