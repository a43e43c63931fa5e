"""`python -m distc`; under a launcher: `torchrun --nproc-per-node 4 -m distc run out.distc`."""

from __future__ import annotations

import os
import sys

from distc.compiler.cli import main

if __name__ == "__main__":
    code = main()
    if "RANK" in os.environ:
        from distc.runtime.child import end

        end(code)
    sys.exit(code)
