"""Where a packer is found, and what runs beside it."""

import pytest
from user_project import MASKS, PACKERS, Project, Ran

ONE = ("--packer-effort", "quick", "--packer-select", "MASK-2")
OWN_TESTS = """
def test_right():
    assert True

def test_wrong():
    assert False, "the user's own test"
"""


@pytest.fixture
def tested(project: Project) -> Project:
    """A project with tests of its own, one of which fails."""
    project.write("tests/test_own.py", OWN_TESTS)
    return project


def test_bare_pytest_finds_a_module_in_the_current_folder(project: Project) -> None:
    """Bare `pytest`, which leaves the current folder off the import path, finds the packer in it all the same."""
    ran = project.pytest("--packer", "packers:Plain", *ONE)
    assert ran.code == 0
    assert "1 passed" in ran.out


def test_a_dotted_path_names_the_same_factory(project: Project) -> None:
    """`packers.Plain` means `packers:Plain`, and a subfolder's module goes by its dotted name."""
    project.write("inside/deep.py", PACKERS)
    ran = project.pytest("--packer", "a=packers.Plain", "--packer", "b=inside.deep.Plain", *ONE)
    assert ran.code == 0
    assert "2 passed" in ran.out


def test_src_layout(project: Project) -> None:
    """A package under `src`, put on the path by pytest's own `pythonpath`, is found."""
    project.write("pytest.ini", "[pytest]\npythonpath = src\n")
    project.write("src/house/packers.py", PACKERS)
    ran = project.pytest("--packer", "house.packers:Plain", *ONE)
    assert ran.code == 0
    assert "1 passed" in ran.out


def test_no_paths_runs_the_conformance_run_alone(tested: Project) -> None:
    """With `--packer` and no paths, the user's own tests are not run, whatever `testpaths` says."""
    tested.write("pytest.ini", "[pytest]\ntestpaths = tests\n")
    ran = tested.pytest("--packer", "packers:Plain", *ONE)
    assert ran.code == 0
    assert "collected 1 item" in ran.out
    assert "the user's own test" not in ran.text


def test_paths_run_beside_the_conformance_run(tested: Project) -> None:
    """`pytest tests --packer ...` runs both, the user's tests first."""
    ran = tested.pytest("tests", "--packer", "packers:Plain", *ONE, "-v")
    assert ran.code == 1
    assert "1 failed, 2 passed" in ran.out
    assert ran.out.index("test_own.py::test_right") < ran.out.index("packer::MASK-2")
    assert "1 of 1 applicable rules ran" in ran.out


def test_without_a_packer_the_plugin_is_inert(tested: Project) -> None:
    """Without options and table the plugin imports neither the kit nor torch, transformers, hypothesis or pydantic."""
    tested.write("tests/test_own.py", "def test_right():\n    assert True\n")
    tested.write("pyproject.toml", "[project]\nname = 'house'\nversion = '1'\ndependencies = ['packproof']\n")
    heavy = ["torch", "transformers", "hypothesis", "pydantic", "packproof.pytest_run", "packer_schemas"]
    tested.write(
        "run.py",
        f"import sys, pytest\ncode = pytest.main(['-p', 'packproof.plugin', 'tests'])\n"
        f"print('imported:', sorted(set({heavy}) & set(sys.modules)), 'packproof.plugin' in sys.modules)\n"
        "sys.exit(code)\n",
    )
    ran = tested.run("python", "run.py", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert ran.code == 0
    assert "imported: [] True" in ran.out
    assert "packer conformance" not in ran.out


def test_help_lists_every_option_and_loads_nothing(project: Project) -> None:
    """`pytest --help` shows the options, also beside a packer that cannot be loaded."""
    ran = project.pytest("--packer", "nowhere:at_all", "--help")
    assert ran.code == 0
    assert "--packer-replay=REPLAY" in ran.out
    assert "ERROR" not in ran.text


def test_plain_pytest_with_a_table_runs_both(tested: Project) -> None:
    """Plain `pytest` of a project whose table names a packer runs its own tests and the conformance run."""
    tested.table(packer='["packers:Plain"]', packer_effort='"quick"', packer_select='["MASK-2"]')
    ran = tested.pytest()
    assert ran.code == 1
    assert "1 failed, 2 passed" in ran.out
    assert "effort quick" in ran.out


def test_a_table_without_its_own_heading_counts_too(project: Project) -> None:
    """The table may be written inline; TOML is read as TOML."""
    (project.root / "pytest.ini").unlink()
    table = 'packproof = {packer = "packers:Plain", packer-select = ["MASK-2"], packer-effort = "quick"}'
    project.write("pyproject.toml", f"[tool]\npytest.ini_options = {{}}\n{table}\n")
    ran = project.pytest()
    assert ran.code == 0
    assert "1 passed" in ran.out


def test_a_table_is_read_from_a_subfolder(tested: Project) -> None:
    """From a folder below the root, the table's module and its paths are found from the root."""
    tested.write("known.toml", "")
    tested.table(
        packer='["packers:Shifted"]',
        packer_effort='"quick"',
        packer_select='["MASK-2"]',
        packer_known='"known.toml"',
        packer_report='"out/report.json"',
    )
    ran = tested.pytest("-k", "MASK", cwd="tests")
    assert ran.code == 1
    assert "packer::MASK-2" in ran.out
    assert "shifted right by one" in ran.out
    assert (tested.root / "out/report.json").exists()


EVERY_KEY = {
    "packer": '["one=settable:Settable", "two=settable:Settable"]',
    "packer_model": '["tiny-gpt2"]',
    "packer_trust_remote_code": "true",
    "packer_selection": '"selection"',
    "packer_level": '["core"]',
    "packer_select": '["MASK-2", "SEL-7"]',
    "packer_effort": '"quick"',
    "packer_seed": "7",
    "packer_known": '"known.toml"',
    "packer_report": '"report.json"',
}


SETTABLE = """
import packers

class Settable(packers.Plain):
    def setup(self, name_or_path, trust_remote_code=False):
        self.name = name_or_path
"""


def run_every_key(project: Project) -> Ran:
    """Run a project whose table uses every key but `packer-replay`."""
    project.table(**EVERY_KEY)
    project.write("known.toml", "known = []\n")
    project.write("settable.py", SETTABLE)
    project.write(
        "selection.py",
        "def init_data_packer(name_or_path, packer=None, trust_remote_code=False, model_backend=None):\n"
        "    raise ValueError('no backend')\n\n"
        "def build_packer(spec): ...\n\n"
        "def register(model_types, packer_cls, allow_override=False): ...\n",
    )
    return project.pytest()


@pytest.fixture
def every_key(once) -> tuple[Project, Ran]:
    return once(run_every_key)


def test_every_key_of_the_table_works(every_key: tuple[Project, Ran]) -> None:
    """Packers, labels, selection module, rules, effort, seed, known failures and report come from the table."""
    project, ran = every_key
    assert ran.code == 0, ran.text
    assert "level core, effort quick, seed 7" in ran.out
    assert "one   settable:Settable" in ran.out
    assert "two   settable:Settable" in ran.out
    assert "4 passed" in ran.out  # SEL-7 applies because a selection module is named
    assert (project.root / "report.json").exists()


def test_the_command_line_wins_over_the_table(every_key: tuple[Project, Ran]) -> None:
    """An option given on the command line replaces the table's key, and only that one."""
    project, _ = every_key
    ran = project.pytest("--packer", "mine=settable:Settable", "--packer-seed", "9", "--packer-select", "MASK-3")
    assert ran.code == 0
    assert "effort quick, seed 9" in ran.out
    assert "mine   settable:Settable" in ran.out
    assert "1 passed" in ran.out


def test_a_table_that_is_none_is_refused(project: Project) -> None:
    """A value where the table belongs is a usage error that names the file."""
    project.write("pyproject.toml", "[tool]\npackproof = 3\n")
    ran = project.pytest("--packer", "packers:Plain")
    assert ran.code == 4
    assert "[tool] packproof = 3: expected a table, [tool.packproof]." in ran.err


def test_rules_can_be_marked_by_a_conftest(project: Project) -> None:
    """A conftest that skips every item is obeyed: rules are items like any other."""
    hook = "    for item in items:\n        item.add_marker(pytest.mark.skip(reason='not today'))\n"
    project.write("conftest.py", f"import pytest\n\ndef pytest_collection_modifyitems(items):\n{hook}")
    ran = project.pytest("--packer", "packers:Plain", "--packer-select", "MASK-2")
    assert ran.code == 0, ran.text
    assert "1 skipped" in ran.out


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("packer_effrot", '"quick"', "has no key 'packer-effrot'; expected one of packer, packer-model"),
        ("packer_seed", '"7"', "packer-seed = '7': expected int"),
        ("packer_select", "[1]", "packer-select = [1]: expected a list of strings"),
        ("packer_trust_remote_code", "1", "packer-trust-remote-code = 1: expected bool"),
    ],
)
def test_a_wrong_key_or_type_in_the_table_is_refused(project: Project, key: str, value: str, says: str) -> None:
    """An unknown key, or a value of the wrong type, is a usage error that names file, key and what was expected."""
    project.table(packer='["packers:Plain"]', **{key: value})
    ran = project.pytest()
    assert ran.code == 4
    assert "pyproject.toml: [tool.packproof]" in ran.err
    assert says in ran.err


def test_both_rules_of_a_chapter_and_several_selects(project: Project) -> None:
    """Rules come by id or chapter, with commas or repeated, in the order of the spec."""
    ran = project.pytest("--packer", "packers:Plain", *MASKS, "--packer-select", "life-1", "--collect-only", "-q")
    assert ran.code == 0
    assert ran.out.split()[:3] == ["packer::LIFE-1", "packer::MASK-2", "packer::MASK-3"]


@pytest.mark.parametrize("effort", ["quick", "deep"])
def test_a_project_that_cannot_be_written_to(project: Project, effort: str) -> None:
    """Where the cache's folder cannot be made, failures are shown in full, only no case is kept; deep runs too."""
    project.write(".pytest_cache", "a file in the folder's place, which stops root as well")
    project.write(".hypothesis", "another")
    ran = project.pytest("--packer", "packers:Shifted", "--packer-effort", effort, "--packer-select", "MASK-2")
    assert ran.code == 1, ran.text
    assert "shifted right by one" in ran.out
    assert "1 of 1 applicable rules ran" in ran.out
    assert "  case  " not in ran.out
    assert "NotADirectoryError" not in ran.out.partition("warnings summary")[0]


def test_a_cache_that_cannot_be_written_to(project: Project) -> None:
    """Where the cache is there and takes no file, the failure is shown in full all the same."""
    project.write(".pytest_cache/d/packproof-cases/packer-MASK-2.json/here", "a folder in the file's place")
    ran = project.pytest("--packer", "packers:Shifted", *ONE)
    assert ran.code == 1, ran.text
    assert "shifted right by one" in ran.out
    assert "  case  " not in ran.out
