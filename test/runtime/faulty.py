"""A rank that runs an artifact step by step until a fault is put into one of them.

python faulty.py ARTIFACT MODE RANK
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import NoReturn

import torch

from distc.runtime.child import as_rank
from distc.runtime.load import load


def fault(mode: str) -> None:
    """Do what goes wrong on one rank."""
    print(f"FAULT {time.time():.3f}", flush=True)
    match mode:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)


def steps(artifact: str, mode: str, culprit: int) -> NoReturn:
    """Run for ever; the culprit fails before its twentieth step."""
    mine = int(os.environ["RANK"]) == culprit
    program = load(artifact, peer_timeout=2.0)
    step = 0
    while True:
        step += 1
        if mine and step == 20:
            fault(mode)
        program(torch.ones(4, 8))
        time.sleep(0.02)


if __name__ == "__main__":
    path, mode_, culprit_ = sys.argv[1:]
    as_rank(lambda: steps(path, mode_, int(culprit_)))
