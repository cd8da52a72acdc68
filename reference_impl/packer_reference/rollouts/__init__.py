"""Rollout bodies: from samples, through the packer and an engine, to trajectories.

Importing it loads neither torch nor transformers nor vLLM.
"""

from packer_reference.rollouts.hf import HFRollout
from packer_reference.rollouts.in_process_llm import InProcessLLM
from packer_reference.rollouts.vllm import VLLMRollout
from packer_reference.rollouts.vllm_config import build_vllm_rollout

__all__ = ["HFRollout", "InProcessLLM", "VLLMRollout", "build_vllm_rollout"]
