"""Run a folder of Shardy's executable tests through our importer, partitioner and simulator.

    make executables DATA=FOLDER
    python tools/executables.py FOLDER [--only PATTERN] [--failures]

Files are those with `//--- part1.mlir` and `//--- part2.mlir`, in any folder below.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from peer.outcome import Status, failures, table
from peer.workers import Job, run_jobs


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0 where every file passes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="*", help="glob of file names, without .mlir")
    parser.add_argument("--failures", action="store_true", help="print each file that fails")
    parser.add_argument("--seconds", type=int, default=60, help="limit per file")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(arguments)
    files = [f for f in sorted(options.folder.rglob(f"{options.only}.mlir")) if _is_test(f)]
    if not files:
        print(
            f"no executable test matches {options.only}.mlir in {options.folder}", file=sys.stderr
        )
        return 66
    started = time.monotonic()
    jobs = (Job(f, "executable", seconds=options.seconds) for f in files)
    outcomes = run_jobs(jobs, min(options.jobs, len(files)))
    print(table(outcomes))
    lines = failures(outcomes)
    if lines and (options.failures or len(lines) <= 20):
        print("\n".join(lines))
    print(f"{time.monotonic() - started:.0f} s")
    passed = sum(o.status is Status.OK for o in outcomes)
    print(f"executables: {passed}/{len(outcomes)}")
    return 0 if passed == len(outcomes) else 1


def _is_test(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "//--- part1.mlir" in text and "//--- part2.mlir" in text


if __name__ == "__main__":
    sys.exit(main())
