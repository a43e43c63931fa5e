"""Time the stages of compiling the test models at full size: `make bench`.

Each model is compiled in a process of its own, so peak memory is its own. The table is printed,
and kept as build/bench/compile.json for comparison with an earlier commit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "build" / "bench" / "compile.json"
CASES = [
    ("mlp.py:full", "tensor=4"),
    ("resnet18.py:full", "tensor=2"),
    ("bert.py:full", "tensor=2"),
    ("gpt2.py:full", "tensor=4"),
    ("llama.py:full", "tensor=4"),
    ("llama.py:full", "data=2,tensor=2"),
]
COLUMNS = ("export", "clean-up", "plan", "partition", "lower", "write", "total", "peak MiB")
STAGES = {
    "export": "export",
    "constraints": "plan",
    "propagate": "plan",
    "insert-reshards": "plan",
    "reshard-to-collectives": "plan",
    "optimize-collectives": "plan",
    "partition": "partition",
    "verify-partitioned": "partition",
    "lower": "lower",
    "weights": "write",
    "package": "write",
}


def measure(spec: str, mesh: str) -> dict[str, float]:
    """Compile one model and return seconds per group of stages, and its peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        argv = ["compile", str(ROOT / "test" / "models" / spec), "--mesh", mesh]
        done = subprocess.run(
            [sys.executable, "-m", "distc", *argv, "--preset", "megatron", "--json"],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
    stages = json.loads(done.stdout)["timing"]
    row = dict.fromkeys(COLUMNS, 0.0)
    for stage in stages:
        row[STAGES.get(stage["stage"], "clean-up")] += stage["seconds"]
        row["total"] += stage["seconds"]
        row["peak MiB"] = max(row["peak MiB"], stage["peak_mib"])
    return row


def main() -> None:
    """Measure every case and print one line each."""
    print(f"{'model':34}" + "".join(f"{c:>11}" for c in COLUMNS))
    results = {}
    for spec, mesh in CASES:
        row = measure(spec, mesh)
        results[f"{spec} {mesh}"] = row
        cells = "".join(f"{row[c]:>11.2f}" for c in COLUMNS)
        print(f"{spec + ' ' + mesh:34}{cells}", flush=True)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"kept in {RESULT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
