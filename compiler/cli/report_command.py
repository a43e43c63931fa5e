"""`distc report`: a plan as one HTML page. Reads the artifact only; no torch, no MLIR."""

from __future__ import annotations

from pathlib import Path

import click

from distc.compiler.options import check_output_file
from distc.compiler.reproducer import start_recorder
from distc.compiler.units import size
from distc.runtime.errors import ExitCode


@click.command("report")
@click.argument("artifact", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page to write.",
)
@click.option(
    "--hardware", metavar="NAME|FILE", help="Prices collectives of a plan that was not searched."
)
def command(artifact: Path, output: Path, hardware: str | None) -> int:
    """Write the plan of ARTIFACT as one HTML page that needs no network."""
    start_recorder("report", {"artifact": str(artifact), "output": str(output)})
    check_output_file(output)
    from distc.compiler.report import write_report

    bytes_ = write_report(artifact, output, hardware)
    print(f"wrote {output} ({size(bytes_)})")
    return ExitCode.OK
