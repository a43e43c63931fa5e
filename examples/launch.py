"""Start the processes of the demo: one log each, shown where one fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import workload

EXAMPLES = Path(__file__).resolve().parent
LOGS = workload.BUILD / "demo"
LIMIT_SECONDS = 420
_SHOWN_LINES = 25
_TORCHRUN_SPEAKS = "torch/distributed/elastic/multiprocessing/api.py"

# One thread per process: ranks share the cores of this machine. Nothing may ask the network.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}


class StepFailed(Exception):
    """A process of the job failed; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class RankReport:
    """What a rank script measured: seconds of its work, weight bytes read, of how many."""

    seconds: float
    read: int
    total: int


def say(text: str) -> None:
    """Tell what is going on, on stderr: stdout is for results."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def run_python(name: str, arguments: Sequence[str | Path]) -> str:
    """Run Python with `arguments`, log to `build/demo/NAME.log`, and return its stdout.

    Raises:
        StepFailed: it exits with another code than 0 or takes longer than seven minutes.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    command = [sys.executable, *map(str, arguments)]
    with log.open("w", encoding="utf-8") as errors:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **_ENVIRONMENT},
                text=True,
                timeout=LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise StepFailed(f"{name} took longer than {LIMIT_SECONDS} s") from None
    if done.returncode:
        # What a rank said comes first; torchrun then adds its own traceback.
        text, _, _ = log.read_text("utf-8", errors="replace").partition(_TORCHRUN_SPEAKS)
        tail = text.splitlines()[-_SHOWN_LINES:]
        raise StepFailed("\n".join([f"{name} exited with {done.returncode}:", *tail]))
    return done.stdout


def compile_model(
    folder: Path,
    artifact: Path,
    mesh: str,
    batch: int,
    sequence: int,
    *,
    preset: str = "megatron",
    more: Sequence[str] = (),
) -> dict[str, Any]:
    """Run `distc compile` on a Hugging Face folder and return the report it prints."""
    arguments: list[str | Path] = ["-m", "distc", "compile", folder, "--output", artifact]
    arguments += ["--mesh", mesh, "--preset", preset, "--weights", folder]
    arguments += ["--batch", str(batch), "--seq", str(sequence), *more, "--json"]
    report: dict[str, Any] = json.loads(run_python(f"compile-{artifact.stem}", arguments))
    return report


def inspect(artifact: Path) -> dict[str, Any]:
    """Return what `distc inspect` tells of an artifact."""
    text = run_python(f"inspect-{artifact.stem}", ["-m", "distc", "inspect", artifact, "--json"])
    found: dict[str, Any] = json.loads(text)
    return found


def run_ranks(
    script: Path, artifact: Path, inputs: Path, output: Path, ranks: int, more: Sequence[str] = ()
) -> list[RankReport]:
    """Run a rank script under torchrun and return what each rank reports, in rank order."""
    for stale in output.parent.glob(f"{output.name}.*"):
        stale.unlink()
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    run_python(f"run-{artifact.stem}", [*launcher, script, artifact, inputs, output, *more])
    reports = [Path(f"{output}.{rank}.json") for rank in range(ranks)]
    return [RankReport(**json.loads(path.read_text("utf-8"))) for path in reports]
