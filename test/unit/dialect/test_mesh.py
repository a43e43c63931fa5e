"""Meshes, axes, sub-axes, replica groups."""

from itertools import product

import pytest

from distc.dialect.mesh import AxisRef, Mesh, MeshAxis
from distc.runtime.errors import ConfigError

X, Y = AxisRef("x"), AxisRef("y")


def test_parse_and_print_are_inverse():
    assert str(Mesh.parse("node=2, gpu=4")) == "node=2,gpu=4"
    assert Mesh.parse("node=2,gpu=4") == Mesh.of(node=2, gpu=4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "is not name=size"),
        ("x=", "is not name=size"),
        ("x=two", "is not name=size"),
        ("x=-1", "is not name=size"),
        ("", "is not name=size"),
        ("x=2,,y=2", "is not name=size"),
        ("x=0", "the least is 1"),
        ("2x=2", "is not an identifier"),
        ("x=2,x=3", "appears 2 times"),
    ],
)
def test_bad_mesh_text_is_refused_with_help(text, reason):
    with pytest.raises(ConfigError, match=reason) as caught:
        Mesh.parse(text)
    assert caught.value.help


def test_a_mesh_needs_an_axis():
    with pytest.raises(ConfigError, match="no axis"):
        Mesh(())


def test_rank_ids_are_row_major():
    mesh = Mesh.of(x=2, y=3)
    coordinates = [(mesh.split(X).coordinate(r), mesh.split(Y).coordinate(r)) for r in range(6)]
    assert coordinates == list(product(range(2), range(3)))


def test_parts_of_an_axis_make_up_its_coordinate():
    mesh = Mesh.of(a=3, x=12, b=2)
    whole = mesh.split(X)
    outer, middle, inner = (mesh.split(AxisRef("x", p, s)) for p, s in ((1, 2), (2, 3), (6, 2)))
    for rank in range(mesh.size):
        parts = (outer.coordinate(rank) * 3 + middle.coordinate(rank)) * 2 + inner.coordinate(rank)
        assert parts == whole.coordinate(rank)


@pytest.mark.parametrize("ref", [AxisRef("x", 1, 3), AxisRef("x", 4, 2), AxisRef("x", 1, 1)])
def test_a_part_must_divide_its_axis(ref):
    with pytest.raises(ConfigError, match="does not divide axis x of size 4"):
        Mesh.of(x=4).split(ref)


def test_unknown_axis_names_the_known_ones():
    with pytest.raises(ConfigError, match="unknown mesh axis 'z'; the mesh is x=2,y=2") as caught:
        Mesh.of(x=2, y=2).axis_size("z")
    assert caught.value.help == "use one of: x, y"


def test_groups_partition_the_ranks():
    mesh = Mesh.of(x=2, y=2, z=4)
    for refs in [(), (X,), (Y, X), (AxisRef("z", 1, 2),), (AxisRef("z", 2, 2), X)]:
        groups = mesh.groups(refs)
        assert sorted(r for g in groups for r in g) == list(range(mesh.size))


def test_groups_order_ranks_by_the_axes_given():
    mesh = Mesh.of(x=2, y=2)
    assert mesh.groups((X,)) == ((0, 2), (1, 3))
    assert mesh.groups((Y,)) == ((0, 1), (2, 3))
    assert mesh.groups((X, Y)) == ((0, 1, 2, 3),)
    assert mesh.groups((Y, X)) == ((0, 2, 1, 3),)
    assert Mesh.of(z=4).groups((AxisRef("z", 1, 2),)) == ((0, 2), (1, 3))


def test_canonical_merges_parts_and_drops_axes_of_size_one():
    mesh = Mesh.of(x=8, one=1)
    first, second, third = AxisRef("x", 1, 2), AxisRef("x", 2, 2), AxisRef("x", 4, 2)
    assert mesh.canonical((first, second, third)) == (X,)
    assert mesh.canonical((first, second)) == (AxisRef("x", 1, 4),)
    assert mesh.canonical((second, first)) == (second, first)
    assert mesh.canonical((AxisRef("one"), AxisRef("x", 1, 8))) == (X,)


def test_overlap():
    mesh = Mesh.of(x=8, y=2)
    assert mesh.overlap(X, AxisRef("x", 2, 2))
    assert mesh.overlap(AxisRef("x", 1, 4), AxisRef("x", 2, 2))
    assert not mesh.overlap(AxisRef("x", 1, 2), AxisRef("x", 2, 2))
    assert not mesh.overlap(X, Y)


def test_parts_of_two_factorisations_overlap():
    mesh = Mesh.of(x=6)
    halves, thirds = AxisRef("x", 1, 2), AxisRef("x", 1, 3)
    assert mesh.overlap(halves, AxisRef("x", 3, 2))
    assert mesh.overlap(AxisRef("x", 2, 3), AxisRef("x", 3, 2))
    assert not mesh.overlap(halves, AxisRef("x", 2, 3))
    assert not mesh.overlap(AxisRef("x", 3, 2), thirds)


def test_axis_checks_itself():
    with pytest.raises(ConfigError):
        MeshAxis("a b", 2)
