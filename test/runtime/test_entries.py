"""Entry points that share state: a cache that prefill fills and decode goes on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from ranks import run_ranks
from torch import Tensor

import distc
from distc.runtime.checkpoint.load import load as load_checkpoint
from distc.runtime.checkpoint.save import save as save_checkpoint
from distc.runtime.errors import UsageError
from distc.runtime.kernels.shape import dynamic_update_slice_
from distc.runtime.load import RankProgram, load

BATCH, HEADS, POSITIONS, WIDTH, CHUNK = 2, 4, 8, 3, 4

ENTRY = """
func.func @NAME(
    %x: tensor<2x4xNx3xf32> {dist.name = "x"},
    %at: tensor<i32> {dist.name = "at"},
    %cache: tensor<2x4x8x3xf32> {dist.name = "cache", dist.kind = "state", dist.initial = "zeros"})
    -> (tensor<2x4x3xf32> {dist.name = "out"}, tensor<2x4x8x3xf32> {dist.updates = "cache"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %new = stablehlo.dynamic_update_slice %cache, %x, %zero, %zero, %at, %zero
      : (tensor<2x4x8x3xf32>, tensor<2x4xNx3xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x8x3xf32>
  %out = stablehlo.reduce(%new init: %none) applies stablehlo.add across dimensions = [2]
      : (tensor<2x4x8x3xf32>, tensor<f32>) -> tensor<2x4x3xf32>
  return %out, %new : tensor<2x4x3xf32>, tensor<2x4x8x3xf32>
}
"""
PINS = {
    "none": None,
    "heads": '[[pin]]\nparameter = "cache"\nsharding = "[R, S(tensor), R, R]"\n',
    "positions": '[[pin]]\nparameter = "cache"\nsharding = "[R, R, S(tensor), R]"\n',
    "inputs": '[[pin]]\ninput = "x"\nsharding = "[S(tensor), R, R, R]"\n',
}


def write(folder: Path, ranks: int, pins: str) -> Path:
    text = "".join(
        ENTRY.replace("NAME", name).replace("xNx", f"x{count}x")
        for name, count in (("prefill", CHUNK), ("decode", 1))
    )
    (folder / "cache.mlir").write_text(text)
    constraints = None
    if PINS[pins] is not None:
        constraints = folder / "pins.toml"
        constraints.write_text(PINS[pins] or "")
    mesh = distc.Mesh.of(tensor=ranks)
    compiled = distc.compile(str(folder / "cache.mlir"), mesh=mesh, constraints=constraints)
    return compiled.save(folder / "cache.distc")


def tokens(seed: int, count: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-9, 9, (BATCH, HEADS, count, WIDTH), generator=generator).float()


def generate(program: Any) -> list[Tensor]:
    """Fill the cache with a chunk, then with three tokens; return all outputs."""
    outputs = [program.entry("prefill")(tokens(0, CHUNK), torch.tensor(0, dtype=torch.int32))]
    for step in range(3):
        at = torch.tensor(CHUNK + step, dtype=torch.int32)
        outputs.append(program.entry("decode")(tokens(1 + step, 1), at))
    return outputs


def expected() -> list[Tensor]:
    parts = [tokens(0, CHUNK), *(tokens(1 + s, 1) for s in range(3))]
    return [torch.cat(parts[: n + 1], 2).sum(2) for n in range(4)]


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("pins", PINS)
def test_decode_goes_on_where_prefill_ended(tmp_path: Path, pins: str, ranks: int) -> None:
    program = load(write(tmp_path, ranks, pins), backend="sim")
    places = [program.store.tensors[r]["cache"].data_ptr() for r in range(ranks)]
    for got, want in zip(generate(program), expected(), strict=True):
        assert torch.equal(got, want)
    assert places == [program.store.tensors[r]["cache"].data_ptr() for r in range(ranks)]
    first, second = (e.arguments[2].layout for e in program.artifact.manifest.entries)
    assert first == second


def test_what_one_entry_point_pins_holds_in_both(tmp_path: Path) -> None:
    """The batch of decode's input is cut, and the cache with it, though prefill comes first."""
    text = ENTRY.replace("NAME", "prefill").replace("xNx", "x4x")
    pinned = '%x: tensor<2x4x1x3xf32> {dist.name = "x", dist.sharding = #dist.sharding<@mesh, '
    pinned += '[["tensor"], [], [], []], array<i64: 1, 1, 1, 1>, {}>}'
    text += ENTRY.replace("NAME", "decode").replace(
        '%x: tensor<2x4xNx3xf32> {dist.name = "x"}', pinned
    ).replace("xNx", "x1x").replace(
        'dist.initial = "zeros"}', 'dist.initial = "zeros", dist.sharding = #dist.sharding<@mesh, '
        '[["tensor"], [], [], []], array<i64: 1, 1, 1, 1>, {}>}'
    )  # fmt: skip
    (tmp_path / "m.mlir").write_text(
        f'"dist.mesh"() {{sym_name = "mesh", axes = ["tensor"], sizes = array<i64: 2>, '
        f'links = ["device"]}} : () -> ()\n{text}'
    )
    compiled = distc.compile(str(tmp_path / "m.mlir"), mesh=distc.Mesh.of(tensor=2))
    shardings = {e.arguments[2].sharding for e in compiled.entries}
    assert shardings == {"[S(tensor), R, R, R]"}


def test_gloo_ranks_generate_without_copying_the_cache(tmp_path: Path) -> None:
    path = write(tmp_path, 2, "heads")

    def body(rank: int) -> dict[str, Any]:
        program = load(path, entry="prefill")
        assert isinstance(program, RankProgram)
        place = program.store.tensors[rank]["cache"].data_ptr()
        outputs = [o.tolist() for o in generate(program)]
        targets = [n.target for n in program.entry("decode").module.graph.nodes]
        again = program(tokens(0, CHUNK), torch.tensor(0, dtype=torch.int32))
        return {
            "outputs": outputs, "in place": dynamic_update_slice_ in targets,
            "copies": torch.ops.aten.copy_.default in targets, "again": again.tolist(),
            "still": place == program.store.tensors[rank]["cache"].data_ptr(),
            "held": program.store.tensors[rank]["cache"].numel(),
        }  # fmt: skip

    for found in run_ranks(2, body):
        assert found["outputs"] == [w.tolist() for w in expected()]
        assert found["in place"] and not found["copies"] and found["still"]
        assert found["held"] == BATCH * HEADS * POSITIONS * WIDTH // 2
        # The first positions are written again, what decode wrote after them is still there.
        assert found["again"] == found["outputs"][-1]


def test_a_cache_moves_to_another_plan(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = load(write(tmp_path / "a", 2, "heads"), backend="sim")
    generate(first)
    save_checkpoint(first, tmp_path / "kept")
    second = load(write(tmp_path / "b", 3, "positions"), backend="sim")
    load_checkpoint(second, tmp_path / "kept")
    at = torch.tensor(CHUNK + 3, dtype=torch.int32)
    got = second.entry("decode")(tokens(9, 1), at)
    assert torch.equal(got, expected()[-1] + tokens(9, 1).sum(2))


def test_an_entry_point_must_be_named_where_there_are_several(tmp_path: Path) -> None:
    program = load(write(tmp_path, 1, "none"))
    with pytest.raises(UsageError, match="entry points prefill, decode, none was named") as error:
        program(tokens(0, 1), torch.tensor(0, dtype=torch.int32))
    assert 'program.entry("prefill")' in error.value.help
    program.close()
