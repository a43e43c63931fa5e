"""Run a folder of StableHLO test programs through lower and sim, and count per family what agrees.

    python tools/conformance.py FOLDER [--only PATTERN] [--failures] [--json FILE]

Understands the two forms StableHLO's own tests come in: `stablehlo.custom_call @check.expect_*`
beside `@inputs()` and `@expected()`, and `check.expect_*` operations, several programs a file.
The product does not need such a folder; it finds what our meaning of an operation gets wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo, _torchMlir
from torch_mlir.dialects import torch as _torch  # noqa: F401 - registers torch-mlir's passes
from torch_mlir.passmanager import PassManager

from distc.dialect import stablehlo as hlo
from distc.runtime import sim
from distc.runtime.errors import DistcError
from distc.runtime.kernels.dtypes import STORAGE, to_storage
from distc.transforms.lower import lower

TOLERANCE = {
    torch.float16: 4e-3, torch.bfloat16: 2e-2, torch.float32: 2e-5, torch.float64: 1e-10,
    torch.complex64: 2e-5, torch.complex128: 1e-10,
}  # fmt: skip
_CHECK_CONST = re.compile(
    r"check\.(expect_\w+?)(?:_const)? (%[\w#]+),\s+(dense<.*?>|(?:%[\w#]+))\s*:\s+(tensor<[^\n]*>)",
    re.DOTALL,
)
_FAMILY = re.compile(r"_(?:b?float|u?int|bool|complex|key|shape)\d*.*|_+(?=\.)")


class TooSlow(Exception):
    """A program ran past its time."""


@dataclass(frozen=True)
class Outcome:
    """How one program went: `ok`, `wrong`, `refused` (a located error of distc) or `error`."""

    name: str
    family: str
    status: str
    detail: str = ""


def programs(path: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each program of a file, checks as custom calls."""
    parts = path.read_text().split("// -----")
    for index, part in enumerate(parts):
        if "func.func" not in part:
            continue
        name = path.stem if len(parts) == 1 else f"{path.stem}#{index}"
        yield name, _rewrite_checks(part)


def _rewrite_checks(text: str) -> str:
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        kind, actual, expected, type_ = match.groups()
        if expected.startswith("%"):
            types = type_.split(", ")
            second = types[-1]
            return (
                f"stablehlo.custom_call @check.{kind}({actual}, {expected}) "
                f"{{has_side_effect = true}} : ({types[0]}, {second}) -> ()"
            )
        count += 1
        return (
            f"%expected_{count} = stablehlo.constant {expected} : {type_}\n"
            f"stablehlo.custom_call @check.{kind}({actual}, %expected_{count}) "
            f"{{has_side_effect = true}} : ({type_}, {type_}) -> ()"
        )

    return _CHECK_CONST.sub(replace, text)


def parse(text: str) -> ir.Module:
    """Parse with chlo known, and expand chlo."""
    context = ir.Context()
    context.enable_multithreading(False)
    _stablehlo.register_dialect(context)
    _stablehlo.register_interpreter_dialect(context)
    _torchMlir.register_dialect(context)
    if "chlo." not in text:
        return ir.Module.parse(text, context)
    # The dialect comes with a pass that depends on it; an empty module loads it.
    _stablehlo.register_stablehlo_passes()
    expand = PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))", context)
    load = PassManager.parse("builtin.module(func.func(convert-torch-to-stablehlo))", context)
    load.run(ir.Module.parse("module {}", context).operation)
    module = ir.Module.parse(text, context)
    expand.run(module.operation)
    return module


def checks_to_results(module: ir.Module) -> tuple[str, list[str]]:
    """Make the checked pairs the results of the function that checks; its name, kind per pair."""
    checking = [
        f for f in hlo.functions(module)
        if any(_is_check(op) for op in hlo.walk(f))
    ]  # fmt: skip
    if len(checking) != 1:
        raise ValueError(f"{len(checking)} functions check something")
    func = checking[0]
    block = func.regions[0].blocks[0]
    kinds, pairs = [], []
    for op in [o.operation for o in block.operations]:
        if _is_check(op):
            kinds.append(
                ir.FlatSymbolRefAttr(op.attributes["call_target_name"]).value
                if isinstance(op.attributes["call_target_name"], ir.FlatSymbolRefAttr)
                else ir.StringAttr(op.attributes["call_target_name"]).value
            )
            pairs += list(op.operands)
            op.erase()
    terminator = block.operations[len(block.operations) - 1].operation
    with module.context, ir.Location.unknown():
        with ir.InsertionPoint(terminator):
            ir.Operation.create("func.return", operands=pairs)
        terminator.erase()
        kind = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
        new = ir.FunctionType.get(list(kind.inputs), [p.type for p in pairs])
        func.attributes["function_type"] = ir.TypeAttr.get(new)
        if "res_attrs" in func.attributes:
            del func.attributes["res_attrs"]
    return hlo.symbol(func), kinds


def _is_check(op: ir.Operation) -> bool:
    return op.name == "stablehlo.custom_call" and "check.expect" in str(
        op.attributes["call_target_name"]
    )


def evaluate(module: ir.Module, entry: str) -> list[torch.Tensor]:
    """Run the entry, all its `interpreter.run_parallel` first."""
    func = next(f for f in hlo.functions(module) if hlo.symbol(f) == entry)
    parallel = [o for o in hlo.walk(func) if o.name == "interpreter.run_parallel"]
    if not parallel:
        return sim.run_single(lower(module, entry), [])
    if len(parallel) > 1:
        raise ValueError("more than one run_parallel")
    return _evaluate_parallel(module, func, parallel[0])


def _evaluate_parallel(
    module: ir.Module, func: ir.Operation, op: ir.Operation
) -> list[torch.Tensor]:
    rows = [[str(s) for s in row] for row in ir.ArrayAttr(op.attributes["programs"])]
    names = [n.lstrip("@") for row in rows for n in row]
    if len(set(names)) != 1 or min(len(rows), len(rows[0])) != 1:
        raise ReplicaMode(f"run_parallel of {rows}")
    if len(rows) > 1:
        _replicas_as_partitions(module)
    program = lower(module, names[0])
    inputs = [_constant(v) for v in op.operands]
    each = len(program.inputs)
    ranks = [inputs[i * each : (i + 1) * each] for i in range(len(names))]
    if not each:
        ranks = [[] for _ in names]
    found = {
        value: result
        for value, result in zip(
            op.results, (r for rank in sim.run(program, ranks) for r in rank), strict=True
        )
    }
    block = func.regions[0].blocks[0]
    returned = block.operations[len(block.operations) - 1].operands
    return [found[v] if v in found else _constant(v) for v in returned]


def _replicas_as_partitions(module: ir.Module) -> None:
    """Let collectives of n replicas of one partition name n partitions of one replica."""
    with module.context:
        channel = ir.Attribute.parse("#stablehlo.channel_handle<handle = 1, type = 1>")
        for op in hlo.walk(module.operation):
            if "replica_groups" not in op.attributes and "source_target_pairs" not in op.attributes:
                continue
            op.attributes["channel_handle"] = channel
            if op.name in (
                "stablehlo.all_reduce",
                "stablehlo.all_gather",
                "stablehlo.reduce_scatter",
            ):
                op.attributes["use_global_device_ids"] = ir.UnitAttr.get()


class ReplicaMode(Exception):
    """A program of several replicas, which distc does not make."""


def _constant(value: ir.Value) -> torch.Tensor:
    op = hlo.defining_op(value)
    array = None if op is None else hlo.constant_array(op)
    if array is None:
        raise ValueError("an operand of run_parallel is not a constant")
    dtype = hlo.dtype(value)
    tensor = torch.from_numpy(array.copy()).reshape(hlo.shape(value))
    return tensor if dtype in ("ui16", "ui32", "ui64") else tensor.to(STORAGE[dtype])


def agrees(actual: torch.Tensor, expected: torch.Tensor, kind: str) -> str:
    """Empty where two results agree, else what differs."""
    dtype = actual.dtype
    if tuple(actual.shape) != tuple(expected.shape):
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}"
    if dtype not in TOLERANCE:
        same = bool((_signed(actual) == _signed(expected)).all())
        return (
            "" if same else f"{actual.flatten()[:8].tolist()} != {expected.flatten()[:8].tolist()}"
        )
    wide = torch.complex128 if dtype.is_complex else torch.float64
    a, b = actual.to(wide), expected.to(wide)
    if kind.endswith("expect_eq"):
        same = bool(torch.equal(torch.nan_to_num(a, nan=7.5e300), torch.nan_to_num(b, nan=7.5e300)))
        return "" if same else f"{a.flatten()[:8].tolist()} != {b.flatten()[:8].tolist()} exactly"
    finite = torch.isfinite(b)
    odd = ~finite
    if not torch.equal(
        torch.nan_to_num(torch.view_as_real(a[odd]) if wide.is_complex else a[odd]),
        torch.nan_to_num(torch.view_as_real(b[odd]) if wide.is_complex else b[odd]),
    ):
        return f"not finite: {a[odd][:4].tolist()} != {b[odd][:4].tolist()}"
    if not finite.any():
        return ""
    worst = float((a[finite] - b[finite]).abs().max())
    largest = float(b[finite].abs().max())
    # Values written out in a check have few digits.
    # `almost_eq` compares with values written by hand, of few digits.
    allowed = max(TOLERANCE[dtype], 3e-5 if kind.endswith("almost_eq") else 0.0)
    if worst <= allowed * max(largest, 1e-30):
        return ""
    at = int((a[finite] - b[finite]).abs().argmax())
    return f"off by {worst:.3g} of {largest:.3g}: {a[finite][at]} != {b[finite][at]}"


def _signed(x: torch.Tensor) -> torch.Tensor:
    names = {torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64"}
    return to_storage(x, names[x.dtype]) if x.dtype in names else x


def run_program(name: str, text: str, seconds: int) -> Outcome:
    """Lower, run and judge one program."""
    family = _FAMILY.sub("", name.partition("#")[0]).removesuffix("_chlo")

    def over(*_: Any) -> None:
        raise TooSlow(f"more than {seconds} s")

    signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        module = parse(text)
        entry, kinds = checks_to_results(module)
        values = evaluate(module, entry)
    except DistcError as error:
        return Outcome(name, family, "refused", error.message)
    except ReplicaMode as error:
        return Outcome(name, family, "replicas", str(error))
    except Exception as error:
        return Outcome(name, family, "error", f"{type(error).__name__}: {str(error)[:300]}")
    finally:
        signal.alarm(0)
    for index, kind in enumerate(kinds):
        wrong = agrees(values[2 * index], values[2 * index + 1], kind)
        if wrong:
            return Outcome(name, family, "wrong", wrong)
    return Outcome(name, family, "ok")


def table(outcomes: Sequence[Outcome]) -> str:
    """One line per family: how many of each status."""
    statuses = [
        s
        for s in ("ok", "wrong", "refused", "replicas", "error")
        if any(o.status == s for o in outcomes)
    ]
    families = sorted({o.family for o in outcomes})
    counts = Counter((o.family, o.status) for o in outcomes)
    width = max((len(f) for f in families), default=6)
    lines = [f"{'family':{width}} " + " ".join(f"{s:>8}" for s in statuses)]
    for family in families:
        cells = (f"{counts[family, s] or '':>8}" for s in statuses)
        lines.append(f"{family:{width}} " + " ".join(cells))
    totals = Counter(o.status for o in outcomes)
    lines.append(f"{'all':{width}} " + " ".join(f"{totals[s]:>8}" for s in statuses))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: 0 where every program that distc takes agrees."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="*", help="glob of file names")
    parser.add_argument("--failures", action="store_true", help="print each program that is not ok")
    parser.add_argument("--seconds", type=int, default=20, help="limit per program")
    parser.add_argument("--json", type=Path, help="write outcomes to this file")
    options = parser.parse_args(arguments)
    files = sorted(options.folder.glob(f"{options.only}.mlir"))
    if not files:
        print(f"no program matches {options.only}.mlir in {options.folder}", file=sys.stderr)
        return 66
    torch.set_num_threads(1)
    started = time.monotonic()
    outcomes = [
        run_program(name, text, options.seconds) for f in files for name, text in programs(f)
    ]
    print(table(outcomes))
    if options.failures:
        for outcome in outcomes:
            if outcome.status != "ok":
                print(f"{outcome.status:8} {outcome.name}: {outcome.detail}")
    if options.json:
        rows = [[o.name, o.family, o.status, o.detail] for o in outcomes]
        options.json.write_text(json.dumps(rows, indent=0))
    passed = sum(o.status == "ok" for o in outcomes)
    print(f"{passed} of {len(outcomes)} programs agree, {time.monotonic() - started:.0f} s")
    return 0 if all(o.status in ("ok", "refused", "replicas") for o in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
