"""`packproof preflight`: every dotted path is imported and none is called, and every problem is told at once."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from user_project import Project

from packproof.cli import main

DATA = """
from pathlib import Path

Path("imported.txt").open("a").write("imported\\n")


def rows(**given):
    raise SystemExit("the factory was called")


def shorten(row):
    raise SystemExit("the function was called")


class Rows:
    @classmethod
    def held_out(cls):
        raise SystemExit("the factory was called")


NUMBER = 3
"""

CONFIG = """
rl:
  data:
    factory: flight_data.rows
    factory_kwargs: {count: 12}
    items_fn: flight_data.shorten
  validation:
    data:
      factory: flight_data.Rows.held_out
data_packer:
  factory: flight_data:Rows
  teacher_model_factory: flight_data.Rows
"""

NONE = "no source is set: the built-in one of the run, if it has one"

Run = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def preflight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Run]:
    """Runs `packproof preflight config.yaml` in a folder with the user's module; code, lines of output, errors."""
    (tmp_path / "flight_data.py").write_text(DATA)
    (tmp_path / "config.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def run(*arguments: str, config: str | None = None) -> tuple[int, list[str], str]:
        if config is not None:
            (tmp_path / "config.yaml").write_text(config)
        code = main(["preflight", "config.yaml", *arguments])
        shown = capsys.readouterr()
        return code, shown.out.splitlines(), shown.err

    yield run
    for name in set(sys.modules) - before:
        if name.startswith("flight_"):
            del sys.modules[name]


def test_every_dotted_path_is_imported_and_none_is_called(preflight: Run, tmp_path: Path) -> None:
    """Factories of sources and packers and row functions get a line each, with the full key of their setting."""
    assert preflight() == (
        0,
        [
            "rl.data.factory 'flight_data.rows': imported",
            "rl.data.items_fn 'flight_data.shorten': imported",
            "rl.validation.data.factory 'flight_data.Rows.held_out': imported",
            "data_packer.factory 'flight_data:Rows': imported",
            "data_packer.teacher_model_factory 'flight_data.Rows': imported",
            "config.yaml: 5 dotted paths imported, none called",
        ],
        "",
    )
    assert (tmp_path / "imported.txt").read_text() == "imported\n"


@pytest.mark.parametrize(
    ("key", "path", "said"),
    [
        ("rl.data.factory", "extras.data.rows", "there is no module 'extras.data'"),
        ("rl.data.factory", "flight_data.rowz", "'flight_data' has no attribute 'rowz'. Did you mean 'rows'?"),
        ("rl.data.factory", "flight_data.rows.", "expected module:factory"),
        ("rl.data.factory", "flight_data:rows.", "expected module:factory"),
        ("rl.data.factory", "flight_data:.rows", "expected module:factory"),
        ("rl.data.factory", "flight_data:Rows..held_out", "expected module:factory"),
        ("rl.data.factory", "flight_data..rows", "there is no module 'flight_data.'"),
        ("rl.data.items_fn", "flight_data.NUMBER", "expected a callable, got int"),
        ("rl.validation.data.factory", "rows", "there is no module 'rows'"),
        ("rl.validation.data.factory", "flight_data", "expected a callable, got module"),
        ("data_packer.factory", "flight_data.Rows.made", "'flight_data' has no attribute 'made'"),
        ("data_packer.factory", "flight_data:Rows.made", "'flight_data' has no attribute 'made'"),
        (
            "data_packer.teacher_model_factory",
            "flight_broken.make",
            "failed: ModuleNotFoundError: No module named 'num",
        ),
    ],
)
def test_import_failures_name_key_and_dotted_path(
    preflight: Run, tmp_path: Path, key: str, path: str, said: str
) -> None:
    """A path that leads nowhere is one problem, and the others are imported all the same."""
    (tmp_path / "flight_broken.py").write_text("import numpi\n")
    code, lines, _ = preflight(f"{key}={path}")
    assert code == 1
    [problem] = [line for line in lines if line.startswith(f"{key} {path!r}: ")]
    assert said in problem
    assert lines[-1] == "config.yaml: 1 problem"
    assert len(lines) == 6


def test_exclusive_selectors_name_key_and_dotted_path(preflight: Run) -> None:
    """Two selectors are told with the names and values of both, and the path among them is imported all the same."""
    code, lines, _ = preflight("rl.data.path=rows.jsonl")
    assert code == 1
    said = "rl.data: expected one source at most, got factory='flight_data.rows', path='rows.jsonl'; keep one of them"
    assert said in lines
    assert "rl.data.factory 'flight_data.rows': imported" in lines


def test_all_problems_are_told_at_once(preflight: Run) -> None:
    """Settings, interpolations and imports, each with its key, and their number in the last line."""
    overrides = [
        "rl.data.cursor_resume=always",
        "rl.data.metadata_columns=topic",
        "rl.data.prompt_column=${nothing}",
        "rl.data.items_fn=???",
        "rl.validation.data.factory=nowhere.rows",
        "data_packer.factory=[a, b]",
    ]
    code, lines, _ = preflight(*overrides)
    assert code == 1
    assert lines[2:] == [
        "rl.data.items_fn: is mandatory ('???') and has no value",
        "rl.data.prompt_column: Interpolation key 'nothing' not found",
        "rl.data.cursor_resume: Input should be 'off', 'auto' or 'strict', got 'always'",
        "rl.data.metadata_columns: Input should be a valid list, got 'topic'",
        "data_packer.factory: Input should be a valid string, got ['a', 'b']",
        lines[-2],
        "config.yaml: 6 problems",
    ]
    assert lines[-2].startswith("rl.validation.data.factory 'nowhere.rows': there is no module 'nowhere'. Run from")


@pytest.mark.parametrize(
    ("config", "problems"),
    [
        (
            "rl: {data: {path: a, name: b, prompt_colum: c, cursor_resume: sometimes}}",
            [
                "rl.data: there is no setting 'prompt_colum' (did you mean 'prompt_column'?)",
                "rl.data: expected one source at most, got path='a', name='b'; keep one of them",
                "rl.data.cursor_resume: Input should be 'off', 'auto' or 'strict', got 'sometimes'",
            ],
        ),
        (
            "rl: {data: {path: a, tar_path: b, jsonl_path: c, cursor_resume: sometimes, suffle: true}}",
            [
                "rl.data: there is no setting 'suffle' (did you mean 'shuffle'?)",
                "rl.data: expected one source at most, got jsonl_path='c', tar_path='b', path='a'; keep one of them",
                "rl.data.cursor_resume: Input should be 'off', 'auto' or 'strict', got 'sometimes'",
            ],
        ),
        (
            "rl: {dta: {}, data: {factory_kwargs: {a: .nan}, metadata_columns: ['']}, validation: 3}\ndata_paker: {}",
            [
                "there is no setting 'data_paker' (did you mean 'data_packer'?)",
                "rl: there is no setting 'dta' (did you mean 'data'?)",
                "rl.data: expected a factory for factory_kwargs={'a': nan}, got none; name it, or leave them out",
                "rl.data.factory_kwargs: factory_kwargs.a: nan is not in JSON, expected a finite number",
                "rl.data.metadata_columns.0: String should have at least 1 character, got ''",
                "rl.validation: expected a mapping, got 3",
            ],
        ),
    ],
)
def test_no_mistake_hides_another(preflight: Run, config: str, problems: list[str]) -> None:
    """What is wrong with a section as a whole is told beside what is wrong with its settings, and once."""
    code, lines, _ = preflight(config=config)
    assert code == 1
    assert sorted(lines[:-1]) == sorted(problems)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{factory: '${oc.env:NO_SUCH}', factory_kwargs: {a: 1}}", "rl.data.factory: KeyError raised while resolving"),
        ("{factory: '${rl.data.factory}'}", "rl.data.factory: Recursive interpolation detected"),
        ("{factory: '???', factory_kwargs: {a: 1}}", "rl.data.factory: is mandatory ('???') and has no value"),
        ("{path: '${nothing}'}", "rl.data.path: Interpolation key 'nothing' not found"),
        ("{tar_path: '???'}", "rl.data.tar_path: is mandatory ('???') and has no value"),
    ],
)
def test_what_cannot_be_resolved_is_told_once(preflight: Run, section: str, said: str) -> None:
    """A source whose choice is unknown is neither said to be missing, nor its keyword arguments to be without one."""
    code, lines, _ = preflight(config=f"rl: {{data: {section}}}")
    assert code == 1
    assert lines[0].startswith(said)
    assert lines[1:] == ["config.yaml: 1 problem"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("rl: 3", "rl: expected a mapping, got 3"),
        ("rl: {data: [a]}", "rl.data: expected a mapping, got ['a']"),
        ("rl: {data: {respones_column: a}}", "there is no setting 'respones_column' (did you mean 'response_column'?)"),
        ("rl: {data: {factory_kwargs: {count: 3}}}", "rl.data: expected a factory for factory_kwargs={'count': 3}"),
        ("rl: {data: {factory: 3}}", "rl.data.factory: Input should be a valid string, got 3"),
        ("rl: {data: {factory: a.b, factory_kwargs: {x: .nan}}}", "factory_kwargs.x: nan is not in JSON"),
        ("rl: {data: {path: a, tar_path: b}}", "rl.data: expected one source at most, got tar_path='b', path='a'"),
        ("rl: {data: {jsonl_path: a, tar_path: b}}", "rl.data: expected one source at most, got jsonl_path='a', tar"),
        ("rl: {data: {}}\ndata_paker: {factory: a.b}", "'data_paker' (did you mean 'data_packer'?)"),
    ],
)
def test_a_setting_that_is_wrong_is_told_with_its_key(preflight: Run, config: str, said: str) -> None:
    """What no run would take is a problem here, before anything is placed."""
    code, lines, err = preflight(config=config)
    assert (code, err) == (1, "")
    assert any(said in line for line in lines)


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ("rl: {data: {path: rows.jsonl}}", "rl.data: path 'rows.jsonl', not opened here"),
        ("rl: {data: {synthetic_pairs: 8}}", "rl.data: synthetic_pairs 8, not opened here"),
        (
            "rl: {data: {factory: '', path: null}}",
            "rl.data: no source is set: the built-in one of the run, if it has one",
        ),
        ("rl: {data: {}, validation: null}", "rl.data: no source is set: the built-in one of the run, if it has one"),
    ],
)
def test_a_built_in_source_gets_a_line_too(preflight: Run, config: str, line: str) -> None:
    """Nothing is opened, and nothing passes in silence."""
    assert preflight(config=config) == (0, [line, "config.yaml: 0 dotted paths imported, none called"], "")


@pytest.mark.parametrize("config", ["", "trainer: {steps: 3}", "rl: {gamma: 1.0}", "rl: {data: null}\ndata_packer:"])
def test_a_configuration_without_data_and_packers_is_a_mistake(preflight: Run, config: str) -> None:
    """A check of nothing would pass too easily."""
    code, lines, err = preflight(config=config)
    assert (code, lines) == (2, [])
    assert err.startswith("packproof: config.yaml: has none of rl.data, rl.validation.data, data_packer;")


def test_what_is_the_run_s_own_is_left_alone(preflight: Run) -> None:
    """Keys beside the settings, and interpolations elsewhere that only the run can resolve, are no problem."""
    own = "out: ${now:%Y}\nseed: ???\ntrainer: {gpus: '${oc.env:NOPE}'}\nrl: {gamma: '${x}', data: {max_tokens: 9}}"
    assert preflight(config=own)[0] == 0


def test_the_current_folder_is_on_the_import_path_and_so_is_pythonpath(project: Project) -> None:
    """The command finds a module beside the configuration, and one in a folder that only PYTHONPATH names."""
    project.write("here_data.py", "def rows(): ...\n")
    project.write("extensions/there_data.py", "def rows(): ...\n")
    project.write("config.yaml", "rl: {data: {factory: here_data.rows, items_fn: there_data.rows}}\n")
    ran = project.run("packproof", "preflight", "config.yaml")
    assert (ran.code, ran.err) == (1, "")
    assert "rl.data.factory 'here_data.rows': imported" in ran.out
    assert "rl.data.items_fn 'there_data.rows': there is no module 'there_data'" in ran.out
    both = f"extensions:{':'.join(sys.path)}"
    assert project.run("packproof", "preflight", "config.yaml", PYTHONPATH=both).code == 0


def test_without_omegaconf_it_says_what_to_install(project: Project) -> None:
    """The extra is named, in one line."""
    project.write("omegaconf.py", "raise ImportError('not here')\n")
    project.write("config.yaml", CONFIG)
    ran = project.run("python", "-m", "packproof", "preflight", "config.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "packproof: preflight reads configurations with OmegaConf: pip install omegaconf.\n"


@pytest.mark.parametrize("path", ["flight_odd.rows", "flight_pack.inner.rows", "flight_lazy.rows"])
def test_an_import_may_raise_anything(preflight: Run, tmp_path: Path, path: str) -> None:
    """What is no `Exception`, raised by a module, by its package or by its attribute, is a line; ctrl-C ends it all."""
    odd = "class Odd(BaseException): ...\n"
    (tmp_path / "flight_odd.py").write_text(f"{odd}raise Odd('enough')\n")
    (tmp_path / "flight_stopped.py").write_text("raise KeyboardInterrupt\n")
    (tmp_path / "flight_lazy.py").write_text(f"{odd}def __getattr__(name): raise Odd('enough')\n")
    (tmp_path / "flight_pack").mkdir()
    (tmp_path / "flight_pack" / "__init__.py").write_text(f"{odd}raise Odd('enough')\n")
    (tmp_path / "flight_pack" / "inner.py").write_text("def rows(): ...\n")
    code, lines, err = preflight(f"rl.data.factory={path}")
    assert (code, err) == (1, "")
    assert [line for line in lines if line.startswith(f"rl.data.factory {path!r}: importing it failed: Odd: enough (")]
    assert preflight("rl.data.factory=flight_stopped.rows")[0] == 130


def test_a_module_that_ends_the_process_is_told(preflight: Run, tmp_path: Path) -> None:
    """An import that exits is a problem like any other, and not the end of the command."""
    (tmp_path / "flight_exit.py").write_text("import sys\nsys.exit(3)\n")
    code, lines, _ = preflight("rl.data.factory=flight_exit.rows")
    assert code == 1
    assert "rl.data.factory 'flight_exit.rows': importing it tried to end the process (exit 3)." in lines
