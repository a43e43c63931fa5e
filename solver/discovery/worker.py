"""The child that executes: one line of JSON in (an op), one line out (its rule or an error).

    python -m distc.solver.discovery.worker MEMORY_BYTES

It limits its own memory, dies with its parent, and answers each request before it reads the next.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

READY = "ready"


def main(arguments: list[str]) -> int:
    """Serve until the input ends."""
    memory = int(arguments[0])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What an op prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import torch

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
                _load(origin)
            answer({"rule": to_json(discover(request["text"]))})
        except Exception as error:
            answer({"error": _describe(error)})
    return 0


def _load(origin: str) -> None:
    """Import the module that registers a custom op: by name, or by path where it is a script."""
    if not origin.endswith(".py"):
        importlib.import_module(origin)
        return
    name = f"distc_custom_{Path(origin).stem}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, origin)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {origin}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


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
