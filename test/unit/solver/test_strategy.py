"""Which ways there are to run an op on a mesh."""

from __future__ import annotations

import pytest

from distc.dialect.mesh import Mesh
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction
from distc.solver.strategy import Strategy, strategies


def _matmul(rows: int = 8, columns: int = 6, inner: int = 12) -> ShardingRule:
    """[i, k] x [k, j] -> [i, j]"""
    builder = RuleBuilder([2, 2], [2])
    builder.factor(rows, {0: 0}, {0: 0})
    builder.factor(columns, {1: 1}, {0: 1})
    builder.factor(inner, {0: 1, 1: 0}, kind=FactorKind.REDUCTION, reduction=Reduction.SUM)
    return builder.passes(0).passes(1).build()


def _found(mesh: Mesh, rows: int = 8) -> dict[tuple[str, ...], Strategy]:
    shapes = ([(rows, 12), (12, 6)], [(rows, 6)])
    return {
        tuple(map(str, (*s.operands, *s.results))): s
        for s in strategies(_matmul(rows), mesh, *shapes)
    }


def test_one_axis() -> None:
    assert set(_found(Mesh.of(t=2))) == {
        ("[R, R]", "[R, R]", "[R, R]"),
        ("[S(t), R]", "[R, R]", "[S(t), R]"),
        ("[R, R]", "[R, S(t)]", "[R, S(t)]"),
        ("[R, S(t)]", "[S(t), R]", "[R, R] P(sum: t)"),
        ("[R, R] P(sum: t)", "[R, R]", "[R, R] P(sum: t)"),
        ("[R, R]", "[R, R] P(sum: t)", "[R, R] P(sum: t)"),
    }


def test_two_axes_are_chosen_together() -> None:
    found = _found(Mesh.of(d=2, t=2))
    # Six per axis, without a second operand that is partial on its own.
    assert len(found) == 6 * 6 - 2
    megatron = found["[S(d), S(t)]", "[S(t), R]", "[S(d), R] P(sum: t)"]
    assert megatron.shares == 4
    assert found["[S(d,t), R]", "[R, R]", "[S(d,t), R]"].shares == 4
    assert not any("S(t,d)" in text for key in found for text in key)


def test_everything_repeated_comes_first() -> None:
    first = strategies(_matmul(), Mesh.of(d=2, t=2), [(8, 12), (12, 6)], [(8, 6)])[0]
    assert first.shares == 1
    assert not first.assignment.partial


@pytest.mark.parametrize("rows", [1, 3])
def test_no_more_parts_than_elements(rows: int) -> None:
    found = _found(Mesh.of(d=2, t=2), rows)
    assert not any("S(d,t)" in key[0].split(",")[0] for key in found)
    assert all(key[2] != "[S(d,t), R]" for key in found)


def test_an_axis_of_one_rank_cuts_nothing() -> None:
    assert len(_found(Mesh.of(t=1))) == 1
