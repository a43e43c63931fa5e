"""`distc run`: a thin front to `distc.runtime.launch`, also under torchrun, Slurm, Kubernetes."""

from __future__ import annotations

import math
from pathlib import Path

import click

from distc.compiler import certificate
from distc.compiler.cli import console
from distc.compiler.options import check_output_file
from distc.compiler.reproducer import start_recorder
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ComparisonFailed, ExitCode
from distc.runtime.launch import BACKENDS, EXECUTORS, RunOptions
from distc.runtime.launch import run as launch


def _positive(ctx: click.Context, parameter: click.Parameter, value: float) -> float:
    """Accept numbers from 0 on; NaN is none."""
    if not 0 <= value < math.inf:
        raise click.BadParameter(f"{value} is not a number from 0 on")
    return value


@click.command("run")
@click.argument("artifact")
@click.option("-n", "ranks", type=int, metavar="N", help="Number of ranks [default: the mesh's].")
@click.option("--input", metavar="FILE", help="Safetensors with the inputs by name.")
@click.option("--random", type=int, metavar="SEED", help="Random inputs instead of a file.")
@click.option("--output", metavar="FILE", help="Write the whole outputs as safetensors.")
@click.option("--weights", metavar="DIR|FILE", help="Weights instead of those of the artifact.")
@click.option("--entry", default="main", show_default=True, help="The entry point to run.")
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default="auto",
    show_default=True,
    help="sim runs all ranks in this process.",
)
@click.option("--executor", type=click.Choice(EXECUTORS), default="eager", show_default=True)
@click.option("--check", is_flag=True, help="Compare with the source program on one rank.")
@click.option(
    "--tolerance",
    type=float,
    default=1e-5,
    show_default=True,
    callback=_positive,
    help="Of --check.",
)
@click.option("--repeat", type=int, default=1, show_default=True, help="Steps to run.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port where the ranks meet.")
@click.option("--threads", type=click.IntRange(1), help="Threads of each rank.")
@click.option(
    "--peer-timeout",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    callback=_positive,
    show_default=True,
    help="Seconds of silence after which a rank counts as lost.",
)
@click.option(
    "--join-timeout",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    callback=_positive,
    show_default=True,
    help="Seconds to wait for all ranks at the start.",
)
@click.option("--json", "json", is_flag=True, help="Print one JSON document.")
def command(**options: object) -> int:
    """Run ARTIFACT on the ranks of its mesh.

    Starts the ranks on this machine, or is one of them under a launcher:
    torchrun --nproc-per-node N -m distc run ARTIFACT.
    """
    start_recorder("run", dict(options))
    parsed = RunOptions(**options)  # type: ignore[arg-type]  # click has checked each type
    if parsed.output is not None:
        check_output_file(Path(parsed.output))
    code = launch(parsed)
    if code == ExitCode.COMPARISON:
        raise ComparisonFailed(
            f"an output differs from the source program's by more than {parsed.tolerance}",
            help="the lines above say which; a larger --tolerance allows for other rounding",
        )
    if code == ExitCode.OK and not parsed.json:
        _say_whether_proved(Path(parsed.artifact))
    return code


def _say_whether_proved(path: Path) -> None:
    opened = artifacts.read(path)
    if opened.has(certificate.MEMBER) and not certificate.proved(
        opened.read_text(certificate.MEMBER)
    ):
        console.notice(certificate.NOT_PROVED)
