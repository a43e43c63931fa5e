"""print∘parse and to_attr∘from_attr are identities, and so are their reverses."""

import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_mlir import ir

from distc.dialect import attrs
from distc.dialect.context import make_context
from distc.dialect.mesh import AxisRef, LinkClass, Mesh, MeshAxis
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.dialect.text import parse_sharding, print_sharding
from distc.runtime.errors import ConfigError, IllegalSharding

CONTEXT = make_context()
names = st.text(string.ascii_letters + "_", min_size=1, max_size=6)


@st.composite
def meshes(draw):
    axes = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 4, 6, 8]), min_size=4, max_size=4))
    links = draw(st.lists(st.sampled_from(list(LinkClass)), min_size=4, max_size=4))
    return Mesh(tuple(MeshAxis(*a) for a in zip(axes, sizes, links, strict=False)), draw(names))


@st.composite
def shardings(draw):
    """Any legal sharding: axes whole or cut in two parts, each dealt to a dimension or partial."""
    mesh = draw(meshes())
    refs = []
    for axis in mesh.axes:
        cuts = [p for p in range(2, axis.size) if axis.size % p == 0]
        if cuts and draw(st.booleans()):
            cut = draw(st.sampled_from(cuts))
            refs += [AxisRef(axis.name, 1, cut), AxisRef(axis.name, cut, axis.size // cut)]
        else:
            refs.append(AxisRef(axis.name))
    rank = draw(st.integers(0, 4))
    places = draw(st.lists(st.integers(-2, rank - 1), min_size=len(refs), max_size=len(refs)))
    order = draw(st.permutations(range(len(refs))))
    dims = [[refs[i] for i in order if places[i] == d] for d in range(rank)]
    blocks = [draw(st.integers(1, 64)) if d else 1 for d in dims]
    partial = tuple(
        (r, draw(st.sampled_from(list(Reduction))))
        for r, p in zip(refs, places, strict=True)
        if p == -1
    )
    parts = tuple(DimSharding(tuple(d), b) for d, b in zip(dims, blocks, strict=True))
    return Sharding(mesh, parts, partial)


def grouped(sharding):
    """The same sharding with its partial axes grouped by kind, as text writes them."""
    kinds = dict.fromkeys(k for _, k in sharding.partial)
    return tuple((a, k) for kind in kinds for a, k in sharding.partial if k is kind)


@given(shardings())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_text(sharding):
    again = parse_sharding(print_sharding(sharding), sharding.mesh)
    assert again.dims == sharding.dims
    assert again.partial == grouped(sharding)
    assert print_sharding(again) == print_sharding(sharding)


@given(shardings())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_attribute(sharding):
    attribute = attrs.to_attr(sharding, CONTEXT)
    assert attrs.from_attr(attribute, sharding.mesh) == sharding
    printed = ir.Attribute.parse(str(attribute), CONTEXT)
    assert printed == attribute
    assert attrs.to_attr(attrs.from_attr(printed, sharding.mesh), CONTEXT) == attribute


@given(meshes())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_mesh(mesh):
    module = ir.Module.parse("", CONTEXT)
    assert attrs.module_mesh(module) is None
    attrs.set_module_mesh(module, Mesh.of(old=2))
    attrs.set_module_mesh(module, mesh)
    assert attrs.module_mesh(module) == mesh
    again = ir.Module.parse(str(module), CONTEXT)
    assert attrs.module_mesh(again) == mesh


@given(st.text(string.ascii_letters + "[]()SRP:,+/ 0123", max_size=24))
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_read_or_refused(text):
    mesh = Mesh.of(x=2, S=4)
    try:
        sharding = parse_sharding(text, mesh)
    except (IllegalSharding, ConfigError) as error:
        assert error.help
        return
    assert parse_sharding(print_sharding(sharding), mesh).dims == sharding.dims


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[S(x)", "expected ',', found the end at column 6"),
        ("S(x)]", "expected '\\[', found 'S' at column 1"),
        ("[Q]", "expected 'S', found 'Q' at column 2"),
        ("[S()]", "unknown mesh axis '\\)'"),
        ("[S(x)/0]", "expected a positive number, found '0'"),
        ("[S(x)/64", "expected ',', found the end"),
        ("[R] P(mean: x)", "unknown reduction 'mean'"),
        ("[R] P(sum: x) P(max: y)", "expected '\\+'"),
        ("[S(x:(2))]", "expected a positive number, found '\\)'"),
        ("[S(x);R]", "unexpected character ';' at column 6"),
        ("[S(x)] trailing", "expected 'P', found 'trailing'"),
    ],
)
def test_text_errors_say_where(text, reason):
    with pytest.raises((IllegalSharding, ConfigError), match=reason):
        parse_sharding(text, Mesh.of(x=4, y=2))
