"""Shardy's attribute grammar, read into values."""

from __future__ import annotations

import pytest

from distc.compiler.frontend.sdy_grammar import (
    SdyAxis,
    SdyDim,
    SdyMesh,
    SdySharding,
    parse_axes,
    parse_mesh,
    parse_per_value,
    parse_sharding,
)
from distc.runtime.errors import InputError


def test_a_mesh_with_and_without_device_ids() -> None:
    assert parse_mesh('<["x"=2, "y"=4]>') == SdyMesh((("x", 2), ("y", 4)))
    assert parse_mesh('#sdy.mesh<["a"=2,"b"=2], device_ids=[3, 2, 1, 0]>').device_ids == (
        3,
        2,
        1,
        0,
    )
    assert parse_mesh("<[], device_ids=[5]>").single_device == 5
    assert parse_mesh("<[]>").single_device is None
    assert parse_mesh("<[]>").size == 1


def test_a_sharding_with_every_part() -> None:
    found = parse_sharding(
        '#sdy.sharding<@m, [{"x", "y":(2)2}, {}, {?}p1, {"z", ?}], '
        'replicated={"r"}, unreduced={"u"}>'
    )
    assert found == SdySharding(
        "m",
        (
            SdyDim((SdyAxis("x"), SdyAxis("y", 2, 2))),
            SdyDim(),
            SdyDim((), True, 1),
            SdyDim((SdyAxis("z"),), True),
        ),
        (SdyAxis("r"),),
        (SdyAxis("u"),),
    )


def test_a_sharding_on_a_mesh_spelled_out() -> None:
    found = parse_sharding('<mesh<["x"=2]>, [{"x"}]>')
    assert found.mesh == SdyMesh((("x", 2),))


def test_shardings_per_value_and_axes() -> None:
    found = parse_per_value("#sdy.sharding_per_value<[<@a, [{}]>, #sdy.sharding<@b, []>]>")
    assert [s.mesh for s in found] == ["a", "b"]
    assert parse_axes('#sdy.manual_axes<{"x", "y"}>') == (SdyAxis("x"), SdyAxis("y"))
    assert parse_axes("#sdy<manual_axes{}>") == ()


@pytest.mark.parametrize("text", ["<@m, [{?}, {?}]>", "<@m, [{?}p3]>"])
def test_open_dimensions_alone_say_nothing(text: str) -> None:
    assert parse_sharding(text).says_nothing


@pytest.mark.parametrize("text", ["<@m, [{}]>", '<@m, [{?}], replicated={"x"}>'])
def test_closed_dimensions_and_named_axes_say_something(text: str) -> None:
    assert not parse_sharding(text).says_nothing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<@m, [{"x"}', "it ends|found the end"),
        ('<@m, [{"x"}]> more', "after the end"),
        ("<@m, [{x}]>", "axis name in quotes"),
        ('<"m", [{"x"}]>', "mesh symbol"),
        ('<@m, [{"x":2}]>', "expected '\\('"),
        ('<@m, [{"x"}], reduced={"y"}>', "unknown part 'reduced'"),
        ('<@m, [{"x"}%]>', "unexpected '%'"),
    ],
)
def test_a_malformed_sharding_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_sharding(text, "model.mlir:1:2")


@pytest.mark.parametrize(
    "text",
    [
        '<["x"=0]>',
        '<["x"=2], device_ids=[0, 0]>',
        '<["x"=2], device_ids=[1]>',
        "<[], device_ids=[1,2]>",
    ],
)
def test_a_mesh_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_mesh(text)
