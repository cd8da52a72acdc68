"""The `packproof` command: rules to `explain` and `list`, a `selftest`, data to `validate`, `lock`, and `preflight`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from packer_spec import SPEC_VERSION
from packproof.lock.command import add_lock_command, run_lock
from packproof.terminal import run_at_terminal
from packproof.violation import UsageError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a hole or a problem found, 2 for a wrong argument.

    What else may end a command early, and its codes, are those of `run_at_terminal`.
    """
    parser = argparse.ArgumentParser(prog="packproof", description="The contract for data packers, at the terminal.")
    commands = parser.add_subparsers(dest="command", required=True)
    explain = commands.add_parser("explain", help="print one rule: why it exists and the smallest example against it")
    explain.add_argument("id", help="a requirement id, such as MASK-2, or a chapter, such as MASK")
    _add_spec(explain)
    listing = commands.add_parser("list", help="print every rule in one line")
    listing.add_argument("select", nargs="*", help="only these rules or chapters: MASK-2, MASK")
    _add_spec(listing)
    listing.add_argument("--matrix", action="store_true", help="print what stands behind every rule; runs the zoo")
    listing.add_argument("--from", dest="trace", type=_file, help="with --matrix: the run that `selftest --trace` kept")
    selftest = commands.add_parser("selftest", help="plant every fault of the zoo and see that the kit finds it")
    selftest.add_argument("--seed", type=int, default=0, help="seed of the generated cases")
    selftest.add_argument("--effort", default="standard", help="quick or standard (default)")
    selftest.add_argument("--trace", type=_file, help="write to this file what stood behind every rule in this run")
    _add_data_commands(commands)
    add_lock_command(commands, _file)
    given, rest = parser.parse_known_args(arguments)
    if rest and (given.command != "preflight" or any(one.startswith("-") for one in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    given.more = rest  # overrides behind an option, which argparse leaves over
    judging = {"validate", "selftest", "lock", "preflight"}
    verdict = given.command in judging or (given.command == "list" and given.matrix)
    run = {"lock": run_lock, "preflight": _preflight}.get(given.command, _run)
    return run_at_terminal(lambda: run(given), verdict=verdict)


def _file(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a file, got an empty one")
    return text


def _add_spec(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--spec", default=SPEC_VERSION, help="version of the spec; default: the newest")


def _add_data_commands(commands: Any) -> None:
    schema = commands.add_parser("schema", help="print a JSON Schema of the data, or a line about each")
    schema.add_argument("name", nargs="?", help="such as trajectory, or an $id")
    validating = commands.add_parser("validate", help="check JSON and JSON Lines files against a schema")
    validating.add_argument("files", nargs="+", metavar="FILE", help=".json, .jsonl, .ndjson, .toml; -: lines of stdin")
    named = "default: what the data names by its `$schema`"
    validating.add_argument("--schema", action="append", metavar="NAME|PATH", help=named)
    validating.add_argument("--limit", type=int, default=20, metavar="N", help="problems printed; 0: all (default: 20)")
    flying = commands.add_parser("preflight", help="import every dotted path of a run's configuration, and call none")
    flying.add_argument("config", metavar="CONFIG", help="a YAML file")
    flying.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as in rl.data.path=rows.jsonl; +: a new key")
    flying.add_argument("--write", metavar="FILE", help="write the resolved configuration to this file")


def _run(given: argparse.Namespace) -> int:
    if given.command == "schema":
        from packproof.validation.schema_choice import show_schemas

        print(show_schemas(given.name))
        return 0
    if given.command == "validate":
        from packproof.validation.validate import validate

        schemas = given.schema or [None]
        if len(schemas) > 1:
            raise UsageError(f"--schema: expected it once, got {' and '.join(map(repr, schemas))}.")
        return validate(given.files, schemas[0], given.limit)
    from packproof import rule_pages

    if given.command == "explain":
        print(rule_pages.explain(given.id, given.spec))
        return 0
    if given.command == "selftest":
        return _selftest(given.seed, given.effort, given.trace)
    if given.trace and not given.matrix:
        raise UsageError("--from: belongs to --matrix.")
    if given.matrix:
        if given.select or given.spec != SPEC_VERSION:
            raise UsageError("--matrix: is about every rule of the newest spec; leave out ids and --spec.")
        text, whole = rule_pages.show_matrix(given.trace, _progress())
        print(text)
        return 0 if whole else 1
    print(rule_pages.list_rules(given.select, given.spec))
    return 0


def _preflight(given: argparse.Namespace) -> int:
    from packproof.preflight.preflight import preflight

    text, fine = preflight(given.config, [*given.overrides, *given.more], given.write)
    print(text)
    return 0 if fine else 1


def _progress() -> Callable[[str], None] | None:
    return (lambda line: print(line, file=sys.stderr)) if sys.stderr.isatty() else None


def _selftest(seed: int, effort: str, trace: str | None) -> int:
    from packproof.kill_matrix import selftest
    from packproof.option_values import refuse_unwritable
    from packproof.traceability import trace_run

    if trace:
        refuse_unwritable(Path(trace), f"--trace {trace}")
    text, matrix = selftest(seed, effort, _progress())
    print(text)
    if trace:
        Path(trace).write_text(trace_run(matrix).to_json(), encoding="utf-8")
    return 0 if matrix.ok else 1
