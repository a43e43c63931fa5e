"""A step that is called legal moves data as its name says, element by element."""

from itertools import permutations

from distc.dialect.collectives import COLLECTIVES, step_error
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.ops import Dist
from distc.dialect.sharding import DimSharding, Sharding
from distc.dialect.text import parse_sharding

MESH = Mesh.of(x=2, y=2, z=4)
REFS = [AxisRef("x"), AxisRef("y"), AxisRef("z"), AxisRef("z", 1, 2), AxisRef("z", 2, 2)]


def one_dimensional(size):
    found = set()
    for count in range(3):
        for axes in permutations(REFS, count):
            if any(MESH.overlap(a, b) for a in axes for b in axes if a is not b):
                continue
            for block in (1, 2, 3):
                if size % block == 0:
                    found.add(Sharding(MESH, (DimSharding(axes, block),)).normalize((size,)))
    return sorted(found, key=str)


def box(sharding, size, rank):
    return sharding.layout((size,)).box(rank)[0]


def test_a_gather_joins_whole_shards_in_order():
    legal = 0
    for size in (0, 6, 10):
        for source in one_dimensional(size):
            for target in one_dimensional(size):
                if step_error("all_gather", source, target, (size,)):
                    continue
                legal += 1
                for rank in range(MESH.size):
                    offset, length = box(target, size, rank)
                    parts = {box(source, size, r) for r in range(MESH.size)}
                    inside = sorted(p for p in parts if p[1] and offset <= p[0] < offset + length)
                    assert sum(n for _, n in inside) == length, (str(source), str(target), size)
                    assert not inside or inside[0][0] == offset
    assert legal > 50


def test_a_slice_keeps_what_the_rank_holds():
    for size in (0, 6, 10):
        for source in one_dimensional(size):
            for target in one_dimensional(size):
                if step_error("all_slice", source, target, (size,)):
                    continue
                for rank in range(MESH.size):
                    outer, room = box(source, size, rank)
                    offset, length = box(target, size, rank)
                    inside = outer <= offset and offset + length <= outer + room
                    assert inside or not length, (str(source), str(target), size, rank)


def test_gather_and_slice_are_reverses():
    for size in (4, 10):
        for source in one_dimensional(size):
            for target in one_dimensional(size):
                back = step_error("all_slice", target, source, (size,))
                assert (step_error("all_gather", source, target, (size,)) is None) == (back is None)


def test_no_step_leads_nowhere():
    for text in ("[R]", "[S(x)]", "[S(x)] P(sum: y)"):
        sharding = parse_sharding(text, MESH)
        for name in COLLECTIVES - {"collective_permute"}:
            assert step_error(name, sharding, sharding, (8,))


def test_inner_part_of_an_even_axis_may_be_gathered_alone():
    source, target = parse_sharding("[S(z)]", MESH), parse_sharding("[S(z:(1)2)]", MESH)
    assert step_error("all_gather", source, target, (8,)) is None
    assert "moves" in (step_error("all_gather", source, target, (10,)) or "")


def test_every_collective_is_an_op_of_the_dialect():
    names = {op.OPERATION_NAME.removeprefix("dist.") for op in Dist.operations}
    assert names == COLLECTIVES | {"mesh", "constraint", "reshard"}
