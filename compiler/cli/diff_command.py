"""`distc diff`: what differs between two plans. Reads the artifacts only; no torch, no MLIR."""

from __future__ import annotations

from pathlib import Path

import click

from distc.compiler.cli import console
from distc.compiler.reproducer import start_recorder
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode, UsageError


@click.command("diff")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--top", type=int, default=40, show_default=True, help="Rows of a table; 0: all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(before: Path, after: Path, top: int, as_json: bool) -> int:
    """Show what AFTER does otherwise than BEFORE: shardings, cost, collectives."""
    start_recorder("diff", {"before": str(before), "after": str(after)})
    if top < 0:
        raise UsageError(f"--top is {top}, the least is 0", help="write --top 0 for all rows")
    from distc.compiler.cli import diff_views
    from distc.compiler.explain import bodies
    from distc.compiler.explain.differences import differences

    one, other = artifacts.read(before), artifacts.read(after)
    found = differences(one, other)
    if as_json:
        meshes = {"before": one.manifest.mesh_text, "after": other.manifest.mesh_text}
        console.print_json({"mesh": meshes, "entries": [bodies.differences(d) for d in found]})
        return ExitCode.OK
    if one.manifest.mesh_text != other.manifest.mesh_text:
        print(f"mesh {one.manifest.mesh_text} -> {other.manifest.mesh_text}")
    for entry in found:
        diff_views.show(entry, top)
    return ExitCode.OK
