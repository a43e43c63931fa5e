"""Compare the written rule of every op that has a sample with what discovery finds for it.

    python tools/op_rules.py [--only PATTERN] [--table FILE] [--no-cache]

What one side claims and the other does not is executed with other data and shards. `written holds`:
a claim that discovery has no form for. `exchanged`: ranks exchange elements inside the op, which
shards alone cannot show; the program that ranks run, cut so on two and three ranks, gave the whole.
`local`: shards of results depend on those of operands alone, though the op does not run on shards.
`covered`: the other side cuts the same dimensions without an exchange. Composites are exported from
PyTorch. The exit code is 1 where execution contradicts a claim of either side or nothing could
judge it. Last line:

    ops: 90 compared, 80 same, 0 wrong, 0 unresolved
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from discovery import Claim, Referee, claims, compare
from torch import nn
from torch_mlir import ir

from distc.compiler.frontend.export import export
from distc.compiler.frontend.optimizers import parse_optimizer
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.compiler.op_samples import SAMPLES
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.rules import rule_for, rule_names
from distc.dialect.rules.rule import FactorKind, ShardingRule
from distc.runtime.errors import DistcError
from distc.solver.discovery import RuleCache, Sandbox, isolate, key_of
from distc.solver.discovery.agreement import equal

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from executable import harness

_SKIPPED = ("func.return", "stablehlo.return", "func.call")
_SECONDS = 60.0


@dataclass
class Row:
    """One sample.

    Attributes:
        name: of the sample.
        written: the rule as text, `none` where there is none.
        found: the discovered rule as text, or why there is none.
        why: how the discovered rule was established.
        only_written: claims of the written rule that discovery lacks, with what execution says.
        only_found: claims of discovery that the written rule lacks, with what execution says.
    """

    name: str
    written: str
    found: str
    why: str = ""
    only_written: dict[Claim, str] = field(default_factory=dict)
    only_found: dict[Claim, str] = field(default_factory=dict)

    @property
    def wrong(self) -> list[Claim]:
        """Claims that execution contradicts."""
        said = {**self.only_written, **self.only_found}
        return [claim for claim, what in said.items() if what == "contradicted"]

    @property
    def unresolved(self) -> list[Claim]:
        """Claims that nothing could judge."""
        said = {**self.only_written, **self.only_found}
        return [claim for claim, what in said.items() if what == "unresolved"]

    @property
    def is_same(self) -> bool:
        """Whether both sides claim the same."""
        return bool(self.why) and not self.only_written and not self.only_found


def sample_op(name: str) -> tuple[ir.Module, ir.Operation]:
    """Return the module of a sample, which keeps it alive, and its op."""
    module = parse_module(SAMPLES[name], make_context(), f"<sample of {name}>")
    return module, _op_of(module, name)


def _op_of(module: ir.Module, name: str) -> ir.Operation:
    """The op that a program is about: the last of @main, or the composite of that name.

    Of composites the first whose result has dimensions.
    """
    if name not in SAMPLES:
        return next(
            op
            for op in stablehlo.walk(module.operation)
            if op.name == "stablehlo.composite"
            and stablehlo.composite(op).name == name
            and stablehlo.shape(op.results[0])
        )
    ops = [v.operation for v in harness.main_of(module).regions[0].blocks[0].operations]
    return [op for op in ops if op.name not in _SKIPPED][-1]


def _program(op: ir.Operation, name: str) -> str:
    """The program that `op` stands in."""
    if name in SAMPLES:
        return SAMPLES[name]
    root: Any = op
    while root.name != "builtin.module":
        root = root.parent.operation
    return str(root.get_asm(enable_debug_info=False))


def composites() -> Iterator[tuple[str, ir.Module, ir.Operation]]:
    """Every composite that the front end keeps whole: its name, the module that has it, its op."""
    functional = nn.functional
    x, table, labels = torch.randn(4, 6), torch.randn(7, 5), torch.tensor([1, 0, 5, 3])
    q, k, v = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 7, 5), torch.randn(2, 3, 7, 6)
    calls: dict[str, tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]] = {
        "attention": (functional.scaled_dot_product_attention, (q, k, v)),
        "cross_entropy": (partial(functional.cross_entropy, reduction="none"), (x, labels)),
        "embedding": (lambda t, i: functional.embedding(i, t), (table, labels)),
        "gelu": (functional.gelu, (x,)),
        "layer_norm": (lambda a, w: functional.layer_norm(a, (6,), w), (x, torch.randn(6))),
        "log_softmax": (partial(functional.log_softmax, dim=1), (x,)),
        "rms_norm": (lambda a, w: functional.rms_norm(a, (6,), w), (x, torch.randn(6))),
        "silu": (functional.silu, (x,)),
        "softmax": (partial(functional.softmax, dim=1), (x,)),
    }
    for name, (call, inputs) in calls.items():
        exported = export(_Calls(call), inputs, context=make_context(), source=name)
        yield f"distc.{name}", exported.module, _op_of(exported.module, f"distc.{name}")
    for name in ("adafactor", "adam", "adamw", "lion", "sgd"):
        # Momentum keeps state, as the others do.
        setting = "sgd:momentum=0.9" if name == "sgd" else name
        training = TrainingOptions((parse_optimizer(setting),))
        made = export_training(
            _Trained(), (x,), None, training, context=make_context(), source=name
        )
        yield f"distc.{name}", made.module, _op_of(made.module, f"distc.{name}")
    training = TrainingOptions((parse_optimizer("sgd"),))
    made = export_training(
        _Trained(0.5), (x,), None, training, context=make_context(), source="threefry"
    )
    yield "distc.threefry", made.module, _op_of(made.module, "distc.threefry")


class _Calls(nn.Module):
    """A module that is one call."""

    def __init__(self, call: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.call = call

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.call(*inputs)


class _Trained(nn.Module):
    """A module that is its loss, and drops a share of what it computes."""

    def __init__(self, rate: float = 0.0) -> None:
        super().__init__()
        self.linear, self.drop = nn.Linear(6, 5), nn.Dropout(rate)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        loss: torch.Tensor = self.drop(self.linear(x)).square().mean()
        return loss


def compared(name: str, op: ir.Operation, sandbox: Sandbox, cache: RuleCache | None) -> Row:
    """Compare one op; `name` is that of a sample or of a composite."""
    written = rule_for(op)
    row = Row(name, str(written) if written is not None else "none", "")
    try:
        text = isolate(op)
        found = cache.get(key_of(text)) if cache is not None else None
        found = found or sandbox.discover(text)
    except DistcError as error:
        row.found = f"not executable: {error.message}"
        return row
    if cache is not None:
        cache.put(key_of(text), found)
    results = [stablehlo.shape(value) for value in op.results]
    ours = claims(written, results) if written is not None else []
    theirs = claims(found.rule, results)
    row.found, row.why = str(found.rule), found.why()
    lacking, beyond = _lacking(ours, theirs), _lacking(theirs, ours)
    if lacking or beyond:
        referee = Referee(text)
        row.only_written = {
            c: _verdict(referee, c, theirs, partial(runs_partitioned, _program(op, name), name, c))
            for c in lacking
        }
        row.only_found = {c: _verdict(referee, c, ours, lambda: False) for c in beyond}
    return row


def _lacking(claimed: list[Claim], others: list[Claim]) -> list[Claim]:
    """Claims that the others do not have, or have only with an exchange."""
    alone = [c for c in claimed if not c.moved]
    missed = compare(alone, [o for o in others if not o.moved]).missed
    return missed + compare([c for c in claimed if c.moved], others).missed


def _verdict(referee: Referee, claim: Claim, others: list[Claim], runs: Callable[[], bool]) -> str:
    """What execution says about a claim that the other side, which has `others`, lacks."""
    if not claim.moved:
        if referee.holds(claim) is True:
            return "holds"
        if referee.impossible(claim) and claim.results:
            return "contradicted"
    alone = [o for o in others if not o.moved]
    if any(claim.dims[0] <= o.dims[0] and claim.dims[1] <= o.dims[1] for o in alone):
        return "covered"
    if claim.moved and referee.allows(claim):
        return "local"
    try:
        return "exchanged" if runs() else "unresolved"
    except DistcError:
        return "unresolved"


def runs_partitioned(text: str, name: str, claim: Claim) -> bool:
    """Whether the program of the ranks gives the whole where the written rule cuts as claimed."""
    module = parse_module(text, make_context(), name)
    op = _op_of(module, name)
    rule = rule_for(op)
    if rule is None:
        return False
    results = [stablehlo.shape(value) for value in op.results]
    numbers = [i for i in range(len(rule.factors)) if claim in claims(_only(rule, i), results)]
    inputs = harness.random_inputs(module, 7, 1, 9)
    wanted = harness.run_whole(text, inputs)
    shapes = [tuple(w.shape) for w in wanted]
    for mesh in (Mesh.parse("x=2"), Mesh.parse("x=3")):
        for cut in harness.factor_cuts(rule, mesh):
            if not any(cut.factors[i].axes for i in numbers):
                continue
            arguments = list(harness.main_of(module).regions[0].blocks[0].arguments)
            pins = {
                arguments.index(v): cut.operand(i, stablehlo.shape(v))
                for i, v in enumerate(op.operands)
                if v in arguments
            }
            outs = {
                i: cut.result(i, stablehlo.shape(r)).without_partial()
                for i, r in enumerate(op.results)
            }
            found = harness.run_sharded(harness.partition(text, mesh, pins, outs), inputs, shapes)
            if not all(equal(f, w) for f, w in zip(found, wanted, strict=True)):
                return False
    return bool(numbers)


def _only(rule: ShardingRule, factor: int) -> ShardingRule:
    """The rule with every other factor whole."""
    factors = tuple(
        f if i == factor else replace(f, kind=FactorKind.REPLICATE, reduction=None)
        for i, f in enumerate(rule.factors)
    )
    return replace(rule, factors=factors)


def subjects(only: str = "") -> Iterator[tuple[str, ir.Module, ir.Operation]]:
    """Samples and composites whose name holds `only`; the module keeps its op alive."""
    for name in (n for n in SAMPLES if only in n):
        yield (name, *sample_op(name))
    if any(only in n for n in rule_names() if n.startswith("distc.")):
        yield from (c for c in composites() if only in c[0])


def table(rows: list[Row]) -> str:
    """Return docs/rules-vs-discovery.md."""
    lines = [
        "# The written rules and discovery",
        "",
        "Written by `tools/op_rules.py`; do not edit. Claims are `tensor.dimension`s that may be",
        "cut together; `~>` needs an exchange between ranks. *holds*: shards gave the whole for",
        "other data and shard counts. *exchanged*: ranks exchange elements inside the op, and the",
        "program that they run gave the whole. *covered*: the other side cuts the same without an",
        "exchange. *local*: shards of results depend on those of operands alone, though the op",
        "does not run on shards. *contradicted*: execution refutes it. *unresolved*: nothing",
        "could judge it.",
        "",
        "| op | written | discovered because | only written | only discovered |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        sides = (
            "<br>".join(f"`{claim}` {what}" for claim, what in side.items())
            for side in (row.only_written, row.only_found)
        )
        cells = [row.name, f"`{row.written}`", row.why or row.found, *sides]
        lines.append("| " + " | ".join(c.replace("\n", " ") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="samples whose name holds this")
    parser.add_argument("--table", type=Path, help="write the table")
    parser.add_argument("--no-cache", action="store_true", help="discover every rule anew")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    cache = None if arguments.no_cache else RuleCache()
    rows: list[Row] = []
    with Sandbox(seconds=_SECONDS) as sandbox:
        for name, _module, op in subjects(arguments.only):
            rows.append(compared(name, op, sandbox, cache))
            row = rows[-1]
            state = "same" if row.is_same else "differs" if row.why else row.found
            print(f"{name}: {state}", flush=True)
            for claim, what in (*row.only_written.items(), *row.only_found.items()):
                side = "written" if claim in row.only_written else "discovered"
                print(f"    only {side}: {claim}, {what}", flush=True)
    if arguments.table:
        arguments.table.write_text(table(rows), encoding="utf-8")
    wrong = sum(len(row.wrong) for row in rows)
    same = sum(row.is_same for row in rows)
    open_ = sum(len(row.unresolved) for row in rows)
    print(f"ops: {len(rows)} compared, {same} same, {wrong} wrong, {open_} unresolved")
    return 1 if wrong or open_ else 0


if __name__ == "__main__":
    sys.exit(main())
