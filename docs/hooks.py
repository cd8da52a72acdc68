"""Brings the spec chapters into the site, and writes their index from the requirements themselves."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "spec"))

from packer_spec import SPEC_VERSION, chapters  # noqa: E402  found through the line above


def on_files(files: Files, config: Any) -> Files:
    """Add one page per chapter, and the index of every requirement."""
    for chapter in chapters():
        files.append(File.generated(config, f"spec/{chapter.name}.md", content=chapter.text))
    files.append(File.generated(config, "spec/index.md", content=_index()))
    return files


def _index() -> str:
    lines = [
        "# The packer specification",
        "",
        f"Version {SPEC_VERSION}. A rule lives in one block, under an id that is never used again for another rule.",
        "MUST, SHOULD and MAY carry their usual weight, and appear only inside those blocks.",
    ]
    for chapter in chapters():
        lines += ["", f"## [{chapter.title}]({chapter.name}.md)", "", "| id | level | rule |", "|---|---|---|"]
        lines += [
            f"| [{rule.id}]({chapter.name}.md#{rule.anchor}) | {rule.level} | {rule.rule} |"
            for rule in chapter.requirements
        ]
    return "\n".join([*lines, ""])
