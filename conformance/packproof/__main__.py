"""`python -m packproof`, the same as the `packproof` command."""

import sys

from packproof.cli import main

sys.exit(main())
