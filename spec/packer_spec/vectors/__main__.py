"""`python -m packer_spec.vectors FOLDER` writes the vector files into FOLDER, in a checkout `conformance/vectors`."""

import sys
from pathlib import Path

from packer_spec.vectors import VECTOR_NAMES, text_of

__all__: list[str] = []

if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit("usage: python -m packer_spec.vectors FOLDER, in a checkout conformance/vectors")
if not Path(sys.argv[1]).is_dir():
    sys.exit(f"{sys.argv[1]}: is no folder; the files are written into one that exists")
for name in VECTOR_NAMES:
    (Path(sys.argv[1]) / f"{name}.json").write_text(text_of(name), encoding="ascii")
