"""compose and project: shardings of dimensions against shardings of their factors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distc.dialect.factors import UNCUT, FactorSharding, compose, project
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding

MESH = Mesh.of(x=2, y=3, z=4)
X, Y, Z = AxisRef("x"), AxisRef("y"), AxisRef("z")


def test_a_single_factor_is_the_dimension() -> None:
    assert compose(MESH, [9], [FactorSharding((X,), 3)]) == DimSharding((X,), 3)
    assert project(MESH, [9], DimSharding((X,), 3)) == (FactorSharding((X,), 3),)


def test_cutting_the_major_factor_makes_the_minor_product_the_block() -> None:
    # Nine heads of 64 on two ranks are five and four heads.
    assert compose(MESH, [9, 64], [FactorSharding((X,)), UNCUT]) == DimSharding((X,), 64)


def test_a_minor_factor_alone_cannot_be_said() -> None:
    assert compose(MESH, [9, 64], [UNCUT, FactorSharding((X,))]) is None


def test_a_minor_factor_is_cut_below_single_elements() -> None:
    cut = compose(MESH, [2, 6], [FactorSharding((X,)), FactorSharding((Y,))])
    assert cut == DimSharding((X, Y), 1)


def test_factors_of_size_one_do_not_hide_minor_ones() -> None:
    assert compose(MESH, [1, 6], [UNCUT, FactorSharding((Y,))]) == DimSharding((Y,), 1)
    assert project(MESH, [1, 6], DimSharding((Y,))) == (UNCUT, FactorSharding((Y,)))


def test_a_block_of_whole_groups_follows_the_major_factor() -> None:
    # 576 = 9 heads x 64, cut in groups of three heads.
    assert project(MESH, [9, 64], DimSharding((X,), 192))[0] == FactorSharding((X,), 3)


def test_an_axis_larger_than_the_major_factor_is_split() -> None:
    head, tail = project(MESH, [2, 6], DimSharding((Z,)))
    assert head == FactorSharding((AxisRef("z", 1, 2),))
    assert tail == FactorSharding((AxisRef("z", 2, 2),))


def test_shards_off_the_borders_are_proposed_uneven() -> None:
    # 576 columns on two ranks are 288 each, no whole number of heads: propose heads, uneven.
    assert project(MESH, [9, 64], DimSharding((X,))) == (FactorSharding((X,)), UNCUT)


@given(
    major=st.integers(2, 12),
    minor=st.integers(1, 6),
    axes=st.sampled_from([(X,), (Y,), (Z,), (X, Y), (Z, X)]),
)
def test_projecting_what_was_composed_changes_nothing(
    major: int, minor: int, axes: tuple[AxisRef, ...]
) -> None:
    dim = compose(MESH, [major, minor], [FactorSharding(axes), UNCUT])
    assert dim is not None
    again = compose(MESH, [major, minor], project(MESH, [major, minor], dim))
    assert again == dim


@pytest.mark.parametrize("size", range(1, 10))
def test_uncut_stays_uncut(size: int) -> None:
    assert compose(MESH, [size, 2], [UNCUT, UNCUT]) == DimSharding()
    assert project(MESH, [size, 2], DimSharding()) == (UNCUT, UNCUT)
