"""What the level `source` needs beyond its checks: sources to try a run on, and ways to change those of a user."""
