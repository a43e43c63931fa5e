"""Pins applied to a module: what is set, what stays open, and every way a pin can miss."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torch_mlir import ir

from distc.compiler.constraints import (
    apply_constraints,
    parse_constraints,
)
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_sharding, module_mesh, result_sharding
from distc.dialect.mesh import Mesh
from distc.runtime.errors import ConfigError, DistcError, ExitCode, IllegalSharding

Program = Callable[[str], ir.Module]
MESH = Mesh.of(data=2, tensor=2)

TEXT = """
func.func @main(%w: tensor<12x6xf32> $weight(net.up.weight),
      %b: tensor<6xf32> $weight(net.up.bias), %x: tensor<4x12xf32> $input(x))
      -> (tensor<4x6xf32> {dist.name = "logits"}, tensor<f32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4x12xf32>, tensor<12x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x6xf32>
  %3 = stablehlo.constant dense<0.0> : tensor<f32>
  return %2, %3 : tensor<4x6xf32>, tensor<f32>
}
"""


def pin(key: str, pattern: str, sharding: str, **extra: object) -> str:
    lines = ["[[pin]]", f'{key} = "{pattern}"', f'sharding = "{sharding}"']
    lines += [f"{k} = {v!r}" for k, v in extra.items()]
    return "\n".join(lines) + "\n"


def applied(program: Program, *pins: str, mesh: Mesh = MESH) -> ir.Module:
    module = program(TEXT)
    apply_constraints(module, parse_constraints("\n".join(pins), "plan.toml"), mesh)
    assert module.operation.verify()
    assert module_mesh(module) == mesh
    return module


def main(module: ir.Module) -> ir.Operation:
    return stablehlo.functions(module)[0]


def shown(module: ir.Module, index: int) -> str | None:
    sharding = arg_sharding(main(module), index, MESH)
    return None if sharding is None else str(sharding)


def test_a_pin_sets_its_argument_and_leaves_the_others_open(program: Program) -> None:
    module = applied(program, pin("parameter", "net.*.weight", "[R, S(tensor)]"))
    assert shown(module, 0) == "[R, S(tensor)]"
    assert shown(module, 1) is None
    assert shown(module, 2) is None


def test_results_without_a_pin_are_whole(program: Program) -> None:
    module = applied(program, pin("input", "x", "[S(data), R]"))
    whole = result_sharding(main(module), 0, MESH)
    assert whole is not None
    assert str(whole) == "[R, R]"
    assert str(result_sharding(main(module), 1, MESH)) == "[]"


def test_results_are_pinned_by_name_and_by_position(program: Program) -> None:
    module = applied(
        program, pin("output", "logits", "[S(data), R]"), pin("output", "result1", "[]")
    )
    assert str(result_sharding(main(module), 0, MESH)) == "[S(data), R]"


def test_the_last_match_wins(program: Program) -> None:
    module = applied(
        program,
        pin("parameter", "*bias", "[S(data)]"),
        pin("parameter", "net.up.bias", "[S(tensor)]"),
    )
    assert shown(module, 1) == "[S(tensor)]"


def test_a_module_pin_holds_for_parameters_of_its_rank(program: Program) -> None:
    module = applied(program, pin("module", "net", "[S(data,tensor), R]"))
    assert shown(module, 0) == "[S(data,tensor), R]"
    assert shown(module, 1) is None
    module = applied(program, pin("module", "*.up", "[S(tensor)]"))
    assert (shown(module, 0), shown(module, 1)) == (None, "[S(tensor)]")


def test_blocks_and_sub_axes_are_kept_where_they_matter(program: Program) -> None:
    mesh = Mesh.of(x=4)
    module = applied(program, pin("parameter", "*.weight", "[S(x:(1)2)/4, S(x:(2)2)]"), mesh=mesh)
    assert str(arg_sharding(main(module), 0, mesh)) == "[S(x:(1)2)/4, S(x:(2)2)]"


def test_an_alias_names_the_same_argument(program: Program) -> None:
    module = program(TEXT)
    constraints = parse_constraints(pin("parameter", "head.weight", "[S(data), R]"), "plan.toml")
    apply_constraints(module, constraints, MESH, {"net.up.weight": ("head.weight",)})
    assert shown(module, 0) == "[S(data), R]"


def test_a_view_retypes_its_argument(program: Program) -> None:
    module = applied(program, pin("parameter", "*.weight", "[R, R, S(tensor)]", view=[12, 2, 3]))
    argument = main(module).regions[0].blocks[0].arguments[0]
    assert stablehlo.shape(argument) == (12, 2, 3)
    assert shown(module, 0) == "[R, R, S(tensor)]"


@pytest.mark.parametrize(
    ("text", "kind", "where", "says"),
    [
        (pin("parameter", "net.down.*", "[R]"), ConfigError, 2, "matches nothing"),
        (pin("input", "y", "[R]"), ConfigError, 2, "input 'y' matches nothing"),
        (pin("output", "logit", "[R]"), ConfigError, 2, "output 'logit' matches nothing"),
        (pin("module", "net.down", "[R]"), ConfigError, 2, "module 'net.down' matches nothing"),
        (pin("input", "x", "[S(rows), R]"), ConfigError, 3, "unknown mesh axis 'rows'"),
        (pin("input", "x", "[S(data)"), IllegalSharding, 3, "found the end"),
        (pin("input", "x", "[S(data), S(data)]"), IllegalSharding, 3, "used twice"),
        (pin("input", "x", "[R]"), IllegalSharding, 3, "has 1 dimensions"),
        (pin("input", "x", "[R, S(data)/5]"), IllegalSharding, 3, "block 5 does not divide"),
        (pin("input", "x", "[R, R] P(sum: data)"), IllegalSharding, 3, "partial value"),
        (pin("module", "net", "[R, R, R]"), IllegalSharding, 3, "fits no parameter"),
        (
            pin("parameter", "*.weight", "[R, R]", view=[12, 7]),
            IllegalSharding,
            4,
            "view [12, 7] holds 84 elements, net.up.weight [12, 6] holds 72",
        ),
        (
            pin("parameter", "*.weight", "[R, R]", view=[24, 3]),
            IllegalSharding,
            4,
            "joins dimensions of its shape [12, 6]",
        ),
        (
            pin("parameter", "*.bias", "[R]", state="optimizer"),
            ConfigError,
            4,
            "the program has none",
        ),
    ],
)
def test_mistakes_are_located(
    program: Program, text: str, kind: type[DistcError], where: int, says: str
) -> None:
    with pytest.raises(kind) as caught:
        applied(program, text)
    assert says in caught.value.message
    assert caught.value.where == f"plan.toml:{where}"
    assert caught.value.help
    assert caught.value.exit_code in (ExitCode.CONFIG, ExitCode.BAD_INPUT)


def test_a_pattern_without_a_match_names_the_nearest(program: Program) -> None:
    with pytest.raises(ConfigError) as caught:
        applied(program, pin("parameter", "net.up.weigth", "[R, R]"))
    assert "did you mean net.up.weight" in caught.value.help


def test_a_view_replaces_a_sharding_that_the_program_brought(program: Program) -> None:
    module = program(TEXT)
    first = parse_constraints(pin("parameter", "*.weight", "[R, S(data)]"), "a.toml")
    second = parse_constraints(
        pin("parameter", "*.weight", "[S(data), R, R]", view=[4, 3, 6]), "b.toml"
    )
    apply_constraints(module, first, MESH)
    apply_constraints(module, second, MESH)
    assert shown(module, 0) == "[S(data), R, R]"


def test_every_entry_point_is_pinned(program: Program) -> None:
    second = TEXT.replace("@main", "@decode").replace('"logits"', '"next"')
    module = program(TEXT + second)
    apply_constraints(
        module, parse_constraints(pin("parameter", "*.bias", "[S(data)]"), "plan.toml"), MESH
    )
    found = [arg_sharding(f, 1, MESH) for f in stablehlo.functions(module)]
    assert list(map(str, found)) == ["[S(data)]", "[S(data)]"]
