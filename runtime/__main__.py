"""`python -m distc.runtime [train] OPTIONS`: a rank that distc has started. OPTIONS is JSON."""

from __future__ import annotations

import json
import sys

from distc.runtime.child import as_rank
from distc.runtime.launch import RunOptions, run
from distc.runtime.train_launch import TrainOptions, as_this_process

if __name__ == "__main__":
    if sys.argv[1] == "train":
        as_rank(lambda: as_this_process(TrainOptions(**json.loads(sys.argv[2]))))
    as_rank(lambda: run(RunOptions(**json.loads(sys.argv[1]))))
