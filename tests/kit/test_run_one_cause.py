"""One cause that many rules meet is told once: the other rules say in a line where to look."""

import pytest
from user_project import QUICK, Project

UNEVEN = """
import packers
import torch

class {name}(packers.Plain):
    def mask(self, *given):
        return {mask}

    def policy_collate_fn(self, processed_samples, computed_max_len):
        for row in processed_samples:
            torch.zeros(len(row["input_ids"]))[:] = torch.tensor(row["logprob_masks"])
        return super().policy_collate_fn(processed_samples, computed_max_len)
"""
RULES = "LIFE-8,LIFE-11,MASK-1,COLL-4,CPU-1"


def uneven(project: Project) -> None:
    """Two packers whose collation cannot take the masks that they make."""
    for name, mask in {"Short": "super().mask(*given)[:-1]", "Long": "super().mask(*given) + [0]"}.items():
        project.write(f"{name.lower()}.py", UNEVEN.format(name=name, mask=mask))


@pytest.mark.parametrize(("packer", "lengths"), [("Short", "2 ids and 1 mask"), ("Long", "2 ids and 3 mask entries")])
def test_a_row_with_an_uneven_mask_leads_to_its_rule(project: Project, packer: str, lengths: str) -> None:
    """Where collation crashes on a row whose mask is too short or too long, every rule but MASK-1 points to MASK-1."""
    uneven(project)
    ran = project.pytest("--packer", f"{packer.lower()}:{packer}", *QUICK, "--packer-select", RULES)
    assert "5 broken: LIFE-8, LIFE-11, MASK-1, COLL-4, CPU-1" in ran.out
    assert (
        f"LIFE-11  MUST  not reached: policy_collate_fn fails, and a row of the packer's own has {lengths}" in ran.out
    )
    failures = ran.out.partition("FAILURES")[2].partition("packer conformance")[0]
    assert failures.count(": see MASK-1\n") == 4
    assert "RuntimeError" not in failures
    assert ran.line("call") == "get_policy_input(sample, [120], prompt_ids=[110])"


def test_a_rule_alone_is_told_in_full(project: Project) -> None:
    """Where MASK-1 does not run, the crash is shown in full, under the first rule only, and MASK-1 is named."""
    uneven(project)
    ran = project.pytest("--packer", "short:Short", *QUICK, "--packer-select", RULES, "-k", "not MASK-1")
    assert ran.out.count("raised RuntimeError: The expanded size of the tensor (") == 1
    assert ran.line("fault") == "a row of the packer's own has 4 ids and 3 mask entries: see MASK-1"
    assert "COLL-4  MUST  not reached: the packer fails as shown under LIFE-8" in ran.out


def test_a_crash_on_sound_rows_is_never_blamed_on_them(project: Project) -> None:
    """Collation that crashes on rows as they should be is shown in full and sends nobody to MASK-1."""
    lines = ["import packers", "", "class Bad(packers.Plain):", "    def policy_collate_fn(self, rows, width):"]
    project.write("bad.py", "\n".join([*lines, "        raise RuntimeError(f'cannot make {width}')", ""]))
    ran = project.pytest("--packer", "bad:Bad", *QUICK, "--packer-select", RULES)
    assert "4 broken: LIFE-8, LIFE-11, COLL-4, CPU-1" in ran.out
    assert "see MASK-1" not in ran.out


def test_crashes_that_differ_in_numbers_are_one(project: Project) -> None:
    """The same words from the same line are one crash, whatever the numbers; from another line they are another."""
    lines = ["import packers", "", "class Bad(packers.Plain):", "    def policy_collate_fn(self, rows, width):"]
    lines += ["        if len(rows) == 1:", "            raise RuntimeError(f'cannot make {width} of {[width, 3]}')"]
    project.write("bad.py", "\n".join([*lines, "        raise RuntimeError(f'cannot make {width} of {[width]}')", ""]))
    ran = project.pytest("--packer", "bad:Bad", *QUICK, "--packer-select", "LIFE-8,COLL-4,COLL-8,COLL-10")
    failures = ran.out.partition("FAILURES")[2].partition("packer conformance")[0]
    assert failures.count("raised RuntimeError: cannot make") == 2
    assert "COLL-8  MUST  not reached: the packer fails as shown under COLL-4" in ran.out
    assert "COLL-10  MUST  not reached: the packer fails as shown under LIFE-8" in ran.out


NO_PAD = """
import torch
from packproof.zoo.miniature import MiniaturePacker

class NoPad(MiniaturePacker):
    def _settle_pad(self):
        pass

    def policy_collate_fn(self, processed_samples, computed_max_len):
        torch.full((1, 1), self.tokenizer.pad_token_id)
        return super().policy_collate_fn(processed_samples, computed_max_len)
"""


def test_the_model_that_a_call_failed_on_is_named(project: Project) -> None:
    """LIFE-8 sets packers up on a second model; a call that fails on that one names it."""
    project.write("no_pad.py", NO_PAD)
    ran = project.pytest("--packer", "no_pad:NoPad", *QUICK, "--packer-select", "LIFE-8")
    assert ran.line("model") == "tiny-qwen"
    assert ran.line("call").startswith("setup('tiny-gpt2'); policy_collate_fn(samples of length [")
