"""Decide the sharding of every value from the pins on arguments, results and constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import (
    AGAIN,
    SHARDING,
    module_mesh,
    set_op_shardings,
    to_attr,
    update_arg_attrs,
    update_result_attrs,
)
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import ConfigError, InternalError
from distc.transforms.base import Pass
from distc.transforms.dataflow import FunctionGraph, Node
from distc.transforms.open_composites import inline
from distc.transforms.planning import Planner, communicates
from distc.transforms.state import open_state, pin_state

UNRULED = "dist.replicated_for_lack_of_rule"
_MAX_ROUNDS = 16


@dataclass(frozen=True)
class Propagate(Pass):
    """Give every value a sharding that follows from the pins.

    Needs a `dist.mesh`; pins are `dist.sharding` on arguments and results and `dist.constraint`
    ops. Leaves `dist.sharding` on every argument, result and op of public functions, on a copy of
    the decomposition of each composite that stays whole in shards, and `dist.reshard` instead of
    `dist.constraint`. A composite whose cut dimensions need collectives in its body is opened
    (inlined). Ops without a rule run on whole values and are marked. Fails when the module has no
    mesh.

    Example:
        ```mlir
        func.func @main(%x: tensor<4x8xf32>,
                        %w: tensor<8x6xf32> {dist.sharding = [R, S(t)]}) {
          %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        ```
        becomes
        ```mlir
        func.func @main(%x: tensor<4x8xf32> {dist.sharding = [R, R]}, %w: …) {
          %0 = stablehlo.dot_general %x, %w, … {dist.sharding = [[R, S(t)]]}
        ```

    State that nothing pins lies in all entry points as the first that takes it wants it, and what
    updates it lies as it does (`transforms/state.py`).

    A weight over a free axis splits the work; a weight over an axis that already cuts the data is
    gathered before use. The sweeps are described in `transforms/planning.py`.
    """

    name: ClassVar[str] = "propagate"

    def run(self, module: ir.Module) -> None:
        """Annotate every public function."""
        mesh = module_mesh(module)
        if mesh is None:
            raise ConfigError(
                "the module declares no mesh", help="give --mesh, or a dist.mesh op in the module"
            )
        decided: dict[str, Sharding] = {}
        entries = [f for f in stablehlo.functions(module) if stablehlo.is_public(f)]
        with module.context, ir.Location.unknown():
            for func in entries:
                pin_state(func, mesh, decided)
            for func in entries:
                _propagate_function(module, func, mesh, decided)


def _propagate_function(
    module: ir.Module, func: ir.Operation, mesh: Mesh, decided: dict[str, Sharding]
) -> None:
    pin_state(func, mesh, decided)
    if open_state(func, mesh):
        planner = Planner(FunctionGraph.read(func, mesh))
        planner.run()
        pin_state(func, mesh, decided, dict(enumerate(planner.shardings)))
    for _ in range(_MAX_ROUNDS):
        graph = FunctionGraph.read(func, mesh)
        planner = Planner(graph)
        planner.run()
        to_open = _specialise(module, planner)
        if not to_open:
            _annotate(planner)
            pin_state(func, mesh, decided)
            return
        for node in to_open:
            inline(module, node.op)
    raise InternalError(
        f"composites of @{stablehlo.symbol(func)} still open after {_MAX_ROUNDS} rounds",
        help="report this with the reproducer; distc-opt --open-composites opens all at once",
    )


def _specialise(module: ir.Module, planner: Planner) -> list[Node]:
    """Give cut composites their own annotated body; return those that must be opened."""
    to_open = []
    pending: list[tuple[Node, str]] = []
    made: dict[tuple[object, ...], str] = {}
    for node, assignment in zip(planner.graph.nodes, planner.assignments, strict=True):
        if node.op.name != "stablehlo.composite":
            continue
        if assignment.refused:
            to_open.append(node)
            continue
        if not node.has_rule or not any(f.axes for f in assignment.factors):
            continue
        values = planner.graph.values
        arguments = tuple(
            assignment.operand(i, values[v].shape) for i, v in enumerate(node.operands)
        )
        results = tuple(assignment.result(i, values[v].shape) for i, v in enumerate(node.results))
        body = stablehlo.composite(node.op).decomposition
        key = (body, arguments, results)
        if key not in made:
            made[key] = _body(module, body, planner.graph.mesh, arguments, results)
        if made[key]:
            pending.append((node, made[key]))
        else:
            to_open.append(node)
    if to_open:
        _erase_functions(module, {name for name in made.values() if name})
        return to_open
    for node, name in pending:
        node.op.attributes["decomposition"] = ir.FlatSymbolRefAttr.get(name)
    return []


def _body(
    module: ir.Module,
    symbol: str,
    mesh: Mesh,
    arguments: tuple[Sharding, ...],
    results: tuple[Sharding, ...],
) -> str:
    """Copy a decomposition, pin its signature, plan it; return its name, "" if it communicates."""
    names = {stablehlo.symbol(f): f for f in stablehlo.functions(module)}
    original = names[symbol]
    if any(op.name == "stablehlo.composite" for op in stablehlo.walk(original)):
        return ""
    number = 0
    while f"{symbol}_local{number}" in names:
        number += 1
    copy = original.clone(ip=ir.InsertionPoint(module.body)).operation
    name = f"{symbol}_local{number}"
    copy.attributes["sym_name"] = ir.StringAttr.get(name)
    _pin_signature(copy, arguments, results)
    planner = Planner(FunctionGraph.read(copy, mesh))
    planner.run()
    if communicates(planner):
        copy.erase()
        return ""
    _annotate(planner)
    return name


def _erase_functions(module: ir.Module, names: set[str]) -> None:
    for func in stablehlo.functions(module):
        if stablehlo.symbol(func) in names:
            func.erase()


def _pin_signature(
    func: ir.Operation, arguments: tuple[Sharding, ...], results: tuple[Sharding, ...]
) -> None:
    ctx = func.context
    update_arg_attrs(func, {i: {SHARDING: to_attr(s, ctx)} for i, s in enumerate(arguments)})
    update_result_attrs(func, {i: {SHARDING: to_attr(s, ctx)} for i, s in enumerate(results)})


def _annotate(planner: Planner) -> None:
    graph, shardings = planner.graph, planner.shardings
    _pin_signature(
        graph.func,
        tuple(shardings[v] for v in graph.arguments),
        tuple(
            pin if pin is not None else shardings[v].without_partial()
            for v, pin in zip(graph.returned, graph.result_pins, strict=True)
        ),
    )
    for node in graph.nodes:
        if node.op.name == "dist.constraint":
            _to_reshard(node.op)
            continue
        set_op_shardings(node.op, [shardings[v] for v in node.results])
        if not node.has_rule and node.operands:
            node.op.attributes[UNRULED] = ir.UnitAttr.get()


def _to_reshard(op: ir.Operation) -> None:
    with ir.InsertionPoint(op), op.location:
        reshard = ir.Operation.create(
            "dist.reshard",
            results=[op.results[0].type],
            operands=[op.operands[0]],
            attributes={n: op.attributes[n] for n in ("sharding", AGAIN) if n in op.attributes},
        )
    op.results[0].replace_all_uses_with(reshard.results[0])
    op.erase()
