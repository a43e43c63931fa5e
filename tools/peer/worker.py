"""Child process: runs one program file per line of its input, limited in memory and time.

A job is a JSON line {"path", "mode", "ranks", "seconds"}; the answer, a JSON line with the
outcomes of the file's programs, goes to the file descriptor given as the first argument, because
anything may print. A program that aborts takes the process with it: the parent starts another.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.append(str(Path(__file__).resolve().parents[1]))

from distc.runtime.errors import DistcError
from peer.executables import check_executable
from peer.outcome import Outcome, Status
from peer.programs import PeerProgram, names_ranks, out_of_scope, programs
from peer.sharded import check_sharded
from peer.single import ReplicaMode, check_single

MEMORY = 12 << 30


class TooSlow(Exception):
    """A program ran past its time."""


def judge(name: str, family: str, check: Callable[[], str], seconds: int) -> Outcome:
    """Run one check; say how it went."""

    def over(*_: Any) -> None:
        raise TooSlow(f"more than {seconds} s")

    signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        wrong = check()
    except TooSlow as error:
        return Outcome(name, family, Status.SLOW, str(error))
    except DistcError as error:
        return Outcome(name, family, Status.REFUSED, f"{error.message} {error.where or ''}")
    except ReplicaMode as error:
        return Outcome(name, family, Status.OUTSIDE, str(error))
    except Exception as error:
        return Outcome(name, family, Status.ERROR, f"{type(error).__name__}: {str(error)[:300]}")
    finally:
        signal.alarm(0)
    return Outcome(name, family, Status.WRONG if wrong else Status.OK, wrong)


def run_file(path: Path, mode: str, ranks: list[int], seconds: int) -> list[Outcome]:
    """Outcomes of all programs of a file: `single`, `sharded` or `executable`."""
    if mode == "executable":
        return [judge(path.stem, path.parent.name, lambda: check_executable(path), seconds)]
    return [_run_program(p, mode, ranks, seconds) for p in programs(path)]


def _run_program(program: PeerProgram, mode: str, ranks: list[int], seconds: int) -> Outcome:
    reason = out_of_scope(program.text)
    if reason:
        return Outcome(program.name, program.family, Status.OUTSIDE, reason)
    outcome = judge(program.name, program.family, lambda: check_single(program), seconds)
    if mode == "single" or outcome.status is not Status.OK or names_ranks(program.text):
        return outcome
    return judge(program.name, program.family, lambda: check_sharded(program, ranks), seconds)


def main() -> None:
    """Serve jobs until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    torch.set_num_threads(1)
    with os.fdopen(int(sys.argv[1]), "w") as answers:
        for line in sys.stdin:
            job = json.loads(line)
            found = run_file(Path(job["path"]), job["mode"], job["ranks"], job["seconds"])
            answers.write(json.dumps([o.as_row() for o in found]) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
