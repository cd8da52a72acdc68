"""What is wrong with the input is told in a few lines, before anything runs, with exit code 4."""

import pytest
from user_project import Project

FACTORIES = """
import os
import sys
import time

import packers


def needs(tokenizer, limit=3):
    return packers.Plain()

def gives_none():
    pass

def gives_class():
    return packers.Plain

def gives_text():
    return "a packer"

def raises():
    return {}["no such key"]

def hangs():
    time.sleep(600)

def exits():
    sys.exit(3)

def exits_hard():
    os._exit(3)

NUMBER = 3

class SetsUp(packers.Plain):
    def setup(self, name_or_path, trust_remote_code=False):
        self.wild(name_or_path)

class SetupExits(SetsUp):
    def wild(self, name):
        sys.exit(3)

class SetupRaises(SetsUp):
    def wild(self, name):
        import json
        json.loads(name)

class SetupHangs(SetsUp):
    def wild(self, name):
        time.sleep(600)

class NoTokenizer(SetsUp):
    tokenizer = None
    def wild(self, name):
        pass

class OtherTokenizer(NoTokenizer):
    def wild(self, name):
        from tokenizers import Tokenizer, models
        self.tokenizer = Tokenizer(models.BPE())

class HalfAPacker:
    def get_rollout_input(self, item):
        return item.representations["prompt"]

    def get_policy_input(self, sample, rollout_output, n_ignore_prefix_tokens=0, *, prompt_ids=None):
        return None

    def policy_collate_fn(self, processed_samples, computed_max_len):
        return None
"""

CASES = {
    "no module": (
        "nowhere:make",
        "there is no module 'nowhere'. Run from the folder that holds it, or install it",
    ),
    "no module by dotted path": ("nowhere.at.all", "there is no module 'nowhere.at'"),
    "no attribute": ("packers:Plian", "'packers' has no attribute 'Plian'. Did you mean 'Plain'?"),
    "no attribute by dotted path": ("packers.Plian", "'packers' has no attribute 'Plian'. Did you mean 'Plain'?"),
    "no factory": ("packers:", "expected module:factory, for example my_package.packers:make_packer"),
    "a point too many": ("packers.Plain.", "expected module:factory"),
    "empty": ("", "expected module:factory"),
    "a path": (
        "./packers.py:Plain",
        "there is no module './packers.py'. Name the module and not its file, 'packers:Plain', from the folder",
    ),
    "a file": ("packers.py", "'packers' has no attribute 'py'. Name the module and not its file, 'packers', from"),
    "module raises": ("broken_name:make", "importing 'broken_name' failed: NameError: name 'nothing' is not defined"),
    "module misses another": (
        "broken_import:make",
        "importing 'broken_import' failed: ModuleNotFoundError: No module named 'not_installed' (broken_import.py:1",
    ),
    "package misses another": ("broken_package.inner:make", "No module named 'not_installed' (__init__.py:1"),
    "module has wrong syntax": ("broken_syntax:make", "SyntaxError: invalid syntax (broken_syntax.py, line 1)"),
    "module raises oddly": ("broken_oddly:make", "importing it failed: Odd: enough (broken_oddly.py:2 in <module>)"),
    "module exits": ("broken_exit:make", "importing it tried to end the process (exit 5)"),
    "module hangs": ("broken_hang:make", "importing it did not finish within 0.5 s"),
    "no callable": ("factories:NUMBER", "expected a callable, got int."),
    "a module": ("factories", "expected a callable, got module. Name the factory in it: factories:make_packer, say."),
    "half a policy side": (
        "factories:HalfAPacker",
        "factories:HalfAPacker() returned HalfAPacker without policy_compute_max_len, expected all of get_policy",
    ),
    "needs arguments": (
        "factories:needs",
        "the factory needs arguments (tokenizer), expected none. Wrap it in a function that takes nothing",
    ),
    "returns None": (
        "factories:gives_none",
        "factories:gives_none() returned None, expected an object with get_rollout_input or get_policy_input.",
    ),
    "returns a class": ("factories:gives_class", "returned the class Plain, expected an instance of it."),
    "returns text": ("factories:gives_text", "returned 'a packer', expected an object with get_rollout_input"),
    "raises": ("factories:raises", "factories:raises() raised KeyError: 'no such key' (factories.py:22 in raises)."),
    "hangs": ("factories:hangs", "factories:hangs() did not finish within 0.5 s."),
    "exits": ("factories:exits", "factories:exits() tried to end the process: SystemExit(3)."),
    "exits hard": ("factories:exits_hard", "factories:exits_hard() tried to end the process: os._exit(3)."),
    "tokenizer missing": (
        "factories:NoTokenizer",
        "packer.tokenizer after setup('tiny-qwen') is None, expected a transformers tokenizer. Show the one that",
    ),
    "tokenizer of another library": (
        "factories:OtherTokenizer",
        "is a tokenizers.Tokenizer, without __call__, __len__, all_special_ids, bos_token_id, chat_template, ",
    ),
    "setup raises": (
        "factories:SetupRaises",
        "setup('tiny-qwen') raised JSONDecodeError: Expecting value: line 1 column 1 (char 0) (factories.py:",
    ),
    "setup exits": ("factories:SetupExits", "setup('tiny-qwen') tried to end the process: SystemExit(3)."),
    "setup hangs": ("factories:SetupHangs", "setup('tiny-qwen') did not finish within 0.5 s. Name the models"),
}


def write_what_is_broken(project: Project) -> None:
    """Fill a project with things that are no packers, with a limit of half a second."""
    project.write("factories.py", FACTORIES)
    project.write("conftest.py", "from packproof import limits\nlimits.SETUP_LIMIT_S = 0.5\n")
    project.write("broken_name.py", "nothing\n")
    project.write("broken_import.py", "import not_installed\n")
    project.write("broken_package/__init__.py", "import not_installed\n")
    project.write("broken_package/inner.py", "")
    project.write("broken_syntax.py", "def make(:\n")
    project.write("broken_oddly.py", "class Odd(BaseException): ...\nraise Odd('enough')\n")
    project.write("broken_exit.py", "import sys\nsys.exit(5)\n")
    project.write("broken_hang.py", "import time\ntime.sleep(600)\n")


@pytest.fixture
def broken(once) -> Project:
    return once(write_what_is_broken)[0]


def _refused(project: Project, *words: str) -> str:
    """The message of a run that is refused, in one line."""
    ran = project.pytest(*words)
    assert ran.code == 4, ran.text
    assert len(ran.err.strip().splitlines()) <= 15
    assert "Traceback" not in ran.text
    assert "packer conformance" not in ran.out
    return " ".join(ran.err.split())


@pytest.mark.parametrize("case", CASES)
def test_a_target_that_gives_no_packer(broken: Project, case: str) -> None:
    """Whatever goes wrong on the way to a packer is one short message that names the target and the cause."""
    target, says = CASES[case]
    message = _refused(broken, "--packer", target)
    assert message.startswith(f"ERROR: --packer {target!r}: ")
    assert says in message
    assert "<frozen" not in message


OPTIONS = {
    "effort": ("--packer-effort", "heroic", "--packer-effort 'heroic': expected one of quick, standard, deep."),
    "level": ("--packer-level", "hard", "--packer-level 'hard': expected one of core, resume, sft, routing, media,"),
    "level without checks": (
        "--packer-level",
        "sft",
        "and this version of packproof checks none of them; nobody can be held to them yet. `packproof explain SFT-1`",
    ),
    "version": ("--packer-spec", "0.9", "--packer-spec '0.9': expected one of 0.1, 0.2."),
    "rule without check": (
        "--packer-select",
        "MASK-2,SFT-1",
        "SFT-1: not yet checked, so no packer can be held to it. The kit",
    ),
    "seed": ("--packer-seed", "1.5", "--packer-seed '1.5': expected a whole number."),
    "rule": ("--packer-select", "MSK-2", "unknown requirement 'MSK-2'. Did you mean MASK-2"),
    "rule without likeness": ("--packer-select", "XYZ", "Chapters are LIFE, ROLL, AUTH, MASK, COLL, CPU, SEL, IDENT,"),
    "select nothing": (
        "--packer-select",
        ",",
        "--packer-select ',': nothing is named; name something, or leave it out.",
    ),
    "no model": ("--packer-model", "", "--packer-model '': nothing is named; name something, or leave it out."),
    "no known failures": ("--packer-known", " ", "--packer-known ' ': nothing is named"),
    "no replay": ("--packer-replay", "", "--packer-replay '': nothing is named"),
    "model path": ("--packer-model", "./no/model", "--packer-model './no/model': there is no such folder."),
    "report below a file": ("--packer-report", "packers.py/r.json", "packers.py/r.json: its folder cannot be made"),
    "selection module": ("--packer-selection", "nowhere", "--packer-selection 'nowhere': there is no module"),
    "selection without functions": (
        "--packer-selection",
        "packers",
        "--packer-selection 'packers': expected a module with init_data_packer, build_packer and register.",
    ),
    "routing module": ("--packer-routing", "nowhere", "--packer-routing 'nowhere': there is no module"),
    "routing without functions": (
        "--packer-routing",
        "packers",
        "--packer-routing 'packers': expected a module or object with shape_policy_input, cut_policy_input, join_",
    ),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_a_value_that_an_option_does_not_take(broken: Project, case: str) -> None:
    """A wrong value is refused with the option, the value, and what it may be."""
    option, value, says = OPTIONS[case]
    assert says in _refused(broken, "--packer", "packers:Plain", option, value)


def test_options_without_a_packer(broken: Project) -> None:
    """An option of the kit without a packer asks for one."""
    message = _refused(broken, "--packer-effort", "quick", "--packer-seed", "3")
    assert (
        "--packer-effort, --packer-seed: nothing to prove is named; add --packer module:factory, or --source,"
        in message
    )


@pytest.mark.parametrize("option", [("--packer-model", "tiny-qwen"), ("--packer-lock", "pins.json")])
def test_options_of_packers_beside_something_else(broken: Project, option: tuple[str, str]) -> None:
    """An option that counts for packers alone is refused where something else is named, and is not ignored."""
    objective = "packproof.zoo.miniature_objective:MiniatureObjective"
    message = _refused(broken, "--objective", objective, *option)
    assert f"{option[0]}: for packers, and none is named; add --packer module:factory." in message


def test_a_hub_model_that_is_not_there(project: Project) -> None:
    """A model id that cannot be had offline is told in the words of the packer's own loader, in one message."""
    project.write("house.py", "from packproof.zoo.miniature import MiniaturePacker\n")
    message = _refused(project, "--packer", "house:MiniaturePacker", "--packer-model", "nobody/no-such-model")
    assert "setup('nobody/no-such-model') raised OSError" in message
    assert "Name the models that it serves with --packer-model." in message


def test_a_model_name_written_into_setup(project: Project) -> None:
    """A setup that loads a name of its own is told what to do about that too, for naming models cannot help it."""
    lines = ["from packproof.zoo.miniature import MiniaturePacker", "", "class Fixed(MiniaturePacker):"]
    lines += ["    def _load(self, *_):", "        return super()._load('nobody/no-such-model', False)", ""]
    project.write("house.py", "\n".join(lines))
    message = _refused(project, "--packer", "house:Fixed")
    assert "setup('tiny-qwen') raised OSError" in message
    assert "A setup that loads a fixed name has to load the name_or_path it is given; or let the factory" in message
