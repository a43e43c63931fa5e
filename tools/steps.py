"""Compare training steps of every model, plan and mesh with single-device PyTorch.

    python tools/steps.py [--model NAME] [--jobs N]

A row per case. Last line:

    steps: N/N equal
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]


def _row(case: Any) -> tuple[str, bool]:
    from e2e.steps import run

    from distc.runtime.errors import DistcError

    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = run(case, Path(folder))
            text = f"{found.share:8.1e} of the allowed difference, {found.what}"
            equal = found.equal
        except DistcError as error:
            text, equal = error.message, False
    word = "equal" if equal else "WRONG"
    return f"{word}  {case!s:60} {text}  ({time.monotonic() - started:.1f} s)", equal


def main() -> int:
    """Run the cases and report."""
    from e2e.step_cases import everything

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="", help="only this model")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cases = [c for c in everything() if options.model in ("", c.model)]
    equal = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for text, is_equal in pool.map(_row, cases):
            print(text, flush=True)
            equal += is_equal
    print(f"steps: {equal}/{len(cases)} equal")
    return 0 if equal == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
