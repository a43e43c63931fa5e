"""The sharding value: its invariants and its one normal form."""

import pytest

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.dialect.text import parse_sharding
from distc.runtime.errors import ConfigError, IllegalSharding

MESH = Mesh.of(x=2, y=2, z=4, one=1)


def of(text):
    return parse_sharding(text, MESH)


@pytest.mark.parametrize(
    "text", ["[S(x), S(x)]", "[S(x,x)]", "[S(x)] P(sum: x)", "[S(z:(1)2), S(z)]", "[] P(sum: x,x)"]
)
def test_an_axis_is_used_once(text):
    with pytest.raises(IllegalSharding, match="is used twice"):
        of(text)


def test_parts_of_one_axis_may_serve_apart():
    assert of("[S(z:(1)2), S(z:(2)2)]").rank == 2


def test_unknown_axis_and_bad_block():
    with pytest.raises(ConfigError, match="unknown mesh axis 'w'"):
        Sharding(MESH, (DimSharding((AxisRef("w"),)),))
    with pytest.raises(IllegalSharding, match="below 1"):
        Sharding(MESH, (DimSharding((), 0),))


@pytest.mark.parametrize(
    ("text", "shape", "normal"),
    [
        ("[S(z:(1)2,z:(2)2)]", (8,), "[S(z)]"),
        ("[S(one,x)]", (8,), "[S(x)]"),
        ("[S(x)/2]", (8,), "[S(x)]"),
        ("[S(x)/2]", (6,), "[S(x)/2]"),
        ("[R/4]", (8,), None),
        ("[R] P(sum: y,x)", (8,), "[R] P(sum: x,y)"),
        ("[R] P(sum: z:(2)2,z:(1)2)", (8,), "[R] P(sum: z)"),
        ("[R] P(max: y) + P(sum: x)", (8,), "[R] P(sum: x) + P(max: y)"),
    ],
)
def test_normal_form(text, shape, normal):
    if normal is None:
        with pytest.raises(IllegalSharding):
            of(text)
        return
    assert str(of(text).normalize(shape)) == normal
    assert of(text).normalize(shape) == of(text).normalize(shape).normalize(shape)


def test_normalize_checks_the_rank():
    with pytest.raises(IllegalSharding, match="has 1 dimensions, the value \\[8, 8\\] has 2"):
        of("[S(x)]").normalize((8, 8))


def test_replicated():
    value = Sharding.replicated(MESH, 2)
    assert value.is_replicated and str(value) == "[R, R]"
    assert not of("[R] P(sum: x)").is_replicated


def test_copies():
    value = of("[S(x), R] P(sum: y)")
    assert str(value.with_dim(1, DimSharding((AxisRef("z"),)))) == "[S(x), S(z)] P(sum: y)"
    assert str(value.without_partial()) == "[S(x), R]"
    assert value.partial == ((AxisRef("y"), Reduction.SUM),)
    assert value.shards(0) == 2 and value.shards(1) == 1
