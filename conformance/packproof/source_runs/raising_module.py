"""A module that raises when it is imported, which is what it is there for: a path into it leads to no source."""

raise RuntimeError("this module cannot be imported, on purpose")
