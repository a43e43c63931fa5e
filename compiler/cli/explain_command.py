"""`distc explain`: why a plan is what it is. Reads the artifact only; no torch, no MLIR."""

from __future__ import annotations

from pathlib import Path

import click

from distc.compiler.cli import console
from distc.compiler.reproducer import start_recorder
from distc.dialect.mesh import Mesh
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode, UsageError


@click.command("explain")
@click.argument("artifact", type=click.Path(path_type=Path))
@click.argument("pattern", required=False)
@click.option("--entry", metavar="NAME", help="The entry point [default: the first].")
@click.option(
    "--what-if",
    "what_ifs",
    multiple=True,
    metavar="NAME=SHARDING",
    help="Search again with this pinned (repeatable): 'h.0.attn.weight=[R, S(tensor)]'.",
)
@click.option(
    "--budget",
    type=float,
    metavar="SECONDS",
    help="How long --what-if may search [default: until it is done].",
)
@click.option("--resolve", is_flag=True, help="Search again for every alternative that is shown.")
@click.option("--top", type=int, default=20, show_default=True, help="Rows of a table; 0: all.")
@click.option(
    "--hardware", metavar="NAME|FILE", help="Prices collectives of a plan that was not searched."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    artifact: Path,
    pattern: str | None,
    entry: str | None,
    what_ifs: tuple[str, ...],
    budget: float | None,
    resolve: bool,
    top: int,
    hardware: str | None,
    as_json: bool,
) -> int:
    """Say why the plan of ARTIFACT is what it is.

    Without PATTERN: what costs most, and every collective with the line that caused it. PATTERN is
    a glob on parameters, module paths and ops: how each lies or runs, what that costs, what else
    there is, and why it was not chosen.
    """
    options: dict[str, object] = {
        "artifact": str(artifact),
        "pattern": pattern,
        "what_if": list(what_ifs),
    }
    start_recorder("explain", options)
    if top < 0:
        raise UsageError(f"--top is {top}, the least is 0", help="write --top 0 for all rows")
    if pattern is not None and what_ifs:
        raise UsageError(
            f"--what-if searches the whole plan again, {pattern!r} would be ignored",
            help="leave the pattern out",
        )
    from distc.compiler.cli import explain_views
    from distc.compiler.explain import bodies
    from distc.compiler.explain.summary import read_entry
    from distc.compiler.explain.what_if import pins, what_if
    from distc.compiler.problem import read_problem

    opened = artifacts.read(artifact)
    names = [e.name for e in opened.manifest.entries]
    name = opened.manifest.entry(entry or names[0]).name
    others = [n for n in names if n != name]
    if pattern is None and not what_ifs:
        read = read_entry(opened, name, hardware)
        if as_json:
            console.print_json(bodies.summary(read))
        else:
            explain_views.show_summary(read, top, others)
        return ExitCode.OK
    problem = read_problem(opened, name)
    if problem is None:
        raise UsageError(
            f"the plan of {name} was not searched, so nothing else was weighed",
            help="compile with --solver exact; without PATTERN its collectives are shown",
        )
    if not what_ifs:
        explain_views.show_variables(problem, pattern or "*", resolve, top, as_json)
        return ExitCode.OK
    mesh = Mesh.parse(opened.manifest.mesh_text)
    found = what_if(problem, pins(problem, what_ifs, mesh), budget)
    if as_json:
        console.print_json(bodies.what_if(problem, found))
    else:
        explain_views.show_what_if(problem, found, others)
    return ExitCode.OK
