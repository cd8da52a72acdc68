"""Speed of the kit on the reference packer: the core level on two cores after imports, and the plugin's own import.

python benchmarks/kit.py
"""

import multiprocessing
import os
import statistics
import subprocess
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"

TARGET = "packer_reference.decoder_only:make_packer"


def main() -> None:
    """Measure and print."""
    print("core level on the reference, two processes, after imports")
    for effort in ("quick", "standard"):
        print(f"  {effort:<9} {core_level(effort):6.1f} s")
    print(f"importing the plugin where pytest is imported already: {own_import():.1f} ms")


def core_level(effort: str) -> float:
    """Wall seconds for the core checks, dealt out to two processes that have imported everything, models included."""
    import hypothesis  # noqa: F401  part of the imports that are not counted
    import torch

    from packproof.registry import select_checks
    from packproof.subject import Subject

    torch.set_num_threads(1)
    Subject(TARGET)  # transformers imports what a tokenizer needs when it first loads one
    ids = [check.id for check in select_checks() if "PackerSelection" not in check.requirement.needs]
    context = multiprocessing.get_context("fork")
    started = time.perf_counter()
    with context.Pool(2) as pool:
        statuses = [status for part in pool.starmap(_some, [(effort, ids[k::2]) for k in range(2)]) for status in part]
    assert set(statuses) == {"pass"}, statuses
    return time.perf_counter() - started


def _some(effort: str, ids: list[str]) -> list[str]:
    from packproof.effort import Settings
    from packproof.registry import select_checks
    from packproof.run import Run
    from packproof.subject import Subject

    run = Run([Subject(TARGET)], select_checks(ids), Settings.make(effort))
    return [run.one(run.subjects[0], check).status for check in run.checks]


def own_import() -> float:
    """Milliseconds that importing the plugin takes where pytest is imported already (median of nine).

    It is all that the plugin adds to a start of pytest; whole starts differ among themselves by ten times as much.
    """
    code = "import time, pytest; t = time.perf_counter(); import packproof.plugin; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(9)]
    return 1e3 * statistics.median(float(run.stdout) for run in runs)


if __name__ == "__main__":
    main()
