"""`distc doctor`: what this machine can compile and run, and what to do where it cannot."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass

import click

from distc.compiler.cli.console import print_json, stdout, table
from distc.compiler.reproducer import start_recorder, versions
from distc.runtime.errors import ExitCode


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `needed` checks decide the exit code."""

    name: str
    ok: bool
    detail: str
    help: str = ""
    needed: bool = True


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> int:
    """Check versions, backends, GPUs, NCCL and gloo on this machine.

    Exits with 69 when something that every run needs is missing; a missing GPU is not an error.
    """
    start_recorder("doctor", {"json": as_json})
    checks = [run() for run in CHECKS]
    if as_json:
        print_json({"checks": [asdict(c) for c in checks], "versions": versions()})
    else:
        rows = [(c.name, "OK" if c.ok else "—", c.detail, c.help) for c in checks]
        stdout().print(table("", ("check", "state", "found", "help"), rows))
    missing = any(c.needed and not c.ok for c in checks)
    return ExitCode.UNAVAILABLE if missing else ExitCode.OK


def _packages() -> Check:
    found = versions()
    missing = [name for name, number in found.items() if number == "missing"]
    detail = ", ".join(f"{name} {number}" for name, number in found.items())
    help_ = f"pip install {' '.join(missing)}" if missing else ""
    return Check("packages", not missing, detail, help_)


def _compiler() -> Check:
    def attempt() -> str:
        from distc.dialect.context import make_context, parse_module

        parse_module("func.func @main() { return }", make_context(), "doctor.mlir")
        return "StableHLO and dist dialects load"

    return _attempt("compiler", attempt, "reinstall torch-mlir with the pinned version")


def _torch() -> Check:
    def attempt() -> str:
        import torch

        return f"torch {torch.__version__}, {torch.get_num_threads()} threads"

    return _attempt("torch", attempt, "reinstall torch with the pinned version")


def _gloo() -> Check:
    def attempt() -> str:
        import torch
        from torch import distributed

        if not distributed.is_gloo_available():
            raise RuntimeError("this torch has no gloo")
        with tempfile.TemporaryDirectory() as folder:
            meeting = f"file://{folder}/store"
            distributed.init_process_group("gloo", init_method=meeting, rank=0, world_size=1)
            try:
                distributed.all_reduce(torch.ones(4))
            finally:
                distributed.destroy_process_group()
        return "one-rank all-reduce works"

    return _attempt("gloo", attempt, "CPU runs need it: use a torch with gloo, or --backend sim")


def _localhost() -> Check:
    def attempt() -> str:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        return "ranks can meet on 127.0.0.1"

    return _attempt("localhost", attempt, "allow connections to 127.0.0.1, or use --backend sim")


def _gpu() -> Check:
    def attempt() -> str:
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("no GPU that this torch can use")
        names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
        return f"{len(names)} × {names[0]}"

    return _attempt("gpu", attempt, "without one, run with --backend gloo", needed=False)


def _nccl() -> Check:
    def attempt() -> str:
        import torch
        from torch import distributed

        if not distributed.is_nccl_available():
            raise RuntimeError("this torch was built without NCCL")
        if not torch.cuda.is_available():
            raise RuntimeError("NCCL needs a GPU")
        return "NCCL " + ".".join(map(str, torch.cuda.nccl.version()))  # type: ignore[no-untyped-call]

    return _attempt("nccl", attempt, "without it, run with --backend gloo", needed=False)


def _machine() -> Check:
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    free = shutil.disk_usage(".").free
    detail = f"{cores} cores, {memory / 2**30:.0f} GiB memory, {free / 2**30:.0f} GiB disk free"
    return Check("machine", True, detail)


def _attempt(name: str, attempt: Callable[[], str], help_: str, needed: bool = True) -> Check:
    try:
        return Check(name, True, attempt(), needed=needed)
    except Exception as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        return Check(name, False, reason[0], help_, needed)


CHECKS: tuple[Callable[[], Check], ...] = (
    _packages,
    _machine,
    _compiler,
    _torch,
    _gloo,
    _localhost,
    _gpu,
    _nccl,
)
