"""Write test/fuzzing/corpus/: random PyTorch functions, exported once.

`make test` draws from them under random pins, without the second that an export takes: joint graphs
(joint-SEED.mlir) and forward passes with whole operators (whole-SEED.mlir). Seeds are tried in
order; a function is kept while one of its ops, or of its whole operators, has been seen less than
twice. One that does not compute what PyTorch does is told and left out.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "test" / "fuzzing" / "corpus"
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]
_ENOUGH = 2
# Which of equal elements these pick is not defined, so gradients may differ.
_AMBIGUOUS = {"topk", "sort"}
_CLOSE = 1e-11
_COMPOSITE = re.compile(r"distc\.\w+")


def main() -> int:
    """Try seeds until every op is there often enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1200)
    parser.add_argument("--most", type=int, default=72, help="most files of each sort")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.mlir"):
        old.unlink()
    wrong = sum(_write(sort, options.seeds, options.most) for sort in ("joint", "whole"))
    return 1 if wrong else 0


def _write(sort: str, seeds: int, most: int) -> int:
    """Write the files of one sort; return how many seeds do not compute what PyTorch does."""
    from fuzzing.backward import net
    from fuzzing.choices import Choices, Seeded
    from fuzzing.generate import joint_case, whole_case

    from distc.runtime.errors import DistcError

    make = joint_case if sort == "joint" else whole_case
    seen: Counter[str] = Counter()
    kept = wrong = 0
    for seed in range(seeds):
        made = net(Choices(Seeded(seed)))
        if all(seen[name] >= _ENOUGH for name in made.names) or kept == most:
            continue
        try:
            case = make(made)
        except DistcError as error:
            print(f"seed {seed}: {' → '.join(made.names)}: {error.message}")
            continue
        features = made.names if sort == "joint" else _COMPOSITE.findall(case.text)
        if all(seen[name] >= _ENOUGH for name in features):
            continue
        difference = _difference(made, case.text, sort)
        if difference:
            wrong += 1
            print(f"seed {seed}: {' → '.join(made.names)}: {difference}")
            continue
        seen.update(features)
        kept += 1
        case = replace(case, notes=(*case.notes, f"seed {seed}"))
        (FOLDER / f"{sort}-{seed:04}.mlir").write_text(case.file())
    print(", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    print(f"corpus: {kept} of sort {sort}, {wrong} differ from PyTorch")
    return wrong


def _difference(made, text: str, sort: str) -> str:  # type: ignore[no-untyped-def]
    """Empty where the module computes what PyTorch does."""
    from executable.harness import run_whole
    from fuzzing.joint import results

    compute = results if sort == "joint" else type(made).values
    expected = compute(made, *made.data())
    scale = max(1.0, *(float(x.abs().max()) for x in expected if x.numel()))
    found = run_whole(text, made.data())
    ambiguous = sort == "joint" and _AMBIGUOUS & set(made.names)
    for number, (want, got) in enumerate(zip(expected, found, strict=True)):
        if ambiguous and number:
            break
        exact = made.exact and (made.gradients_exact or sort == "whole")
        distance = float((want - got).abs().max()) if want.numel() else 0.0
        if not distance <= (0.0 if exact else _CLOSE * scale):
            return f"result {number} is off by {distance:g}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
