"""What the reward step adds to a record."""

from packer_reference.rewards.shared_prefix import ignore_shared_prefixes

__all__ = ["ignore_shared_prefixes"]
