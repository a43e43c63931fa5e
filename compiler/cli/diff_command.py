"""`distc diff`: what differs between two plans. Reads the artifacts only; no torch, no MLIR."""

from __future__ import annotations

from pathlib import Path

import click

from distc.compiler.cli import console
from distc.compiler.explain import bodies
from distc.compiler.explain.differences import Difference, Differences, differences
from distc.compiler.explain.units import duration, size
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
    one, other = artifacts.read(before), artifacts.read(after)
    found = differences(one, other)
    if as_json:
        meshes = {"before": one.manifest.mesh_text, "after": other.manifest.mesh_text}
        console.print_json({"mesh": meshes, "entries": [bodies.differences(d) for d in found]})
        return ExitCode.OK
    if one.manifest.mesh_text != other.manifest.mesh_text:
        print(f"mesh {one.manifest.mesh_text} -> {other.manifest.mesh_text}")
    for entry in found:
        _show(entry, top)
    return ExitCode.OK


def _show(found: Differences, top: int) -> None:
    print(f"\nentry {found.entry}" + (": no difference" if found.equal else ""))
    if found.seconds is not None:
        before, after = found.seconds
        share = (after - before) / before if before else 0.0
        print(f"cost {duration(before)} -> {duration(after)} ({share:+.2%})")
    elif found.why_no_seconds:
        print(f"cost not compared: {found.why_no_seconds}")
    _show_sent(found)
    _show_differences("tensors that lie differently", found.tensors, top)
    if found.ops is None:
        print("\nops not compared: both plans must have been searched")
    else:
        _show_differences("ops that run differently", found.ops, top)


def _show_sent(found: Differences) -> None:
    rows = [
        (kind, a.count, b.count, size(a.wire_bytes), size(b.wire_bytes))
        for kind, (a, b) in found.sent.items()
    ]
    if not rows:
        print("no collectives in either")
        return
    columns = ("collective", "before", "after", "sent before", "sent after")
    console.stdout().print(console.table("\na rank sends", columns, rows))


def _show_differences(title: str, found: tuple[Difference, ...], top: int) -> None:
    if not found:
        return
    shown = found[: top or None]
    rows = [(d.name, d.kind, d.before or "—", d.after or "—") for d in shown]
    count = f"{len(shown)} of {len(found)}" if len(shown) < len(found) else str(len(found))
    columns = ("what", "kind", "before", "after")
    console.stdout().print(console.table(f"\n{title} ({count})", columns, rows))
