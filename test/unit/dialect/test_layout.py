"""Which box of a tensor each rank holds: every element exactly once, on every small mesh."""

from itertools import pairwise, permutations

import pytest

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.runtime.errors import IllegalSharding
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout

MESHES = [Mesh.parse(t) for t in ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")]


def axis_lists(mesh):
    """All ordered choices of axes, and for an axis of four its parts."""
    refs = [AxisRef(a.name) for a in mesh.axes]
    lists = [p for n in range(len(refs) + 1) for p in permutations(refs, n)]
    if mesh.size == 4 and len(refs) == 1:
        outer, inner = AxisRef("x", 1, 2), AxisRef("x", 2, 2)
        lists += [(outer,), (inner,), (inner, outer), (outer, inner)]
    return lists


CASES = [(m, axes, size, block) for m in MESHES for axes in axis_lists(m) for size in range(10)
         for block in range(1, size + 1) if size % block == 0] + [
    (m, axes, 0, 1) for m in MESHES for axes in axis_lists(m)]  # fmt: skip


def test_every_element_is_held_once_per_replica():
    for mesh, axes, size, block in CASES:
        sharding = Sharding(mesh, (DimSharding(axes, block),))
        layout = sharding.layout((size,))
        held = [0] * size
        for rank in range(mesh.size):
            ((offset, length),) = layout.box(rank)
            assert 0 <= offset and offset + length <= size
            assert length <= layout.local_shape[0]
            for i in range(offset, offset + length):
                held[i] += 1
        replicas = mesh.size // sharding.shards(0)
        assert held == [replicas] * size, (str(mesh), axes, size, block)


def test_the_static_local_size_is_the_largest():
    for mesh, axes, size, block in CASES:
        layout = Sharding(mesh, (DimSharding(axes, block),)).layout((size,))
        largest = max(layout.box(r)[0][1] for r in range(mesh.size))
        assert layout.local_shape == (largest,)


def test_shards_are_whole_blocks():
    for mesh, axes, size, block in CASES:
        layout = Sharding(mesh, (DimSharding(axes, block),)).layout((size,))
        for rank in range(mesh.size):
            offset, length = layout.box(rank)[0]
            if layout.dims[0].block == block:
                assert offset % block == 0 and length % block == 0


def test_even_means_that_no_rank_holds_less():
    for mesh, axes, size, block in CASES:
        sharding = Sharding(mesh, (DimSharding(axes, block),))
        lengths = {sharding.layout((size,)).box(r)[0][1] for r in range(mesh.size)}
        assert sharding.is_even((size,)) == (lengths == set(sharding.local_shape((size,))))


def test_each_level_lies_in_the_one_above():
    for mesh, axes, size, block in CASES:
        dim = Sharding(mesh, (DimSharding(axes, block),)).layout((size,)).dims[0]
        sizes = dim.level_sizes()
        for rank in range(mesh.size):
            extents = dim.level_extents(rank)
            assert extents[0] == (0, size)
            for (outer, room), (offset, length) in pairwise(extents):
                assert outer <= offset and offset + length <= outer + room
            assert all(n <= s for (_, n), s in zip(extents, sizes, strict=True))


def lengths(mesh, axes, size, block=1):
    layout = Sharding(mesh, (DimSharding(axes, block),)).layout((size,))
    return [layout.box(r)[0][1] for r in range(mesh.size)]


def test_splits_nest_by_ceil_as_in_dtensor():
    mesh = Mesh.of(x=2, y=2)
    assert lengths(mesh, (AxisRef("x"), AxisRef("y")), 10) == [3, 2, 3, 2]
    assert lengths(Mesh.of(x=4), (AxisRef("x"),), 10) == [3, 3, 3, 1]


def test_attention_heads_stay_whole():
    assert lengths(Mesh.of(x=2), (AxisRef("x"),), 576, 64) == [320, 256]
    assert lengths(Mesh.of(x=4), (AxisRef("x"),), 576, 192) == [192, 192, 192, 0]


def test_block_is_normalised_away_where_shards_are_even():
    mesh = Mesh.of(x=2)
    even = Sharding(mesh, (DimSharding((AxisRef("x"),), 64),)).normalize((256,))
    uneven = Sharding(mesh, (DimSharding((AxisRef("x"),), 64),)).normalize((192,))
    assert even.dims[0].block == 1
    assert uneven.dims[0].block == 64


def test_view_and_shape_hold_the_same_elements():
    dims = (DimLayout(3), DimLayout(4))
    assert TensorLayout((12,), dims).view == (3, 4)
    with pytest.raises(ValueError, match="does not hold the elements"):
        TensorLayout((13,), dims)


def test_bytes_held_counts_no_padding():
    layout = Sharding(Mesh.of(x=4), (DimSharding((AxisRef("x"),)), DimSharding())).layout((9, 2))
    assert [layout.bytes_held(r, 4) for r in range(4)] == [24, 24, 24, 0]


def test_block_must_divide():
    with pytest.raises(ValueError, match="block 3 does not divide"):
        DimLayout(10, (AxisSplit("x", 2, 1),), 3)
    with pytest.raises(IllegalSharding, match="block 3 does not divide dimension 0 of size 10"):
        Sharding(Mesh.of(x=2), (DimSharding((AxisRef("x"),), 3),)).layout((10,))
