"""What runs that take sources in are tried on: factories of the kit's own, and what is to become of what they give."""
