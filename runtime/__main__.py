"""`python -m distc.runtime OPTIONS`: a rank that `distc run` has started. OPTIONS is JSON."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Sequence

from distc.runtime.errors import DistcError, ExitCode, InternalError
from distc.runtime.launch import RunOptions, run
from distc.runtime.progress import write_failure
from distc.runtime.spawn import LAUNCHER


def main(argv: Sequence[str]) -> int:
    """Run as a rank; errors are left for the launcher in the run's folder."""
    _die_with_launcher()
    rank = int(os.environ.get("RANK", "0"))
    try:
        return run(RunOptions(**json.loads(argv[0])))
    except DistcError as error:
        shown = error
    except Exception as error:
        text = str(error).splitlines()
        shown = InternalError(
            f"rank {rank}: {type(error).__name__}: {text[0] if text else 'no message'}",
            help="report this with the artifact and the command",
        )
    cause = shown.exit_code is not ExitCode.PEER_LOST or shown.code == "E-DESYNC"
    write_failure(rank, str(shown), shown.exit_code, cause=cause)
    sys.stdout.flush()
    # Not sys.exit: threads of a broken process group may block the interpreter's end.
    os._exit(shown.exit_code)


def _die_with_launcher() -> None:
    """Ask the kernel to kill this rank when its launcher is gone."""
    launcher = os.environ.get(LAUNCHER)
    if launcher is None:
        return
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != int(launcher):
        os._exit(ExitCode.PEER_LOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
