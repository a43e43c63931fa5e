"""The child that executes: one line of JSON in (an op), one out (its rule, or an error).

    python -m distc.solver.discovery.worker MEMORY_BYTES

With `given`, a rule as text, the answer is a counter-example to it or nothing. The child limits its
own memory, dies with its parent, and answers each request before it reads the next.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

READY = "ready"
_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Serve until the input ends."""
    memory = int(arguments[0])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _die_with_parent()
    # What an op prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import torch

    from distc.runtime.custom import load
    from distc.solver.discovery.check import counter_example
    from distc.solver.discovery.discover import discover
    from distc.solver.discovery.record import to_json

    torch.set_num_threads(1)

    def answer(body: dict[str, Any]) -> None:
        answers.write(json.dumps(body) + "\n")
        answers.flush()

    answer({"state": READY})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            for origin in request["origins"]:
                load(origin)
            if "given" in request:
                answer({"counter": counter_example(request["text"], request["given"])})
            else:
                answer({"rule": to_json(discover(request["text"]))})
        except Exception as error:
            answer({"error": _describe(error)})
    return 0


def _die_with_parent() -> None:
    """Ask Linux to end this process when its parent is gone, even in the middle of an op."""
    parent = os.getppid()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def _describe(error: Exception) -> dict[str, str]:
    from distc.runtime.errors import DistcError

    if isinstance(error, DistcError):
        return {"code": error.code, "message": error.message, "help": error.help}
    place = traceback.extract_tb(error.__traceback__)[-1]
    return {
        "code": "E-INTERNAL",
        "message": f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})",
        "help": "report this op",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
