"""Random programs under random shardings until a number is reached: `make fuzz`.

Prints a line per failing seed and writes its case to build/fuzz/SEED.txt; last line
`fuzz: 20000 programs, 0 mismatches`.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]
_CHUNK = 50


def _chunk(first: int, last: int) -> list[tuple[int, str]]:
    from executable.random_shardings import check

    failures = []
    for seed in range(first, last):
        try:
            check(seed)
        except AssertionError as error:
            failures.append((seed, str(error)))
    return failures


def main() -> int:
    """Run the seeds and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    folder = ROOT / "build" / "fuzz"
    failed = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        end = options.first + options.programs
        firsts = range(options.first, end, _CHUNK)
        lasts = [min(f + _CHUNK, end) for f in firsts]
        for failures in pool.map(_chunk, firsts, lasts):
            for seed, text in failures:
                failed += 1
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{seed}.txt").write_text(text)
                print(f"seed {seed}: {text.splitlines()[0]} (build/fuzz/{seed}.txt)", flush=True)
    print(f"fuzz: {options.programs} programs, {failed} mismatches")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
