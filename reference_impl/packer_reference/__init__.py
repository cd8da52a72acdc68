"""Reference packers: an implementation that keeps every requirement of the contract.

Importing it loads neither torch nor transformers; the first call that needs them does.
"""

from packer_reference.base import BaseDataPacker
from packer_reference.decoder_only import DecoderOnlyLLMDataPacker, make_packer
from packer_reference.loading import CallableImportError, load_callable
from packer_reference.objectives.advantages import group_advantages
from packer_reference.objectives.objective import make_objective
from packer_reference.packer import DataPacker
from packer_reference.resume_gate import ResumeGate
from packer_reference.roles.reference_trainer import ReferenceTrainer
from packer_reference.rollouts.hf import HFRollout
from packer_reference.rollouts.vllm import VLLMRollout
from packer_reference.routing.attach import shape_policy_input
from packer_reference.routing.batch import add_forward_routing
from packer_reference.selection import build_packer, init_data_packer
from packer_reference.sources.reference_run import ReferenceRun

__all__ = [
    "BaseDataPacker",
    "CallableImportError",
    "DataPacker",
    "DecoderOnlyLLMDataPacker",
    "HFRollout",
    "ReferenceRun",
    "ReferenceTrainer",
    "ResumeGate",
    "VLLMRollout",
    "add_forward_routing",
    "build_packer",
    "group_advantages",
    "init_data_packer",
    "load_callable",
    "make_objective",
    "make_packer",
    "register",
    "shape_policy_input",
]

register = BaseDataPacker.register

# The native types. Here, because this module runs before any selection can.
register(["gpt2", "llama", "qwen2", "qwen3"], DecoderOnlyLLMDataPacker)
