"""Presets for state: every legal point is pins on parameters, gradients and moments."""

from __future__ import annotations

import pytest
from torch_mlir import ir

from distc.compiler.constraint_file import parse_constraints
from distc.compiler.constraints import apply_constraints
from distc.compiler.presets import preset_constraints
from distc.compiler.presets.state_groups import parse_groups
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_sharding
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.runtime.errors import IllegalSharding, UsageError
from distc.solver.states.levels import ALIASES, POINTS, Level, StateLevels, parse_levels

MODULE = """
func.func @evaluate(%w: tensor<8x6xf32> {dist.name = "w", dist.kind = "parameter"},
                    %x: tensor<4x8xf32> {dist.name = "x", dist.kind = "input"}) -> tensor<f32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func @accumulate(
    %w: tensor<8x6xf32> {dist.name = "w", dist.kind = "parameter"},
    %g: tensor<8x6xf32> {dist.name = "w@grad", dist.kind = "gradient",
                         dist.parameter = "w", dist.slot = "grad"},
    %m: tensor<8x6xf32> {dist.name = "w@exp_avg", dist.kind = "optimizer",
                         dist.parameter = "w", dist.slot = "exp_avg"},
    %r: tensor<8x1xf32> {dist.name = "w@row", dist.kind = "optimizer",
                         dist.parameter = "w", dist.slot = "row"},
    %t: tensor<f32> {dist.name = "w@count", dist.kind = "optimizer",
                     dist.parameter = "w", dist.slot = "count"},
    %x: tensor<4x8xf32> {dist.name = "x", dist.kind = "input"})
    -> (tensor<8x6xf32> {dist.name = "w@grad", dist.updates = "w@grad"}) {
  return %g : tensor<8x6xf32>
}
"""
NAMES = ("w", "w@grad", "w@exp_avg", "w@row", "w@count")


def shardings(
    preset: str | None, mesh: Mesh, constraints: str = "", entry: str = "accumulate"
) -> dict[str, str]:
    """Pin MODULE and return the sharding of every argument of an entry point by name."""
    module = parse_module(MODULE, make_context(), "state.mlir")
    given = parse_constraints(constraints, "plan.toml") if constraints else None
    pins = preset_constraints(preset, module, mesh, given) if preset else given
    assert pins is not None
    apply_constraints(module, pins, mesh)
    func = next(f for f in stablehlo.functions(module) if stablehlo.symbol(f) == entry)
    found = {}
    for index in range(len(func.regions[0].blocks[0].arguments)):
        attributes = ir.ArrayAttr(func.attributes["arg_attrs"])[index]
        name = ir.StringAttr(ir.DictAttr(attributes)["dist.name"]).value
        found[name] = str(arg_sharding(func, index, mesh))
    return found


def test_fourteen_points_are_legal() -> None:
    assert " ".join(str(p) for p in POINTS) == (
        "NNN NNI NNG NII NIG NGG INI ING III IIG IGG GNG GIG GGG"
    )


def test_a_point_with_coarser_optimizer_state_is_refused() -> None:
    with pytest.raises(UsageError, match="GGN cuts optimizer state"):
        parse_levels("GGN")


@pytest.mark.parametrize(("alias", "code"), ALIASES.items())
def test_aliases(alias: str, code: str) -> None:
    assert str(parse_levels(alias)) == code


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_each_point_is_pins(point: StateLevels) -> None:
    mesh = Mesh.of(inter=2, intra=2)
    cut = {Level.NONE: "[R, R]", Level.INTRA: "[S(intra), R]", Level.GLOBAL: "[S(intra,inter), R]"}
    rest = {Level.NONE: " P(sum: inter,intra)", Level.INTRA: " P(sum: inter)", Level.GLOBAL: ""}
    found = shardings(f"{point}", mesh)
    assert found["w"] == cut[point.parameter]
    assert found["w@exp_avg"] == found["w@row"] == cut[point.optimizer]
    assert found["w@grad"] == cut[point.gradient] + rest[point.gradient]
    assert found["x"] == "[S(inter,intra), R]"


def test_groups_inside_one_axis_are_sub_axes() -> None:
    found = shardings("NIG:data/2", Mesh.of(data=4))
    assert found["w@exp_avg"] == "[S(data:(2)2,data:(1)2), R]"
    assert found["w@grad"] == "[S(data:(2)2), R] P(sum: data:(1)2)"


def test_tensor_parallel_parameters_keep_their_cut() -> None:
    plan = '[[pin]]\nparameter = "w"\nsharding = "[S(tensor), R]"\n'
    found = shardings("zero1", Mesh.of(data=2, tensor=2), plan)
    assert found["w"] == "[S(tensor), R]"
    assert found["w@exp_avg"] == "[S(tensor), S(data)]"
    assert found["w@row"] == "[S(tensor), R]"
    assert found["w@grad"] == "[S(tensor), R] P(sum: data)"


def test_optimizer_state_follows_its_parameter() -> None:
    plan = '[[pin]]\nparameter = "w"\nsharding = "[R, S(t)]"\n'
    found = shardings(None, Mesh.of(t=2), plan)
    assert [found[n] for n in NAMES[:4]] == ["[R, S(t)]", "[R, S(t)]", "[R, S(t)]", "[R, R]"]


def test_a_pin_on_a_state_wins_over_the_preset() -> None:
    plan = '[[pin]]\nparameter = "w"\nstate = "optimizer"\nsharding = "[R, S(data)]"\n'
    found = shardings("zero3", Mesh.of(data=2), plan)
    assert (found["w"], found["w@exp_avg"]) == ("[S(data), R]", "[R, S(data)]")


def test_a_partial_parameter_is_refused_and_a_partial_gradient_is_not() -> None:
    plan = '[[pin]]\nparameter = "w"\nstate = "{}"\nsharding = "[R, R] P(sum: data)"\n'
    found = shardings(None, Mesh.of(data=2), plan.format("gradient"))
    assert found["w@grad"] == "[R, R] P(sum: data)"
    with pytest.raises(IllegalSharding, match="partial value"):
        shardings(None, Mesh.of(data=2), plan.format("optimizer"))


@pytest.mark.parametrize(
    ("text", "inter", "intra"),
    [
        ("node,gpu", ("node",), ("gpu",)),
        ("gpu", (), ("gpu",)),
        ("gpu/2", ("gpu:(1)2",), ("gpu:(2)2",)),
        ("gpu/1", ("gpu",), ()),
        ("", ("node",), ("gpu",)),
    ],
)
def test_groups(text: str, inter: tuple[str, ...], intra: tuple[str, ...]) -> None:
    groups = parse_groups(text, Mesh.of(node=2, gpu=4), ["node", "gpu"])
    assert (tuple(map(str, groups.inter)), tuple(map(str, groups.intra))) == (inter, intra)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu/3", "groups of 3 do not divide"),
        ("node,node", "named twice"),
        ("rack", "is not in the mesh"),
        ("rack/2", "is not in the mesh"),
    ],
)
def test_bad_groups_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_groups(text, Mesh.of(node=2, gpu=4), ["node", "gpu"])


def test_no_axis_left_for_state_is_refused() -> None:
    with pytest.raises(UsageError, match="no axis"):
        parse_groups("", Mesh.of(tensor=4), [])


def test_two_presets_for_state_are_refused() -> None:
    with pytest.raises(UsageError, match="places state twice"):
        shardings("zero1+mics", Mesh.of(data=2))
