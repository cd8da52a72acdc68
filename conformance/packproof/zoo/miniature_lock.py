"""A lock that keeps both rules, on one page and apart from the kit's own, in steps that a fault can replace."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from packer_schemas.differences import identity_differences
from packer_schemas.identity import IdentityDocument

__all__ = ["Entry", "Finding", "MiniatureLock"]

Finding = dict[str, Any]
Entry = Mapping[str, Any]

_KINDS = {"missing": "new", "obsolete": "obsolete", "only behaviour changed": ""}


class MiniatureLock:
    """Compares a lock file with the packers of now, and writes what was approved."""

    def check(self, path: str, fresh: Mapping[str, Any], complete: bool = True) -> dict[str, Finding]:
        """The findings; reads only."""
        return self._findings(self._read(path), fresh, complete)

    def update(
        self, path: str, fresh: Mapping[str, Any], approve: Collection[str], reason: str = "", complete: bool = True
    ) -> dict[str, Finding]:
        """The findings once what was approved is written."""
        pinned = self._read(path)
        findings = self._findings(pinned, fresh, complete)
        if self._is_ci(os.environ.get("CI", "")):
            return findings
        if "changed" in approve:
            self._check_reason(reason)
        taken = [label for label, one in findings.items() if self._takes(one, approve)]
        stay = pinned["subjects"].keys() - set(taken)
        if stay and not self._may_mix(pinned["probe_corpus"], fresh["probe_corpus"]):
            taken = [label for label in taken if label not in fresh["subjects"]]
        entries = dict(pinned["subjects"])
        for label in taken:
            self._take(entries, label, findings[label], fresh["subjects"], reason)
            findings[label] |= {"passes": True, "written": True}
        if taken:
            corpus = (pinned if stay else fresh)["probe_corpus"]
            self._put(Path(path), self._text({**fresh, "probe_corpus": corpus, "subjects": self._sorted(entries)}))
        return findings

    def _read(self, path: str) -> dict[str, Any]:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        self._expect_version(document["schema_version"])
        return document

    def _expect_version(self, version: int) -> None:
        if version != 1:
            raise ValueError(f"expected schema_version 1, got {version}")

    def _findings(self, pinned: Mapping[str, Any], fresh: Mapping[str, Any], complete: bool) -> dict[str, Finding]:
        then, now = pinned["subjects"], fresh["subjects"]
        labels = self._labels(then, now, complete)
        same_corpus = self._same_corpus(pinned["probe_corpus"], fresh["probe_corpus"])
        return {label: self._finding(then.get(label), now.get(label), same_corpus) for label in labels}

    def _labels(self, then: Collection[str], now: Collection[str], complete: bool) -> list[str]:
        return sorted({*then, *now} if complete else now)

    def _same_corpus(self, then: int, now: int) -> bool:
        return then == now

    def _finding(self, then: Entry | None, now: Entry | None, same_corpus: bool) -> Finding:
        if then is None or now is None:
            return self._told("missing" if then is None else "obsolete", "")
        fields, probes = self._fields(then, now), self._probes(then, now) if same_corpus else []
        declared = bool(then["identities"] or now["identities"])
        outcome = self._outcome(bool(fields), bool(probes), declared) if same_corpus else "other probe corpus"
        outcome = self._with_source(outcome, then["class_source_sha256"] == now["class_source_sha256"])
        source = "" if then["class_source_sha256"] == now["class_source_sha256"] else "another class source"
        said = "" if declared else "no identity is declared"
        return self._told(outcome, "; ".join(filter(None, [*fields, *probes, source, said])))

    def _fields(self, then: Entry, now: Entry) -> list[str]:
        sides = ({model: entry["identities"].get(model) for model in then["models"]} for entry in (then, now))
        before, after = ([IdentityDocument.model_validate(one) if one else None for one in s.values()] for s in sides)
        return [str(one) for pair in zip(before, after, strict=True) for one in identity_differences(*pair)]

    def _probes(self, then: Entry, now: Entry) -> list[str]:
        pairs = [(then["behaviour"][model], now["behaviour"][model]) for model in then["models"]]
        return [name for before, after in pairs for name in after if before.get(name) != after[name]]

    def _outcome(self, identity: bool, behaviour: bool, declared: bool) -> str:
        if not declared:
            return "undeclared changed" if behaviour else "same"
        if identity:
            return "both changed" if behaviour else "only identity changed"
        return "only behaviour changed" if behaviour else "same"

    def _with_source(self, outcome: str, same_source: bool) -> str:
        return outcome

    def _told(self, outcome: str, message: str) -> Finding:
        advice = "" if outcome == "same" else "Update on purpose, or undo it."
        return {"outcome": outcome, "passes": outcome == "same", "message": message, "advice": advice}

    def _takes(self, finding: Finding, approve: Collection[str]) -> bool:
        return not finding["passes"] and _KINDS.get(finding["outcome"], "changed") in approve

    def _may_mix(self, then: int, now: int) -> bool:
        return then == now

    def _take(
        self, entries: dict[str, Any], label: str, finding: Finding, now: Mapping[str, Entry], reason: str
    ) -> None:
        if finding["outcome"] == "obsolete":
            del entries[label]
        else:
            entries[label] = {**now[label], "reason": "" if finding["outcome"] == "missing" else reason}

    def _is_ci(self, value: str) -> bool:
        return value.lower() not in ("", "0", "false")

    def _check_reason(self, reason: str) -> None:
        if not reason.strip():
            raise ValueError("a change needs a reason")

    def _sorted(self, entries: dict[str, Any]) -> dict[str, Any]:
        return dict(sorted(entries.items()))

    def _text(self, document: Mapping[str, Any]) -> str:
        return json.dumps(document, indent=1)

    def _put(self, path: Path, text: str) -> None:
        temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
