"""Presets: the pins they write for each model, on each mesh."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torch_mlir import ir

from distc.compiler.constraint_file import Constraints, parse_constraints
from distc.compiler.constraints import apply_constraints
from distc.compiler.presets import preset_constraints
from distc.compiler.presets.fsdp import sharded_dim
from distc.compiler.presets.megatron import tensor_axis
from distc.compiler.presets.pins import escaped, folded
from distc.dialect.mesh import Mesh
from distc.runtime.errors import UsageError

Exported = Callable[[str], ir.Module]
Program = Callable[[str], ir.Module]
TENSOR = Mesh.of(tensor=3)
GRID = Mesh.of(data=2, tensor=2)


def table(constraints: Constraints) -> dict[str, str]:
    """Pattern → sharding, with the view in front where there is one."""
    return {
        p.pattern: f"{list(p.view)} {p.sharding}" if p.view else p.sharding
        for p in constraints.pins
    }


def test_megatron_on_llama(exported: Exported) -> None:
    constraints = preset_constraints("megatron", exported("llama:reduced"), GRID)
    assert table(constraints) == {
        "embed_tokens.weight": "[S(tensor), R]",
        "layers.*.self_attn.q_proj.weight": "[S(tensor)/12, R]",
        "layers.*.self_attn.k_proj.weight": "[S(tensor)/4, R]",
        "layers.*.self_attn.v_proj.weight": "[S(tensor)/4, R]",
        "layers.*.self_attn.o_proj.weight": "[R, S(tensor)/12]",
        "layers.*.mlp.gate_proj.weight": "[S(tensor), R]",
        "layers.*.mlp.up_proj.weight": "[S(tensor), R]",
        "layers.*.mlp.down_proj.weight": "[R, S(tensor)]",
        "tokens": "[S(data), R]",
    }


def test_megatron_along_the_sequence(exported: Exported) -> None:
    module = exported("llama:reduced")
    plain = preset_constraints("megatron", module, GRID)
    cut = preset_constraints("megatron-sp+zero1", exported("llama:reduced"), GRID)
    assert (plain.sequence, cut.sequence) == (None, "tensor")
    assert set(plain.pins) <= set(cut.pins)
    given = parse_constraints('sequence = "data"', "plan.toml")
    assert preset_constraints("megatron-sp", module, GRID, given).sequence == "data"


def test_megatron_on_gpt2(exported: Exported) -> None:
    constraints = preset_constraints("megatron", exported("gpt2:reduced"), TENSOR)
    assert table(constraints) == {
        "wte.weight": "[S(tensor), R]",
        "h.*.attn.c_attn.weight": "[24, 3, 3, 8] [R, R, S(tensor), R]",
        "h.*.attn.c_attn.bias": "[3, 3, 8] [R, S(tensor), R]",
        "h.*.attn.c_proj.weight": "[S(tensor)/8, R]",
        "h.*.c_fc.weight": "[R, S(tensor)]",
        "h.*.c_fc.bias": "[S(tensor)]",
        "h.[0-9].c_proj.weight": "[S(tensor), R]",
    }


def test_megatron_on_bert(exported: Exported) -> None:
    constraints = preset_constraints("megatron", exported("bert:reduced"), TENSOR)
    pins = table(constraints)
    assert pins["words.weight"] == "[S(tensor), R]"
    assert "positions.weight" not in pins
    for name in ("query", "key", "value"):
        assert pins[f"layers.*.{name}.weight"] == "[S(tensor)/4, R]"
        assert pins[f"layers.*.{name}.bias"] == "[S(tensor)/4]"
    assert pins["layers.*.output.weight"] == "[R, S(tensor)/4]"
    assert "layers.*.output.bias" not in pins
    assert pins["layers.*.contract.weight"] == "[R, S(tensor)]"


def test_megatron_on_resnet(exported: Exported) -> None:
    pins = table(preset_constraints("megatron", exported("resnet18:reduced"), GRID))
    assert pins["blocks.*.conv1.weight"] == "[S(tensor), R, R, R]"
    assert pins["blocks.*.conv2.weight"] == "[R, S(tensor), R, R]"
    assert pins["blocks.*.bn1.running_var"] == "[S(tensor)]"
    assert pins["x"] == "[S(data), R, R, R]"
    assert "conv1.weight" not in pins


def test_megatron_on_mlp(exported: Exported) -> None:
    assert table(preset_constraints("megatron", exported("mlp:reduced"), TENSOR)) == {
        "up.weight": "[S(tensor), R]",
        "up.bias": "[S(tensor)]",
        "middle.weight": "[R, S(tensor)]",
        "head.weight": "[S(tensor), R]",
        "head.bias": "[S(tensor)]",
    }


def test_megatron_on_a_vocabulary_without_a_pair(exported: Exported) -> None:
    assert table(preset_constraints("megatron", exported("integer_mlp:bag_reduced"), TENSOR)) == {
        "table": "[S(tensor), R]",
        "head": "[R, S(tensor)]",
    }


@pytest.mark.parametrize(
    ("mesh", "axis"),
    [
        (Mesh.of(tensor=2, data=2), "tensor"),
        (Mesh.of(node=2, gpu=4), "gpu"),
        (Mesh.of(tp=2, x=2), "tp"),
        (Mesh.of(a=2, b=2), "b"),
    ],
)
def test_the_tensor_axis(mesh: Mesh, axis: str) -> None:
    assert tensor_axis(mesh) == axis


@pytest.mark.parametrize(
    ("mesh", "sharding"),
    [
        (Mesh.of(data=2, tensor=2), "[S(data), R]"),
        (Mesh.of(x=3), "[S(x), R]"),
        (Mesh.of(node=2, gpu=2), "[S(node,gpu), R]"),
    ],
)
def test_data_parallel_shards_only_the_batch(exported: Exported, mesh: Mesh, sharding: str) -> None:
    pins = table(preset_constraints("data-parallel", exported("mlp:reduced"), mesh))
    assert pins == {"x": sharding}


def test_data_parallel_shards_every_input_with_the_batch(exported: Exported) -> None:
    pins = table(preset_constraints("data-parallel", exported("bert:reduced"), Mesh.of(x=2)))
    assert pins == {"tokens": "[S(x), R]", "attention_mask": "[S(x), R]"}


def test_fsdp_shards_large_parameters_and_the_batch(exported: Exported) -> None:
    pins = table(preset_constraints("fsdp", exported("mlp:reduced"), GRID))
    assert pins == {"middle.weight": "[S(data,tensor), R]", "x": "[S(data,tensor), R]"}


def test_fsdp_over_one_axis(exported: Exported) -> None:
    pins = table(preset_constraints("fsdp:tensor", exported("llama:reduced"), GRID))
    assert pins["embed_tokens.weight"] == "[R, S(tensor)]"  # 97 words are odd, 36 features even
    assert pins["layers.*.mlp.down_proj.weight"] == "[S(tensor), R]"
    assert pins["tokens"] == "[S(tensor), R]"
    assert "norm.weight" not in pins


@pytest.mark.parametrize(
    ("shape", "shards", "dim"),
    [
        ((1024,), 2, 0),
        ((1023,), 2, None),
        ((64, 64), 3, 0),
        ((65, 64), 4, 1),
        ((61, 67), 4, 1),
        ((2, 600), 4, 1),
        ((3, 1, 1, 400), 4, 3),
        ((2, 2, 2, 2, 2, 2, 2, 2, 2, 2), 4, None),
        ((), 2, None),
    ],
)
def test_the_dimension_fsdp_cuts(shape: tuple[int, ...], shards: int, dim: int | None) -> None:
    assert sharded_dim(shape, shards) == dim


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("zero", "unknown preset 'zero'"),
        ("megatron:tensor", "takes no axes"),
        ("fsdp:", "names no axis"),
        ("fsdp:rows", "axis 'rows' of preset fsdp is not in the mesh data=2,tensor=2"),
        ("fsdp:data,data", "is named twice"),
    ],
)
def test_mistakes(exported: Exported, name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        preset_constraints(name, exported("mlp:reduced"), GRID)
    assert says in caught.value.message
    assert caught.value.help


NOTHING = """
func.func @main(%x: tensor<1x3xf32> $input(x)) -> tensor<1x3xf32> {
  %0 = stablehlo.tanh %x : tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
"""


@pytest.mark.parametrize("name", ["data-parallel", "megatron", "megatron-sp", "fsdp"])
def test_nothing_to_shard_is_an_error(program: Program, name: str) -> None:
    with pytest.raises(UsageError, match=f"preset {name} finds nothing to shard"):
        preset_constraints(name, program(NOTHING), GRID)


@pytest.mark.parametrize("name", ["megatron", "megatron-sp"])
def test_a_preset_survives_its_file(exported: Exported, name: str) -> None:
    constraints = preset_constraints(name, exported("gpt2:reduced"), GRID)
    assert parse_constraints(constraints.to_toml(), "constraints.toml") == constraints


@pytest.mark.parametrize("mesh", [Mesh.of(x=2), Mesh.of(x=3), Mesh.of(x=4), GRID], ids=str)
@pytest.mark.parametrize("name", ["data-parallel", "megatron", "fsdp"])
@pytest.mark.parametrize(
    "spec", ["mlp:reduced", "resnet18:reduced", "gpt2:reduced", "llama:reduced", "bert:reduced"]
)
def test_presets_apply_to_every_model_and_mesh(
    exported: Exported, spec: str, name: str, mesh: Mesh
) -> None:
    module = exported(spec)
    constraints = preset_constraints(name, module, mesh)
    apply_constraints(module, constraints, mesh)
    assert module.operation.verify()
    assert "dist.sharding" in str(module)


def test_numbered_layers_fold_where_they_are_alike(exported: Exported) -> None:
    constraints = preset_constraints("megatron", exported("llama:reduced"), TENSOR)
    (pin,) = [p for p in constraints.pins if "q_proj" in p.pattern]
    names = ["layers.0.self_attn.q_proj.weight", "layers.1.self_attn.q_proj.weight"]
    assert folded([pin], names) == (pin,)
    single = [type(pin)(pin.target, n, pin.sharding) for n in names]
    assert [p.pattern for p in folded(single, names)] == ["layers.*.self_attn.q_proj.weight"]
    others = [*names, "layers.extra.self_attn.q_proj.weight"]
    assert [p.pattern for p in folded(single, others)] == ["layers.[0-9].self_attn.q_proj.weight"]
    assert [p.pattern for p in folded(single[:1], names)] == names[:1]


def test_names_with_glob_characters_are_escaped() -> None:
    assert escaped("a[0].*?") == "a[[]0].[*][?]"
