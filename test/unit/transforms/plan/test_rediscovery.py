"""What is known to be good is found by price alone, on the machines that are shipped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from unit.transforms.plan.steps import dot, layer_step

from distc.dialect import stablehlo
from distc.dialect.attrs import arg_sharding, set_module_mesh
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.transforms import make_pass
from distc.transforms.reshard_to_collectives import ReshardToCollectives
from distc.transforms.search_plan import SearchPlan

WHOLE = "{dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}"

BATCH = '{dist.sharding = #dist.sharding<@mesh, [["data"], []], array<i64: 1, 1>, {}>}'


@dataclass(frozen=True)
class Found:
    """A plan: how arguments lie, and the collectives that are emitted with the axes they are on."""

    arguments: list[str]
    collectives: Counter[str]


def planned(text: str, mesh_text: str, machine: str) -> Found:
    """Search for a plan of a program and emit its collectives."""
    mesh = Mesh.parse(mesh_text)
    module = parse_module(text, make_context(), "test.mlir")
    set_module_mesh(module, mesh)
    for step in (
        SearchPlan(machine),
        "propagate",
        "insert-reshards",
        ReshardToCollectives(machine),
    ):
        (make_pass(step) if isinstance(step, str) else step).run(module)
    func = next(iter(stablehlo.functions(module)))
    count = len(func.regions[0].blocks[0].arguments)
    lies = [str(arg_sharding(func, i, mesh)) for i in range(count)]
    names = (op.name for op in stablehlo.walk(func))
    return Found(lies, Counter(n for n in names if n.startswith("dist.") and n != "dist.mesh"))


def mlp(rows: int, width: int, inner: int) -> str:
    """Two linear layers whose input and output every rank has."""
    x, h = f"tensor<{rows}x{width}xf32>", f"tensor<{rows}x{inner}xf32>"
    w, v = f"tensor<{width}x{inner}xf32>", f"tensor<{inner}x{width}xf32>"
    return f"""
    func.func @main(%x: {x} {WHOLE}, %w: {w}, %v: {v}) -> ({x} {WHOLE}) {{
      {dot("%h", "%x", "%w", "[1] x [0]", f"({x}, {w}) -> {h}", "up")}
      %a = stablehlo.tanh %h : {h}
      {dot("%y", "%a", "%v", "[1] x [0]", f"({h}, {v}) -> {x}", "down")}
      return %y : {x}
    }}
    """


def momentum_step(rows: int, width: int) -> str:
    """A linear layer, its gradient, and SGD with momentum."""
    x, w = f"tensor<{rows}x{width}xf32>", f"tensor<{width}x{width}xf32>"
    state = '{dist.kind = "%s", dist.name = "%s"}'
    new = '{dist.updates = "%s"}'
    return f"""
    func.func @main(%x: {x} {BATCH}, %t: {x} {BATCH}, %w: {w} {state % ("parameter", "w")},
                    %m: {w} {state % ("optimizer", "w@momentum")})
        -> ({w} {new % "w"}, {w} {new % "w@momentum"}) {{
      {dot("%y", "%x", "%w", "[1] x [0]", f"({x}, {w}) -> {x}", "linear")}
      %d = stablehlo.subtract %y, %t : {x} loc("loss#bwd")
      {dot("%g", "%x", "%d", "[0] x [0]", f"({x}, {x}) -> {w}", "linear#bwd")}
      %h = stablehlo.add %m, %g : {w} loc("w")
      %v = stablehlo.subtract %w, %h : {w} loc("w")
      return %v, %h : {w}, {w}
    }}
    """


def test_columns_then_rows_as_in_megatron() -> None:
    found = planned(mlp(64, 8192, 32768), "tensor=8", "h100-8x")
    assert found.arguments[1:] == ["[R, S(tensor)]", "[S(tensor), R]"]
    assert found.collectives["dist.all_reduce"] == 1
    assert not found.collectives["dist.all_gather"]


def test_many_rows_and_small_weights_are_data_parallel() -> None:
    found = planned(layer_step(1 << 18), "data=8", "v100-8x")
    assert found.arguments[0] == found.arguments[1] == "[S(data), R]"
    moved = set(found.collectives) - {"dist.all_slice"}
    assert moved and moved <= {"dist.all_reduce", "dist.reduce_scatter", "dist.all_gather"}
    # Gradients of two weights, finished once each: nothing else crosses ranks.
    assert found.collectives["dist.all_reduce"] + found.collectives["dist.reduce_scatter"] == 2


def test_optimizer_state_is_cut_where_that_is_free() -> None:
    found = planned(momentum_step(1 << 18, 4096), "data=8", "h100-8x")
    momentum = found.arguments[3]
    assert "data" in momentum
    # A reduce-scatter and an all-gather send what one all-reduce does, and the update is shared.
    assert found.collectives["dist.reduce_scatter"] == 1
    assert found.collectives["dist.all_gather"] == 1
    assert not found.collectives["dist.all_reduce"]
