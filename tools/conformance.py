"""Run a folder of StableHLO test programs and count per operation what agrees.

    make conformance DATA=FOLDER [SHARDED=2,3]
    python tools/conformance.py FOLDER [--sharded 2,3] [--only PATTERN] [--failures] [--json FILE]

Each program runs on one device; with `--sharded` also cut along the first and along the last
dimension of every argument and result, over so many ranks in `sim`, and must give the same. The
programs run in child processes with limits, so one that aborts is counted and the rest goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from peer.outcome import Status, failures, summary, table
from peer.workers import Job, run_jobs


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0 where every program agrees that distc promises to run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sharded", default="", metavar="2,3", help="also on so many ranks")
    parser.add_argument("--only", default="*", help="glob of file names, without .mlir")
    parser.add_argument("--every", type=int, default=1, help="every n-th file")
    parser.add_argument("--failures", action="store_true", help="print each program that fails")
    parser.add_argument("--seconds", type=int, default=60, help="limit per program")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, help="write the outcomes to this file")
    options = parser.parse_args(arguments)
    files = sorted(options.folder.rglob(f"{options.only}.mlir"))[:: options.every]
    if not files:
        print(f"no program matches {options.only}.mlir in {options.folder}", file=sys.stderr)
        return 66
    ranks = tuple(int(n) for n in options.sharded.split(",") if n.strip())
    mode = "sharded" if ranks else "single"
    started = time.monotonic()
    outcomes = run_jobs(
        (Job(f, mode, ranks, options.seconds) for f in files), min(options.jobs, len(files))
    )
    print(table(outcomes))
    lines = failures(outcomes)
    if lines and (options.failures or len(lines) <= 20):
        print("\n".join(lines))
    if options.json:
        options.json.write_text(json.dumps([o.as_row() for o in outcomes], indent=0))
    where = f"on one device and over {options.sharded} ranks" if ranks else "on one device"
    print(f"each {where}, {time.monotonic() - started:.0f} s")
    print(summary(outcomes))
    good = (Status.OK, Status.OUTSIDE)
    return 0 if all(o.status in good for o in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
