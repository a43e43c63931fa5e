"""Random programs under random shardings: one seed is one case, whatever the machine."""

from __future__ import annotations

import random

import torch
from executable.harness import partition, run_sharded, run_whole
from unit.transforms.random_programs import Program

from distc.dialect import stablehlo
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.runtime.errors import DistcError

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")


def random_sharding(
    choice: random.Random, mesh: Mesh, shape: tuple[int, ...], *, partial: bool
) -> Sharding:
    """Each axis free, on a random dimension (in random order), or partial; sometimes a block."""
    axes = [AxisRef(a.name) for a in mesh.axes]
    choice.shuffle(axes)
    cuts: list[list[AxisRef]] = [[] for _ in shape]
    pending = []
    for axis in axes:
        place = choice.random()
        if place < 0.65 and shape:
            cuts[choice.randrange(len(shape))].append(axis)
        elif partial and place < 0.75:
            pending.append((axis, Reduction.SUM))
    dims = tuple(
        DimSharding(tuple(cut), _block(choice, size) if cut else 1)
        for cut, size in zip(cuts, shape, strict=True)
    )
    return Sharding(mesh, dims, tuple(pending)).normalize(shape)


def _block(choice: random.Random, size: int) -> int:
    if size < 2 or choice.random() < 0.8:
        return 1
    return choice.choice([b for b in range(1, size + 1) if size % b == 0])


def check(seed: int) -> None:
    """Run one case: all ranks together give what the whole program gives, exactly.

    Raises:
        AssertionError: with the seed, the mesh, the pins and the program.
    """
    choice = random.Random(seed)
    program = Program(seed, length=choice.randint(6, 16))
    text = str(program.module)
    mesh = Mesh.parse(choice.choice(MESHES))
    block = program.func.regions[0].blocks[0]
    returned = list(block.operations[len(block.operations) - 1].operands)
    pins = {
        i: random_sharding(choice, mesh, stablehlo.shape(value), partial=True)
        for i, value in enumerate(block.arguments)
        if choice.random() < 0.8
    }
    results = {
        i: random_sharding(choice, mesh, stablehlo.shape(value), partial=False)
        for i, value in enumerate(returned)
        if choice.random() < 0.5
    }
    inputs = [torch.from_numpy(x) for x in program.inputs]
    shapes = [stablehlo.shape(v) for v in returned]
    expected = run_whole(text, inputs)
    about = f"seed {seed} on {mesh}, arguments {_show(pins)}, results {_show(results)}\n{text}"
    try:
        found = run_sharded(partition(text, mesh, pins, results), inputs, shapes)
    except (DistcError, AssertionError, RuntimeError, ValueError) as error:
        raise AssertionError(f"{error}\n{about}") from error
    for number, (want, got) in enumerate(zip(expected, found, strict=True)):
        assert torch.equal(want, got), f"result {number}: {want} and {got}\n{about}"


def _show(pins: dict[int, Sharding]) -> str:
    return ", ".join(f"{i}: {s}" for i, s in pins.items()) or "free"
