"""Rollout bodies: from samples, through the packer and an engine, to trajectories.

Importing it loads neither torch nor transformers nor vLLM.
"""

from packer_reference.rollouts.hf import HFRollout

__all__ = ["HFRollout"]
