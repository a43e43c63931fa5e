"""`distc inspect`: what an artifact holds. Reads the artifact only; no torch, no MLIR."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from distc.compiler import certificate, inspection
from distc.compiler.cli import console
from distc.compiler.reproducer import start_recorder
from distc.compiler.units import size
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode

_SHOWN_RANKS = 16


@click.command("inspect")
@click.argument("artifact", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(artifact: Path, as_json: bool) -> int:
    """Show the mesh of ARTIFACT, how its tensors lie, bytes per rank and collectives."""
    start_recorder("inspect", {"artifact": str(artifact), "json": as_json})
    opened = artifacts.read(artifact)
    programs = {e.name: opened.program(e.name) for e in opened.manifest.entries}
    proved = certificate.proved(opened.read_text(certificate.MEMBER))
    body = inspection.summary(opened.manifest, programs, proved)
    if as_json:
        console.print_json(body)
    else:
        _show(body)
    return ExitCode.OK


def _show(body: dict[str, Any]) -> None:
    print(f"mesh {body['mesh']}: {console.count(body['ranks'], 'rank')}")
    print("the plan is proved" if body["proved"] else certificate.NOT_PROVED)
    for entry in body["entries"]:
        _show_entry(entry)
    if set(body["state"]) - {"parameter", "buffer", "constant"}:
        _show_state(body["state"])


def _show_state(state: dict[str, Any]) -> None:
    """Show what ranks keep between calls, where that is more than the weights."""
    rows = [
        (kind, size(held["bytes"]), size(max(held["bytes_per_rank"])))
        for kind, held in state.items()
    ]
    columns = ("kept", "in all", "largest rank")
    console.stdout().print(console.table("\nstate of all entry points", columns, rows))


def _show_entry(entry: dict[str, Any]) -> None:
    out = console.stdout()
    rows = [
        (t["name"], t["kind"], t["dtype"], _shape(t), _dims(t["local_shape"]), t["sharding"])
        for t in entry["arguments"] + entry["results"]
    ]
    columns = ("tensor", "kind", "dtype", "shape", "per rank", "sharding")
    out.print(console.table(f"\nentry {entry['name']}", columns, rows))
    _show_weights(entry)
    _show_collectives(entry)


def _show_weights(entry: dict[str, Any]) -> None:
    if not entry["weight_bytes"]:
        print("\nweights: none")
        return
    share = 100 * entry["largest_rank_share"]
    whole = size(entry["weight_bytes"])
    print(f"\nweights: {whole} in all, the largest rank holds {share:.1f} %")
    held = entry["weight_bytes_per_rank"][:_SHOWN_RANKS]
    rows = [(rank, size(bytes_)) for rank, bytes_ in enumerate(held)]
    console.stdout().print(console.table("", ("rank", "weights"), rows))


def _show_collectives(entry: dict[str, Any]) -> None:
    counts, sizes = entry["collectives"], entry["collective_bytes"]
    if not counts:
        print("\ncollectives: none")
        return
    rows = [(name, n, size(sizes[name])) for name, n in counts.items()]
    columns = ("collective", "count", "result per rank")
    console.stdout().print(console.table("\ncollectives", columns, rows))


def _shape(tensor: dict[str, Any]) -> str:
    view = f" as {_dims(tensor['view'])}" if "view" in tensor else ""
    return _dims(tensor["shape"]) + view


def _dims(shape: list[int]) -> str:
    return "×".join(map(str, shape)) if shape else "scalar"
