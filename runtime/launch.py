"""`distc run`: as many ranks as the mesh has, on this host, or this process as one of them.

`run(options)` finds out which: under torchrun, Slurm or Kubernetes (RANK or SLURM_PROCID in the
environment) this process is a rank; with backend `sim` it is all of them; else it starts the ranks
and looks after them. Only a rank imports torch.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode, UsageError
from distc.runtime.spawn import Ranks

BACKENDS = ("auto", "gloo", "nccl", "sim")
EXECUTORS = ("eager", "inductor")
REPORT = "DISTC_REPORT"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `distc run` was asked for; fields are its flags.

    Attributes:
        artifact: folder or zip.
        ranks: `-n`; None takes the mesh's.
        input: safetensors file with the inputs by name.
        random: seed of random inputs, where no file is given.
        output: safetensors file to write whole outputs to.
        check: also run the source program on one rank and compare.
        tolerance: of `check`: max|a-b| <= tolerance * max|b| + 1e-6.
        repeat: steps to run; the fastest is reported.
        port: of the rendezvous, default a free one.
        peer_timeout: seconds of silence after which a rank counts as hung.
    """

    artifact: str
    ranks: int | None = None
    input: str | None = None
    random: int | None = None
    output: str | None = None
    weights: str | None = None
    entry: str = "main"
    backend: str = "auto"
    executor: str = "eager"
    check: bool = False
    tolerance: float = 1e-5
    repeat: int = 1
    port: int | None = None
    peer_timeout: float = 10.0
    join_timeout: float = 300.0
    threads: int | None = None
    json: bool = False


def run(options: RunOptions) -> int:
    """Run an artifact and return the exit code.

    Raises:
        DistcError: nothing could be started, or (as a rank) the run failed.
    """
    _check(options)
    opened = artifacts.read(options.artifact)
    opened.manifest.entry(options.entry)
    if options.backend == "sim":
        check_ranks(options.ranks, opened.manifest.ranks, opened.manifest.mesh_text)
        return _as_sim(options)
    if is_rank(options.ranks):
        return _as_rank(options)
    check_ranks(options.ranks, opened.manifest.ranks, opened.manifest.mesh_text)
    return _as_launcher(options, opened.manifest.ranks)


def _check(options: RunOptions) -> None:
    if options.backend not in BACKENDS:
        raise UsageError(
            f"unknown backend {options.backend!r}", help=f"use one of: {', '.join(BACKENDS)}"
        )
    if options.executor not in EXECUTORS:
        raise UsageError(
            f"unknown executor {options.executor!r}", help=f"use one of: {', '.join(EXECUTORS)}"
        )
    if options.input is not None and options.random is not None:
        raise UsageError(
            "both an input file and a seed for random inputs are given",
            help="use either --input or --random",
        )
    if options.repeat < 1:
        raise UsageError(f"--repeat is {options.repeat}", help="run at least one step")
    _check_output(options.output)


def _check_output(output: str | None) -> None:
    """Refuse what writing would replace: a folder, or a device such as /dev/null."""
    where = None if output is None else Path(output)
    if where is not None and where.exists() and not where.is_file():
        raise UsageError(
            f"{output!r} is not a plain file, it is not overwritten",
            help="name another path with --output",
            code="E-FILE",
        )


def check_ranks(given: int | None, ranks: int, mesh: str) -> None:
    """Refuse another number of ranks than the mesh has.

    Raises:
        UsageError: they differ.
    """
    if given is not None and given != ranks:
        raise UsageError(
            f"the artifact is for {ranks} ranks (mesh {mesh}), -n is {given}",
            help=f"use -n {ranks}, or compile for a mesh of {given}",
            code="E-WORLD-SIZE",
        )


def is_rank(given: int | None) -> bool:
    """True under a launcher. Slurm sets its variables in plain shells too: -n means launch."""
    if "WORLD_SIZE" in os.environ and (
        "RANK" in os.environ or "JOB_COMPLETION_INDEX" in os.environ
    ):
        return True
    tasks = os.environ.get("SLURM_NTASKS", "1")
    return given is None and "SLURM_PROCID" in os.environ and tasks != "1"


def _as_sim(options: RunOptions) -> int:
    from distc.runtime.rank import run_steps

    report = run_steps(options)
    _print_report(report.body, options)
    return report.exit_code


def _as_rank(options: RunOptions) -> int:
    # torch prints a C++ trace for every connection that a lost peer breaks; we name the peer.
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    from distc.runtime.rank import run_steps

    report = run_steps(options)
    if report.rank != 0:
        return report.exit_code
    where = os.environ.get(REPORT)
    if not where:
        _print_report(report.body, options)
        return report.exit_code
    # The launcher prints it and returns its exit code: this rank itself has not failed.
    Path(where).write_text(json.dumps({"exit": report.exit_code, "body": report.body}), "utf-8")
    return ExitCode.OK


def _as_launcher(options: RunOptions, ranks: int) -> int:
    with tempfile.TemporaryDirectory(prefix="distc-run-") as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "distc.runtime", json.dumps(asdict(options))]
        started = Ranks(
            command,
            ranks,
            folder=Path(folder),
            port=options.port,
            environ={REPORT: str(report), **thread_share(options.threads, ranks)},
        )
        code = started.wait()
        if code != ExitCode.OK or not report.is_file():
            return code
        left = json.loads(report.read_text("utf-8"))
    _print_report(left["body"], options)
    return int(left["exit"])


def thread_share(threads: int | None, ranks: int) -> dict[str, str]:
    """Share the cores among the ranks: OpenMP threads that spin would slow each other down."""
    if threads is None and "OMP_NUM_THREADS" in os.environ:
        return {}
    share = max(1, len(os.sched_getaffinity(0)) // ranks)
    return {"OMP_NUM_THREADS": str(threads or share)}


def _print_report(body: dict[str, object], options: RunOptions) -> None:
    if options.json:
        print(json.dumps(body, indent=1, sort_keys=True))
        return
    lines = body["text"]
    assert isinstance(lines, list)
    print("\n".join(map(str, lines)))
