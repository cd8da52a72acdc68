"""Holding data files to schemas: what `packproof schema` and `packproof validate` stand on."""
