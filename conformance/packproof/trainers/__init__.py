"""Where the parts of a trainer are tried: packers that say who built them, and trajectories."""
