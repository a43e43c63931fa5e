"""`python -m distc.runtime OPTIONS`: a rank that `distc run` has started. OPTIONS is JSON."""

from __future__ import annotations

import json
import sys

from distc.runtime.child import as_rank
from distc.runtime.launch import RunOptions, run

if __name__ == "__main__":
    as_rank(lambda: run(RunOptions(**json.loads(sys.argv[1]))))
