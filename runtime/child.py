"""The rank's side of a launch: die with the launcher, leave errors where it finds them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from distc.runtime.errors import DistcError, ExitCode, InternalError
from distc.runtime.progress import RUN_FOLDER, write_failure
from distc.runtime.spawn import LAUNCHER


def as_rank(call: Callable[[], int]) -> NoReturn:
    """Call as a rank of `spawn.Ranks` and end the process with its exit code.

    An error ends the process too, after it was left for the launcher or printed.
    """
    die_with_launcher()
    rank = int(os.environ.get("RANK", "0"))
    try:
        end(call())
    except DistcError as error:
        shown = error
    except Exception as error:
        shown = unexpected(error, rank)
    cause = shown.exit_code is not ExitCode.PEER_LOST or shown.code == "E-DESYNC"
    write_failure(rank, str(shown), shown.exit_code, cause=cause)
    if RUN_FOLDER not in os.environ:
        print(shown, file=sys.stderr)
    _leave(shown.exit_code)


def end(code: int) -> NoReturn:
    """Say goodbye to the other ranks, then end this process without the interpreter's own end.

    Threads of torch's process groups and stores may block that end, or abort it.
    """
    session = sys.modules.get("distc.runtime.session")
    if session is not None:
        session.close_current()
    _leave(code)


def _leave(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def unexpected(error: Exception, rank: int) -> DistcError:
    """Return the error for an exception that is none of ours."""
    text = str(error).strip().splitlines()
    return InternalError(
        f"rank {rank} raised {type(error).__name__}: {text[0] if text else 'no message'}",
        help="report this with the artifact and the command",
    )


def die_with_launcher() -> None:
    """Ask the kernel to kill this rank when its launcher is gone."""
    launcher = os.environ.get(LAUNCHER)
    if launcher is None:
        return
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if os.getppid() != int(launcher):
        os._exit(ExitCode.PEER_LOST)
