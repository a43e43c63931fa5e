"""Random programs under random shardings until a number is reached: `make fuzz`.

Every fifth is the joint graph (forward and gradients) of a random PyTorch function. A failing case
is shrunk and written to build/fuzz/SEED.mlir, which distc-opt reads and `tools/fuzz.py --replay
FILE` runs. Last line: `fuzz: 20000 programs (forward 16000, backward 4000), 0 mismatches`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "fuzz"
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]
_CHUNK = 500


@dataclass
class Tally:
    """What has been run."""

    forward: int = 0
    backward: int = 0
    failed: int = 0

    def line(self) -> str:
        """The last line of a run."""
        return (
            f"fuzz: {self.forward + self.backward} programs (forward {self.forward}, "
            f"backward {self.backward}), {self.failed} mismatches"
        )


def _work(seeds: list[int], seconds: float, answers: Connection) -> None:
    """Run seeds; say which one is next, then what came of it."""
    sys.stderr = Path(os.devnull).open("w")
    for seed in seeds:
        answers.send((seed, None))
        answers.send((seed, _outcome(seed, seconds)))
    answers.close()


def _outcome(seed: int, seconds: float) -> tuple[str, str]:
    """(kind, failure): kind is forward or backward; the file of a failure is written."""
    from fuzzing.case import check
    from fuzzing.generate import Seed
    from fuzzing.shrink import same_failure, shrink_choices, shrink_module

    what = Seed(seed)
    kind = "backward" if what.is_backward else "forward"
    case, choices = what.build()
    failure = check(case)
    if not failure:
        return kind, ""
    fails = same_failure(failure)
    smaller = what.played(shrink_choices(choices.made, what.played, fails, seconds))
    smaller = shrink_module(smaller, fails, seconds)
    failure = check(smaller) or failure
    notes = (*case.notes, f"seed {seed}", *failure.splitlines()[:1])
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{seed}.mlir").write_text(replace(smaller, notes=notes).file())
    return kind, failure.splitlines()[0]


def _answers(seeds: list[int], seconds: float) -> Iterator[tuple[int, str, str]]:
    """(seed, kind, failure) of each; a process that dies costs the seed it was at, no other."""
    context = multiprocessing.get_context("spawn")
    left = list(seeds)
    while left:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(left, seconds, theirs), daemon=True)
        process.start()
        theirs.close()
        current = left[0]
        try:
            while True:
                current, outcome = ours.recv()
                if outcome is not None:
                    left.remove(current)
                    yield current, *outcome
        except EOFError:
            process.join()
        if left:
            left.remove(current)
            yield current, "forward", f"the process ended with {process.exitcode}"


def _fuzz(first: int, count: int, jobs: int, seconds: float) -> Tally:
    tally = Tally()

    def chunk(start: int) -> None:
        for seed, kind, failure in _answers(
            list(range(start, min(start + _CHUNK, first + count))), seconds
        ):
            tally.forward += kind == "forward"
            tally.backward += kind == "backward"
            if failure:
                tally.failed += 1
                print(f"seed {seed}: {failure[:160]} (build/fuzz/{seed}.mlir)", flush=True)

        print(f"… {tally.line()}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(chunk, range(first, first + count, _CHUNK)))
    return tally


def _replay(files: list[Path]) -> int:
    from fuzzing.case import Case, check

    failed = 0
    for file in files:
        failure = check(Case.parse(file.read_text()))
        failed += bool(failure)
        print(f"{file}: {failure or 'the same on all ranks'}")
    return 1 if failed else 0


def main() -> int:
    """Run the seeds and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=40.0, help="to shrink a failing case")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="run reproducers")
    options = parser.parse_args()
    if options.replay:
        return _replay(options.replay)
    tally = _fuzz(options.first, options.programs, options.jobs, options.seconds)
    print(tally.line())
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
