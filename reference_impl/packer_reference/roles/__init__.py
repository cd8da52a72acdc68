"""The neighbours of a rollout body that build packers, and the one input that the roles of PPO read.

Importing it loads neither torch nor transformers.
"""

from packer_reference.roles.model_inputs import attach_model_inputs, role_batch
from packer_reference.roles.packers import RolePackers, teacher_identity
from packer_reference.roles.reference_trainer import ReferenceTrainer

__all__ = ["ReferenceTrainer", "RolePackers", "attach_model_inputs", "role_batch", "teacher_identity"]
