"""`python -m distc`; under a launcher: `torchrun --nproc-per-node 4 -m distc run out.distc`."""

from __future__ import annotations

import sys

from distc.compiler.cli import main

if __name__ == "__main__":
    sys.exit(main())
