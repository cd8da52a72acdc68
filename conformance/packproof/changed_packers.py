"""Packers on changed model folders: what they declare and what they give, to hold one against the other."""

import itertools
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packer_schemas.case_parts import Sample
from packproof.behaviour import observed
from packproof.changes import ModelFiles, with_processor
from packproof.declared import Digests, declarations, digests
from packproof.driver import Driver
from packproof.load import describe
from packproof.models import resolve_model
from packproof.probes import PROBES, Probe
from packproof.subject import Subject
from packproof.violation import CallFailed, Unexercised

__all__ = ["Shaped", "Workshop", "workshop"]


@dataclass(frozen=True)
class Shaped:
    """What one packer declared, right after its setup, and then gave for the probes."""

    declared: dict[str, Any]
    digests: Digests
    outputs: dict[str, Any]

    def shows(self, other: "Shaped") -> list[str]:
        """Names of the probes on which another packer gives something else."""
        return [name for name, seen in self.outputs.items() if other.outputs.get(name) != seen]


class Workshop:
    """A place on disk where folders of one model are made, and packers set up on them; it goes with the last use."""

    def __init__(self, subject: Subject, model: str | None) -> None:
        self.subject = subject
        self.model = model or subject.models[0]
        self._folder = tempfile.TemporaryDirectory(prefix="packproof-")
        self._place, self._numbers = Path(self._folder.name), itertools.count()
        self._unchanged: dict[tuple[str, str, int], Shaped] = {}
        self.files = self._read()
        self.media_files = with_processor(self.files)

    def _read(self) -> ModelFiles:
        """The model's files; of one that is no folder here, those that its tokenizer saves."""
        folder = Path(resolve_model(self.model)) if self.model is not None else None
        if folder is not None and folder.is_dir():
            return ModelFiles.read(folder)
        tokenizer = self._own_tokenizer()
        saved = self._place / "saved"
        tokenizer.save_pretrained(saved)
        return ModelFiles.read(saved)

    def _own_tokenizer(self) -> Any:
        if "UsesTokenizer" not in self.subject.capabilities:
            raise Unexercised("the kit can change neither a model folder nor a tokenizer of this packer")
        return self.subject.fresh(self.model).tokenizer

    def folder(self, files: ModelFiles, place: str = "") -> Path:
        """A folder with these files, under the name of the model; at a `place` that stays, or at a new one."""
        folder = self._place / (place or str(next(self._numbers))) / "model"
        shutil.rmtree(folder, ignore_errors=True)
        files.write(folder)
        return folder

    def empty(self) -> Path:
        """A new folder with nothing in it."""
        folder = self._place / str(next(self._numbers))
        folder.mkdir()
        return folder

    def driver(self, files: ModelFiles, place: str = "", *, trust_remote_code: bool | None = None) -> Driver:
        """A fresh packer on these files: set up on their folder; one that takes none gets the tokenizer in them."""
        folder = self.folder(files, place)
        if not self.subject.built_ready and self.model is not None and Path(resolve_model(self.model)).is_dir():
            return self.subject.fresh(self.model, folder=str(folder), trust_remote_code=trust_remote_code)
        driver = self.subject.fresh(self.model)
        try:
            driver.packer.tokenizer = _loaded(folder)
        except Exception as error:
            raise Unexercised(f"the tokenizer of this packer cannot be exchanged: {describe(error)}") from None
        return driver

    def shaped(self, files: ModelFiles, place: str = "", *, trust_remote_code: bool | None = None) -> Shaped:
        """What a fresh packer on these files declares and gives."""
        driver = self.driver(files, place, trust_remote_code=trust_remote_code)
        declared = declarations(driver)
        found = digests(declared)  # now, for a caller's calls may write into what is declared
        return Shaped(declared, found, observed(driver, self.subject.capabilities, [*PROBES, *self._added_tokens()]))

    def unchanged(self, *, media: bool = False, place: str = "", take: int = 0) -> Shaped:
        """As `shaped`, for the files that changes start from, with a processor where `media` are changed.

        Every `take` is made once, of a packer of its own.
        """
        files, key = self.media_files if media else self.files, ("media" * media, place, take)
        if key not in self._unchanged:
            assert files is not None
            self._unchanged[key] = self.shaped(files, place)
        return self._unchanged[key]

    def tried(self, candidates: Iterable[ModelFiles], place: str = "") -> Iterator[Shaped]:
        """As `shaped`, for each of the candidates that the packer takes."""
        for files in candidates:
            try:
                yield self.shaped(files, place)
            except CallFailed:
                continue

    def _added_tokens(self) -> list[Probe]:
        """A probe in which every added token stands beside letters, between blanks, and in other letters."""
        texts = [f"a {token} b{token}c\t{token.upper()} {token}" for token in self.files.added_tokens()]
        return [Probe("added tokens", (Sample(prompt=" ".join(texts), completion="Yes."),))] if texts else []


def workshop(subject: Subject, model: str | None) -> Workshop:
    """The workshop of one model of a subject, which all cases of a check share."""
    key = "workshop", model
    if key not in subject.kept:
        subject.kept[key] = Workshop(subject, model)
    return subject.kept[key]


def _loaded(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(folder))
