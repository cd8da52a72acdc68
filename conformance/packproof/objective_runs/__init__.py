"""What objectives are tried on: packers and models of the kit's own, trajectories, and what a call left behind."""
