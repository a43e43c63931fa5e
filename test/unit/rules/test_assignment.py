"""Claims: which wishes of values an op follows."""

from __future__ import annotations

from distc.dialect.assignment import Claim, assign, pass_partial
from distc.dialect.factors import UNCUT
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.rules.rule import LINEAR, FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction
from distc.dialect.text import parse_sharding

MESH = Mesh.of(d=2, t=4)


def _matmul() -> ShardingRule:
    """[i, k] x [k, j] -> [i, j]"""
    builder = RuleBuilder([2, 2], [2])
    builder.factor(8, {0: 0}, {0: 0})
    builder.factor(6, {1: 1}, {0: 1})
    builder.factor(12, {0: 1, 1: 0}, kind=FactorKind.REDUCTION, reduction=Reduction.SUM)
    return builder.passes(0).passes(1).build()


def _claim(rule: ShardingRule, operand: int, text: str) -> Claim:
    return Claim(rule.operands[operand], parse_sharding(text, MESH))


def _operands(rule: ShardingRule, *texts: str) -> tuple[str, ...]:
    claims = [_claim(rule, i, t) for i, t in enumerate(texts)]
    found = assign(rule, MESH, claims)
    shapes = [(8, 12), (12, 6)]
    return (*(str(found.operand(i, s)) for i, s in enumerate(shapes)), str(found.result(0, (8, 6))))


def test_batch_and_columns_on_different_axes() -> None:
    assert _operands(_matmul(), "[S(d), R]", "[R, S(t)]") == (
        "[S(d), R]",
        "[R, S(t)]",
        "[S(d), S(t)]",
    )


def test_contraction_leaves_a_partial_sum() -> None:
    found = _operands(_matmul(), "[R, S(t)]", "[S(t), R]")
    assert found == ("[R, S(t)]", "[S(t), R]", "[R, R] P(sum: t)")


def test_the_first_claim_on_an_axis_wins() -> None:
    assert _operands(_matmul(), "[S(d), R]", "[R, S(d)]") == ("[S(d), R]", "[R, R]", "[S(d), R]")


def test_a_claim_gets_the_free_prefix_of_its_axes() -> None:
    assert _operands(_matmul(), "[S(d), R]", "[R, S(t,d)]")[1] == "[R, S(t)]"


def test_claims_extend_each_other() -> None:
    assert _operands(_matmul(), "[R, S(t)]", "[S(t,d), R]")[0] == "[R, S(t,d)]"


def test_claims_with_other_blocks_do_not_mix() -> None:
    rule = _matmul()
    found = assign(rule, MESH, [_claim(rule, 0, "[R, S(t)/2]"), _claim(rule, 1, "[S(t)/3, R]")])
    assert found.factors[2].block == 2


def test_a_factor_that_needs_replication_is_never_cut() -> None:
    builder = RuleBuilder([1], [1])
    builder.factor(8, {0: 0}, {0: 0}, kind=FactorKind.REPLICATE)
    rule = builder.build()
    assert assign(
        rule, MESH, [Claim(rule.operands[0], parse_sharding("[S(t)]", MESH))]
    ).factors == (UNCUT,)


def test_open_factors_are_reported_unless_a_weight_alone_asks() -> None:
    builder = RuleBuilder([2, 1], [2])
    builder.factor(8, {0: 0}, {0: 0})
    norm = builder.factor(6, {0: 1, 1: 0}, {0: 1}, kind=FactorKind.OPEN)
    rule = builder.build()
    data = Claim(rule.operands[0], parse_sharding("[R, S(t)]", MESH))
    weight = Claim(rule.operands[1], parse_sharding("[S(t)]", MESH))
    assert assign(rule, MESH, [data]).refused == {norm}
    assert assign(rule, MESH, [], [weight], frozenset({norm})).refused == frozenset()


def test_a_minor_factor_that_cannot_be_written_is_refused() -> None:
    builder = RuleBuilder([2], [1])
    builder.factor(4, {0: 0}, {0: 0})
    builder.factor(6, {0: 1}, {0: 0})
    rule = builder.build()
    merged = assign(rule, MESH, [Claim(rule.operands[0], parse_sharding("[R, S(d)]", MESH))])
    assert merged.factors == (UNCUT, UNCUT)
    below = assign(rule, MESH, [Claim(rule.operands[0], parse_sharding("[S(t), S(d)]", MESH))])
    assert str(below.result(0, (24,))) == "[S(t,d)]"


def test_partial_values_pass_linear_ops() -> None:
    rule = _matmul()
    shardings = [parse_sharding("[R, R] P(sum: t)", MESH), parse_sharding("[R, R]", MESH)]
    base = assign(rule, MESH, [])
    passed = pass_partial(base, shardings, [True, True])
    assert passed.through == {0}
    assert str(passed.result(0, (8, 6))) == "[R, R] P(sum: t)"
    assert pass_partial(base, shardings, [False, True]).partial == ()


def test_two_partial_factors_of_a_product_do_not_pass() -> None:
    rule = _matmul()
    both = [parse_sharding("[R, R] P(sum: t)", MESH)] * 2
    assert pass_partial(assign(rule, MESH, []), both, [True, True]).partial == ()


def test_other_kinds_do_not_pass_a_linear_op() -> None:
    rule = _matmul()
    shardings = [parse_sharding("[R, R] P(max: t)", MESH), parse_sharding("[R, R]", MESH)]
    assert Reduction.MAX not in LINEAR
    assert pass_partial(assign(rule, MESH, []), shardings, [True, True]).partial == ()


def test_a_partial_axis_that_cuts_a_factor_is_finished_first() -> None:
    rule = _matmul()
    base = assign(rule, MESH, [_claim(rule, 1, "[R, S(t)]")])
    shardings = [parse_sharding("[R, R] P(sum: t)", MESH), parse_sharding("[R, S(t)]", MESH)]
    assert pass_partial(base, shardings, [True, True]).partial == ()
    assert base.factors[0] == UNCUT and base.factors[1].axes == (AxisRef("t"),)
