"""`distc rules`: the sharding rules of ops, written or discovered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from distc.compiler.cli import console
from distc.compiler.reproducer import start_recorder
from distc.runtime.errors import DistcError, ExitCode, InputError, MissingFile, UsageError

if TYPE_CHECKING:
    from torch_mlir import ir

    from distc.compiler.discovery import RuleDiscovery


@click.group("rules")
def command() -> None:
    """Sharding rules: what distc knows and what it finds out."""


@command.command("discover")
@click.argument("what", metavar="OP|FILE.mlir")
@click.option("--no-cache", is_flag=True, help="Discover anew what was found before.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def discover(what: str, no_cache: bool, as_json: bool) -> int:
    """Find the rule of every op in FILE.mlir, or of an op such as `add`, by executing it.

    An op is run whole and on shards, with the results put together in every way that may be right;
    what holds is proved, or validated again on other sizes.
    """
    start_recorder("rules discover", {"what": what, "no_cache": no_cache, "json": as_json})
    from distc.compiler.discovery import RuleDiscovery
    from distc.dialect.context import make_context, parse_module
    from distc.solver.discovery import RuleCache

    text, name = _source(what)
    module = parse_module(text, make_context(), name)
    cache = RuleCache()
    if no_cache:
        cache.folder = cache.folder / "unused"
    discovery = RuleDiscovery(any_op=True, cache=cache)
    try:
        rows = [_row(discovery, op) for op in _ops(module)]
    finally:
        discovery.close()
    if not rows:
        raise InputError(f"{name} has no op to discover", help="write a function with ops in it")
    if as_json:
        console.print_json({"ops": rows, "cache": {"hits": cache.hits, "misses": cache.misses}})
    else:
        _show(rows)
        print(cache.report())
    found = [row for row in rows if row["discovered"] is not None]
    return ExitCode.OK if found else ExitCode.BAD_INPUT


def _source(what: str) -> tuple[str, str]:
    """The module to look at: a file's, or a sample of the op."""
    from distc.compiler.op_samples import SAMPLES

    path = Path(what)
    if path.suffix == ".mlir":
        if not path.is_file():
            raise MissingFile(f"no such file: {what}", help="check the path")
        return path.read_text(encoding="utf-8"), what
    name = what.removeprefix("stablehlo.")
    if name not in SAMPLES:
        raise UsageError(
            f"no sample of an op {what!r}, there are {', '.join(sorted(SAMPLES))}",
            help="write the op in a function of a .mlir file and give the file",
        )
    return SAMPLES[name], f"<sample of {name}>"


def _ops(module: ir.Module) -> list[ir.Operation]:
    from distc.dialect import stablehlo

    skipped = ("stablehlo.constant", "func.return", "stablehlo.return", "func.call")
    return [
        view.operation
        for function in stablehlo.functions(module)
        if stablehlo.is_public(function)
        for view in function.regions[0].blocks[0].operations
        if view.operation.name not in skipped
    ]


def _row(discovery: RuleDiscovery, op: ir.Operation) -> dict[str, Any]:
    from distc.compiler.discovery import describe
    from distc.dialect.rules import rule_for
    from distc.dialect.rules.rule import factor_name

    before = len(discovery.notices)
    found = discovery.discovered(op)
    try:
        written = rule_for(op)
    except DistcError:
        written = None
    row: dict[str, Any] = {
        "op": describe(op),
        "written": str(written) if written is not None else None,
        "discovered": None,
        "notice": "; ".join(discovery.notices[before:]),
    }
    if found is None:
        return row
    return row | {
        "discovered": str(found.rule),
        "status": found.status,
        "why": found.why(),
        "partial": [
            {
                "operands": sorted(p.operands),
                "kinds": sorted(p.kinds),
                "status": basis.status,
                "trials": basis.trials,
            }
            for p, basis in zip(found.rule.partial, found.partial_bases, strict=True)
        ],
        "forms": [
            {
                "factor": factor_name(i),
                "form": form.kind,
                "operands": list(form.operands),
                "status": basis.status if basis is not None else None,
                "trials": basis.trials if basis is not None else 0,
            }
            for i, (form, basis) in enumerate(zip(found.forms, found.bases, strict=True))
        ],
        "executions": found.executions,
        "seconds": found.seconds,
        "notes": list(found.notes),
    }


def _show(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(row["op"])
        print(f"  rule        {row['written'] or 'none written'}")
        if row["discovered"] is None:
            print(f"  discovered  nothing: {row['notice']}")
            continue
        print(f"  discovered  {row['discovered']}  ({row['why']})")
        for form in row["forms"]:
            if form["status"] is not None:
                text = f"{form['form']}, {form['status']}, {form['trials']} more trials"
                print(f"  factor      {form['factor']}: {text}")
        for partial in row["partial"]:
            operands = ", ".join(map(str, partial["operands"]))
            text = f"{', '.join(partial['kinds'])}, {partial['status']}"
            print(f"  partial     operands {operands}: {text}")
        seconds, runs = row["seconds"], row["executions"]
        print(f"  cost        {runs} executions, {seconds:.2f} s")
        for note in row["notes"]:
            print(f"  note        {note}")
