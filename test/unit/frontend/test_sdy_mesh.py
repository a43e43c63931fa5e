"""Several of Shardy's meshes read on one."""

from __future__ import annotations

import pytest

from distc.compiler.frontend.sdy_grammar import SdyMesh, parse_mesh, parse_sharding
from distc.compiler.frontend.sdy_layout import flat_layout
from distc.compiler.frontend.sdy_mesh import CommonMesh
from distc.runtime.errors import InputError


def _common(**texts: str) -> CommonMesh:
    return CommonMesh({name: parse_mesh(text) for name, text in texts.items()}, "mesh")


def _read(common: CommonMesh, text: str, *shape: int) -> str:
    return str(common.sharding(parse_sharding(text), shape))


def test_one_mesh_keeps_its_axes() -> None:
    common = _common(m='<["x"=2, "y"=4]>')
    assert str(common.mesh) == "x=2,y=4"
    assert _read(common, '<@m, [{"y":(2)2, "x"}, {}]>', 8, 8) == "[S(y:(2)2,x), R]"


def test_refinements_are_cut_at_each_others_borders() -> None:
    common = _common(a='<["x"=8]>', b='<["p"=2, "q"=4]>', c='<["r"=4, "s"=2]>')
    assert str(common.mesh) == "p=2,axis_2_4=2,s=2"
    assert _read(common, '<@a, [{"x"}]>', 16) == "[S(p,axis_2_4,s)]"
    assert _read(common, '<@b, [{"q"}]>', 16) == "[S(axis_2_4,s)]"
    assert _read(common, '<@c, [{"r"}]>', 16) == "[S(p,axis_2_4)]"
    assert _read(common, '<@a, [{"x":(4)2}]>', 16) == "[S(s)]"


def test_an_unreduced_axis_is_a_pending_sum() -> None:
    common = _common(m='<["x"=2, "y"=2]>')
    assert _read(common, '<@m, [{"x"}], unreduced={"y"}>', 8) == "[S(x)] P(sum: y)"


def test_maximal_and_empty_meshes_read_as_replicated() -> None:
    common = _common(m='<["x"=2]>', one="<[], device_ids=[1]>", none="<[]>")
    assert str(common.mesh) == "x=2"
    assert _read(common, "<@one, []>", 4, 4) == "[R, R]"
    assert _read(common, "<@none, [{}]>", 4) == "[R]"


def test_names_that_are_no_identifiers_are_made_some() -> None:
    assert str(_common(m='<["model-parallel"=2, "1"=2]>').mesh) == "model_parallel=2,axis_1=2"


@pytest.mark.parametrize(
    "meshes",
    [
        {"a": '<["x"=2]>', "b": '<["x"=4]>'},
        {"a": '<["x"=2, "y"=3]>', "b": '<["x"=3, "y"=2]>'},
        {"a": '<["x"=4]>', "b": '<["y"=4], device_ids=[3, 2, 1, 0]>'},
    ],
)
def test_meshes_that_do_not_go_together_are_refused(meshes: dict[str, str]) -> None:
    with pytest.raises(InputError):
        _common(**meshes)


@pytest.mark.parametrize(
    "text", ['<@m, [{"z"}]>', "<@n, [{}]>", "<@m, [{}, {}]>", '<@m, [{"x":(1)3}]>']
)
def test_a_sharding_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        _read(_common(m='<["x"=4]>'), text, 8)


def test_the_flat_layout_cuts_once() -> None:
    common = CommonMesh({"m": SdyMesh((("x", 2), ("y", 2)))}, "mesh")
    sharding = parse_sharding('<@m, [{"x", "y"}]>')
    flat = flat_layout(common, sharding, (10,))
    ours = common.sharding(sharding, (10,))
    assert ours is not None
    assert [flat.box(r)[0] for r in range(4)] == [(0, 3), (3, 3), (6, 3), (9, 1)]
    assert [ours.layout((10,)).box(r)[0] for r in range(4)] == [(0, 3), (3, 2), (5, 3), (8, 2)]
    assert flat.local_shape == ours.local_shape((10,)) == (3,)
