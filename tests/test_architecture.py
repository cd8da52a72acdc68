"""Gates of the project itself: spec and checks agree, imports run one way, files stay small, names stay complete."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from packer_spec import LEVELS, chapters, requirements
from packproof.registry import all_checks

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "packer_spec": ROOT / "spec" / "packer_spec",
    "packer_schemas": ROOT / "schemas" / "packer_schemas",
    "packer_reference": ROOT / "reference_impl" / "packer_reference",
    "packproof": ROOT / "conformance" / "packproof",
}
ALLOWED = {
    "packer_spec": set(),
    "packer_schemas": set(),
    "packer_reference": {"packer_schemas"},
    "packproof": {"packer_spec", "packer_schemas"},
}
ROOT_OF = {
    ".".join([name, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__"): path.parent
    for name, folder in PACKAGES.items()
    for path in folder.rglob("*.py")
}
MODULES = [(name, path) for name, folder in PACKAGES.items() for path in sorted(folder.rglob("*.py"))]


CHECKED = [id for id, rule in requirements().items() if not rule.unchecked]


def test_every_requirement_has_a_check_or_says_why_not() -> None:
    """The ids of the checks are those of the spec that carry no reason for having none."""
    assert list(all_checks()) == CHECKED


def test_a_level_is_checked_whole_or_not_at_all() -> None:
    """No level is claimed by a run that leaves some of its rules out."""
    for level in LEVELS:
        reasons = [bool(rule.unchecked) for rule in requirements().values() if rule.group == level]
        assert all(reasons) or not any(reasons), level


@pytest.mark.parametrize("id", CHECKED)
def test_rule_text_is_the_same_in_spec_and_check(id: str) -> None:
    """A check's docstring is the sentence of its requirement, word for word."""
    assert " ".join((all_checks()[id].run.__doc__ or "").split()) == requirements()[id].rule


def test_every_check_raises_an_exception_type_of_its_own() -> None:
    """No two checks share a violation type."""
    assert len({check.violation for check in all_checks().values()}) == len(all_checks())


@pytest.mark.parametrize("chapter", chapters(), ids=lambda chapter: chapter.name)
def test_checks_live_in_the_module_of_their_chapter(chapter) -> None:
    """The check of a rule is found in a module named after the rule's chapter; a long chapter has several."""
    for rule in (rule for rule in chapter.requirements if not rule.unchecked):
        module = all_checks()[rule.id].run.__module__.removeprefix("packproof.checks.")
        assert module == chapter.name or module.startswith(f"{chapter.name}_")


@pytest.mark.parametrize(("package", "path"), MODULES, ids=lambda value: getattr(value, "stem", value))
def test_imports_run_one_way(package: str, path: Path) -> None:
    """No module imports a package that stands above its own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    ours = {name.partition(".")[0] for name in imported} & set(PACKAGES)
    assert ours - {package} <= ALLOWED[package]


@pytest.mark.parametrize("path", [path for _, path in MODULES], ids=lambda path: path.stem)
def test_a_file_is_one_idea(path: Path) -> None:
    """No module is longer than 400 lines."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def _name(package: str, path: Path) -> str:
    parts = [package, *path.relative_to(PACKAGES[package]).with_suffix("").parts]
    return ".".join(parts).removesuffix(".__init__")


@pytest.mark.parametrize(("package", "path"), MODULES, ids=lambda value: getattr(value, "stem", value))
def test_dunder_all_holds_what_others_import(package: str, path: Path) -> None:
    """What a module takes from another of ours stands in that module's `__all__`, and every name there exists."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES:
            source = importlib.import_module(str(node.module))
            exported = set(getattr(source, "__all__", ()))
            assert all(hasattr(source, name) for name in exported), node.module
            modules = {alias.name for alias in node.names if (ROOT_OF[str(node.module)] / f"{alias.name}.py").exists()}
            missing = {alias.name for alias in node.names} - exported - modules
            assert not missing, f"{_name(package, path)}: not in __all__ of {node.module}: {sorted(missing)}"


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda path: path.stem)
def test_every_test_states_the_fact_it_proves(path: Path) -> None:
    """Every test function has a docstring that opens with one sentence."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = (ast.get_docstring(node) or "").split("\n\n")[0]
            assert re.search(r"[.?!]$", first), f"{path.name}: {node.name}"


def test_nothing_draws_examples_outside_a_seeded_run() -> None:
    """No source calls `.example()`, which no seed governs."""
    for _, path in MODULES:
        assert ".example()" not in path.read_text(encoding="utf-8"), path
