"""The identity lock: what each packer of a project declares and does, pinned in a file (IDENT-15, 17 and 18)."""
