"""Other processes in which packers and sources are built anew and asked, under another environment.

A process of each kind is started when it is first needed and then serves every subject of this run: importing torch and
transformers takes seconds, building a packer far less.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packproof.declared import Digests, declarations, digests
from packproof.limits import SETUP_LIMIT_S, guarded, setting_up
from packproof.load import describe
from packproof.models import resolve_model
from packproof.sources.told import told_of_source
from packproof.subject import Subject
from packproof.violation import CallFailed, CaseTimeout, OutOfReach, PackerExit, UsageError

__all__ = ["ENVIRONMENTS", "Elsewhere", "ask_elsewhere", "declared_elsewhere", "serve"]

ENVIRONMENTS: dict[str, dict[str, str]] = {
    "another process": {"PYTHONHASHSEED": "1"},
    "another process, elsewhere": {
        "PYTHONHASHSEED": "2",
        "LANG": "C",
        "LC_ALL": "C",
        "TZ": "Asia/Kathmandu" if os.environ.get("TZ") != "Asia/Kathmandu" else "America/St_Johns",
        "OMP_NUM_THREADS": "2" if os.environ.get("OMP_NUM_THREADS") != "2" else "3",
        "TOKENIZERS_PARALLELISM": "true",
        "USER": "somebody",
        "RANK": "1",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "2",
    },
}
"""What is set differently in each kind of process; the second one also works in a folder of its own."""


@dataclass(frozen=True)
class Elsewhere:
    """What a packer on one model declared in another process."""

    digests: Digests
    declared: dict[str, Any]


@dataclass
class _Process:
    """One process that serves; `place` is the folder that it works in, when it has one of its own."""

    which: str
    place: tempfile.TemporaryDirectory[str] | None = None
    running: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question; `CallFailed` when the process died of it."""
        process = self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(question) + "\n")
                process.stdin.flush()
            answer = process.stdout.readline()
        except BaseException:  # a time limit: what comes later would be the answer to the next question
            self.stop()
            raise
        if answer:
            return json.loads(answer)
        self.stop()
        raise CallFailed(f"{question['target']}() in another process", f"ended the process ({process.returncode})")

    def start(self) -> "subprocess.Popen[str]":
        """The process, started if it does not run."""
        if self.running is not None and self.running.poll() is None:
            return self.running
        if self.which == "another process, elsewhere":
            self.place = self.place or tempfile.TemporaryDirectory(prefix="packproof-elsewhere-")
        self.running = subprocess.Popen(
            [sys.executable, "-c", "from packproof.elsewhere import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=self.place.name if self.place else None,
            env={**os.environ, **ENVIRONMENTS[self.which], "PYTHONPATH": os.pathsep.join(_import_path())},
        )
        atexit.register(self.stop)
        return self.running

    def stop(self) -> None:
        """End the process, if it runs."""
        if self.running is not None:
            self.running.kill()
            self.running.communicate()


_processes = {which: _Process(which) for which in ENVIRONMENTS}


def declared_elsewhere(subject: Subject, which: str, model: str, folder: str = "") -> Elsewhere:
    """What a fresh packer declares in a process of this kind, on a model, or on a `folder` that was made of it.

    `OutOfReach` for a factory that another process cannot import.
    """
    model_there = None if subject.built_ready else folder or resolve_model(model)
    question = {"model": model_there, "trust_remote_code": subject.trust_remote_code}
    answer = ask_elsewhere(subject, which, "packer", question, f"{subject.target}() in {which}")
    return Elsewhere(answer["digests"], answer["declared"])


def ask_elsewhere(subject: Any, which: str, what: str, question: dict[str, Any], call: str) -> dict[str, Any]:
    """The answer of a process of this kind to a question about a packer or a source, which is built anew there.

    `CallFailed`, under the name `call`, for what the subject did there instead, and `OutOfReach` for a factory that
    another process cannot import.
    """
    _expect_importable(subject)
    subject.note(call)
    with setting_up():
        for process in _processes.values():  # all of them at once, for starting one takes seconds
            process.start()
        asked = {"what": what, "target": subject.target, "path": _import_path(), **question}
        answer = _processes[which].ask(asked)
    if "failed" in answer:
        raise CallFailed(call, answer["failed"])
    return answer


def _expect_importable(subject: Any) -> None:
    module, _, name = subject.target.partition(":")
    found: Any = sys.modules.get(module) if module != "__main__" else None
    for step in name.split("."):
        found = getattr(found, step, None)
    if name and found is not subject.factory:
        advice = "name it module:factory, from a module that any process can import"
        raise OutOfReach(f"another process cannot import the factory {subject.target}; {advice}")


def _import_path() -> list[str]:
    return [str(Path(entry).absolute()) for entry in dict.fromkeys(sys.path)]


def serve() -> None:
    """Answer questions, one line of JSON each, until there are no more; packers read and print nothing."""
    questions, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)  # a packer that reads would take the next question
    os.dup2(nowhere, 1)
    for line in questions:
        answers.write(json.dumps(_answer(json.loads(line))) + "\n")
        answers.flush()


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    sys.path[:] = dict.fromkeys([*question["path"], *sys.path])
    try:
        with guarded(SETUP_LIMIT_S):
            return _ANSWERS[question["what"]](question)
    except CallFailed as error:
        return {"failed": error.counterexample.got}
    except UsageError as error:
        cause = error.__cause__
        return {"failed": cause.counterexample.got if isinstance(cause, CallFailed) else f"was refused: {error}"}
    except (CaseTimeout, PackerExit, SystemExit, Exception) as error:
        return {"failed": f"raised {describe(error)}"}


def _of_packer(question: dict[str, Any]) -> dict[str, Any]:
    model, trusted = question["model"], question["trust_remote_code"]
    subject = Subject(question["target"], models=[model] if model else (), trust_remote_code=trusted)
    declared = declarations(subject.on(model))
    return {"digests": digests(declared), "declared": json.loads(_text(declared))}


_ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"packer": _of_packer, "source": told_of_source}


def _text(value: Any) -> str:
    return json.dumps(value, default=lambda one: f"a {type(one).__name__}", skipkeys=True)
