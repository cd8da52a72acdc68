"""Rollout bodies, objectives and trainers under test: what stands on both sides of a packer."""
