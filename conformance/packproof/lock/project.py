"""Which packers a lock is about, and which file: from options over the `[tool.packproof]` table."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from packproof.flight_recorder import FlightRecorder
from packproof.load import import_from
from packproof.lock.fresh import Fresh
from packproof.lock.identity_lock import LockFile
from packproof.lock.measure import measure
from packproof.option_values import label_targets
from packproof.options import Options
from packproof.project_table import project_folder, read_table
from packproof.violation import UsageError

__all__ = ["DEFAULT_FILE", "LockProject"]

DEFAULT_FILE = "packproof.lock.json"
_KEYS = ("packer", "packer-model", "packer-trust-remote-code", "packer-lock")


@dataclass(frozen=True)
class LockProject:
    """The packers of `options` and the lock `file`; `folder` is the project's, where models may lie.

    `complete` says that these are all the packers that are configured.
    """

    options: Options
    folder: Path
    file: LockFile
    complete: bool

    @classmethod
    def make(cls, given: Mapping[str, Any], folder: Path) -> "LockProject":
        """The project as seen from `folder`; `given` are options by long name, None for absent.

        The packers of the command line are all there are where the table names none. `UsageError` where neither does.
        """
        root = project_folder(folder)
        table = {name: value for name, value in read_table(root, folder).items() if name in _KEYS}
        import_from(root if table.get("packer") else folder, folder)
        options = Options.make(given, table, folder)
        if not options.packer:
            raise UsageError("no packer is named: add --packer module:factory, or packer = [...] to [tool.packproof].")
        path = Path(os.path.relpath(folder / (options.lock or root / DEFAULT_FILE), folder))
        complete = not (given.get("packer") and table.get("packer"))
        return cls(options, root, LockFile(path), complete)

    @property
    def labels(self) -> list[str]:
        """The labels of the packers."""
        return list(label_targets(self.options.packer))

    def only(self, label: str) -> "LockProject":
        """The project with this one packer, which is then not complete."""
        target = label_targets(self.options.packer)[label]
        return replace(self, options=replace(self.options, packer=[f"{label}={target}"]), complete=False)

    def measure(self) -> Fresh:
        """The packers as a lock would pin them now; `UsageError` for one that cannot be loaded or set up."""
        recorder = FlightRecorder()
        try:
            return measure(self.options.packers(recorder), self.folder, complete=self.complete)
        finally:
            recorder.close()
