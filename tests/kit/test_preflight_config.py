"""What `packproof preflight` reads and writes: YAML, overrides, interpolations, and the file of a run's record."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from user_project import Project

from packproof.cli import main
from packproof.preflight.resolved_file import resolved_text

Run = Callable[..., tuple[int, str, str]]

CONFIG = """
count: 12
steps: ${count}
rl:
  gamma: 1.0
  data:
    factory: json.loads
    factory_kwargs:
      count: ${count}
      text: "3"
    cursor_resume: off
data_packer: {factory: json.dumps}
"""


@pytest.fixture
def preflight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Run:
    """Runs `packproof preflight config.yaml` in a folder of the test's own; code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "config.yaml").write_text(CONFIG)

    def run(*arguments: str, config: str | bytes | None = None) -> tuple[int, str, str]:
        if config is not None:
            (tmp_path / "config.yaml").write_bytes(config if isinstance(config, bytes) else config.encode())
        code = main(["preflight", "config.yaml", *arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def written(*arguments: str, run: Run) -> Any:
    """What the run wrote into `resolved.yaml`."""
    code, _, err = run("--write", "resolved.yaml", *arguments)
    assert (code, err) == (0, "")
    return yaml.safe_load(Path("resolved.yaml").read_text(encoding="utf-8"))


def test_the_resolved_file_holds_everything_with_its_type(preflight: Run) -> None:
    """Interpolations are resolved, numbers and texts stay what they are, and `off` is the word and not false."""
    assert written(run=preflight) == {
        "count": 12,
        "steps": 12,
        "rl": {
            "gamma": 1.0,
            "data": {
                "factory": "json.loads",
                "factory_kwargs": {"count": 12, "text": "3"},
                "cursor_resume": "off",
            },
        },
        "data_packer": {"factory": "json.dumps"},
    }


def test_the_seeds_command_line_is_recorded(preflight: Run) -> None:
    """Overrides before and behind an option count in their order, and a `+` in front adds a key."""
    document = written(
        "rl.data.factory=json.load",
        "+rl.data.factory_kwargs.count=1000",
        "rl.data.prompt_column=question",
        "rl.data.response_column=answer",
        "rl.data.response_column=solution",
        "++trainer.name=a",
        run=preflight,
    )
    assert document["rl"]["data"] == {
        "factory": "json.load",
        "factory_kwargs": {"count": 1000, "text": "3"},
        "cursor_resume": "off",
        "prompt_column": "question",
        "response_column": "solution",
    }
    assert document["trainer"] == {"name": "a"}


@pytest.mark.parametrize("section", ["{factory: json.loads}", "{factory: json.loads, factory_kwargs: null}", "{}"])
def test_keyword_arguments_are_recorded_where_there_are_none(preflight: Run, section: str) -> None:
    """A record without them would leave open whether they were forgotten."""
    assert preflight("--write", "resolved.yaml", config=f"rl: {{data: {section}}}")[0] == 0
    assert yaml.safe_load(Path("resolved.yaml").read_text())["rl"]["data"]["factory_kwargs"] == {}


def test_equal_input_gives_equal_bytes(project: Project) -> None:
    """Another process with another hash seed writes the same file, and a file that was there is replaced whole."""
    project.write("config.yaml", CONFIG)
    project.write("resolved.yaml", "old: " + "x" * 10_000)
    texts = []
    for seed in ("1", "2"):
        ran = project.run(
            "packproof", "preflight", "config.yaml", "+rl.z=1", "--write", "resolved.yaml", PYTHONHASHSEED=seed
        )
        assert ran.code == 0, ran.err
        texts.append((project.root / "resolved.yaml").read_bytes())
    assert texts[0] == texts[1]
    assert b"old" not in texts[0]
    assert sorted(path.name for path in project.root.iterdir() if "resolved" in path.name) == ["resolved.yaml"]


def test_a_resolved_file_is_a_fixed_point(preflight: Run, tmp_path: Path) -> None:
    """Flown once more, the record gives itself."""
    written(run=preflight)
    text = (tmp_path / "resolved.yaml").read_text()
    assert preflight("--write", "again.yaml", config=text)[0] == 0
    assert (tmp_path / "again.yaml").read_text() == text


words = st.text(max_size=12) | st.sampled_from(
    ["1e3", "1_0.5", "off", "null", "~", "0x1f", "12:30:45", "2024-01-01", "- a"]
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@settings(derandomize=True, max_examples=300, deadline=None, database=None)
@given(st.dictionaries(words, plain, max_size=4))
def test_the_text_reads_back_as_the_data(document: dict[str, Any]) -> None:
    """PyYAML and OmegaConf both give every value with its type, whatever a word looks like."""
    text = resolved_text(document)
    assert repr(yaml.safe_load(text)) == repr(document)
    if "${" not in text and "???" not in text:  # which OmegaConf gives a meaning of its own, and the command refuses
        back = OmegaConf.to_container(OmegaConf.create(text)) if document else {}
        assert repr(back) == repr(document)


@pytest.mark.parametrize(
    "error", ["rl.data.path=rows.jsonl", "rl.data.factory=nowhere.rows", "steps=${nothing}", "steps=???"]
)
def test_nothing_is_written_where_there_is_a_problem(preflight: Run, tmp_path: Path, error: str) -> None:
    """A record of what cannot run, or cannot be resolved, would be taken for one that can."""
    (tmp_path / "resolved.yaml").write_text("old: 1\n")
    code, out, _ = preflight(error, "--write", "resolved.yaml")
    assert code == 1
    assert "1 problem" in out
    assert (tmp_path / "resolved.yaml").read_text() == "old: 1\n"


def test_a_value_that_would_be_resolved_again_is_not_written(preflight: Run, tmp_path: Path) -> None:
    """An escaped interpolation is a text that the next reader would not leave alone."""
    code, out, _ = preflight("--write", "resolved.yaml", r"+trainer.name=\${count}")
    assert code == 1
    assert "trainer.name: comes out as '${count}', which a later reader would take for an interpolation" in out
    assert not (tmp_path / "resolved.yaml").exists()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("rl: [", "config.yaml: is not YAML: line "),
        ("rl: {}\nrl: {}\n", "config.yaml: is not YAML: line 2: found duplicate key rl"),
        ("- rl", "config.yaml: expected a mapping of settings, got a list."),
        ("3", "config.yaml: cannot be read as a mapping of settings: it holds one value."),
        (b"rl: \xff", "config.yaml: is not YAML: "),
        ("rl: !!python/object:os.x {}", "config.yaml: is not YAML: line 1: could not determine a constructor"),
    ],
)
def test_a_file_that_is_no_configuration_is_a_mistake(preflight: Run, config: str | bytes, said: str) -> None:
    """It is told in one line, with the place, and exit code 2."""
    code, out, err = preflight(config=config)
    assert (code, out) == (2, "")
    assert err.startswith(f"packproof: {said}")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("rl.dta.path=x", "there is no key 'rl.dta.path'. Did you mean 'rl.data.path'? A key that is new takes a +"),
        ("trainer=3", "there is no key 'trainer'. A key that is new takes a + in front."),
        ("~rl.data.factory", "expected an override such as rl.data.path=rows.jsonl; to delete a key, set it to null."),
        ("rl.data.factory", "expected an override such as rl.data.path=rows.jsonl."),
        ("=3", "expected an override such as"),
        ("rl.data.factory_kwargs={count:3}", "expected a space behind the colon of 'count:3'."),
        ("rl.data.factory=[", "cannot be applied: line "),
        ("+rl.data.metadata_columns.0=x", None),
        ("count[0]=1", "there is no key 'count[0]'"),
    ],
)
def test_an_override_that_is_none_is_a_mistake(preflight: Run, override: str, said: str | None) -> None:
    """A key that nobody knows is refused like a typing error, unless it is meant to be new."""
    code, _, err = preflight(override)
    assert code == (2 if said else 1)
    assert not said or f"packproof: {override!r}: " in err
    assert not said or said in err


@pytest.mark.parametrize("name", ["config.yaml", ".", "", "./config.yaml"])
def test_the_record_is_not_the_configuration(preflight: Run, name: str) -> None:
    """Writing over what is being read, or over a folder, is refused before anything is imported."""
    code, out, err = preflight("--write", name)
    assert (code, out) == (2, "")
    assert f"--write {name!r}: expected the name of a file" in err


def test_a_record_that_cannot_be_written_is_a_mistake(preflight: Run, tmp_path: Path) -> None:
    """The reason of the system is told."""
    code, _, err = preflight("--write", "none/resolved.yaml")
    assert code == 2
    assert err == "packproof: --write none/resolved.yaml: cannot be written: No such file or directory.\n"


def test_a_record_never_replaces_what_is_no_writable_file(preflight: Run, tmp_path: Path) -> None:
    """A pipe, a write-protected file, and a link to either, are refused before anything is imported, and stay."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "locked.yaml").write_text("old: 1\n")
    (tmp_path / "locked.yaml").chmod(0o444)
    (tmp_path / "to_pipe").symlink_to("pipe")
    (tmp_path / "to_locked").symlink_to("locked.yaml")
    for name, said in [("pipe", "is no regular file"), ("locked.yaml", "is write-protected")]:
        for target in (name, f"to_{name.removesuffix('.yaml')}"):
            code, out, err = preflight("--write", target)
            assert (code, out) == (2, "")
            assert err.startswith(f"packproof: --write {target}: {said}; it is as it was.")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "locked.yaml").read_text() == "old: 1\n"
    assert (tmp_path / "to_pipe").is_symlink()


def test_a_record_is_written_where_a_link_leads(preflight: Run, tmp_path: Path) -> None:
    """The link stays, and the file behind it is made, or replaced with the permissions that it had."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "resolved.yaml").symlink_to("runs/one.yaml")
    first = written(run=preflight)
    (tmp_path / "runs" / "one.yaml").chmod(0o600)
    assert written("count=13", run=preflight) == {**first, "count": 13, "steps": 13, "rl": ANY}
    assert (tmp_path / "resolved.yaml").is_symlink()
    assert stat.S_IMODE((tmp_path / "runs" / "one.yaml").stat().st_mode) == 0o600


def test_a_configuration_that_is_not_there_is_a_mistake(tmp_path: Path, capsys: Any) -> None:
    """Missing files and folders are told by name."""
    assert main(["preflight", str(tmp_path / "none.yaml")]) == 2
    assert "none.yaml: cannot be read as a mapping of settings: No such file or directory." in capsys.readouterr().err
    assert main(["preflight", "a" * 300]) == 2
    assert "cannot be read as a mapping of settings: File name too long." in capsys.readouterr().err
    assert main(["preflight", str(tmp_path)]) == 2
    assert "expected the name of a YAML file, got a folder." in capsys.readouterr().err


def test_a_configuration_that_is_a_pipe_is_a_mistake(project: Project) -> None:
    """A pipe that nobody writes into is refused by name, where it would be waited for without end."""
    os.mkfifo(project.root / "pipe")
    ran = project.run("packproof", "preflight", "pipe", limit_s=60)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "packproof: 'pipe': expected the name of a YAML file, got a pipe or a device.\n"


def test_a_mapping_within_itself_has_an_end(preflight: Run) -> None:
    """An interpolation that leads around in a circle is told, by its beginning."""
    config = "a: {b: '${c}'}\nc: {d: '${a}'}\nrl: {data: {factory: json.loads, factory_kwargs: {x: '${a}'}}}\n"
    code, out, _ = preflight(config=config)
    assert code == 1
    assert "rl.data.factory_kwargs.x.b.d.b.d" in out
    assert "contains itself, by way of an interpolation" in out


def test_an_option_that_is_none_is_still_refused(capsys: Any) -> None:
    """Only overrides may stand behind an option."""
    for words in (["preflight", "c.yaml", "--wriet", "x"], ["list", "--nope"], ["explain", "MASK-2", "MASK-3"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
    assert "unrecognized arguments: MASK-3" in capsys.readouterr().err
