"""Builders: what they make verifies, says what NumPy says, and collectives run on two ranks."""

import numpy as np
import pytest
from oracle.interpreter import evaluate, evaluate_parallel
from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.context import make_context
from distc.dialect.numbers import integer_range, neutral
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import DotDims, GatherDims, ScatterDims

PAIR = ((0, 1),)
X = np.arange(8, dtype=np.float32).reshape(4, 2)
ROWS = np.array([[0], [2], [1]])


class Function:
    """@main(%x: 4x2 f32, %rows: 3x1 i64) that returns what `body(x, rows)` builds."""

    def __init__(self, body):
        self.context = make_context()
        text = "func.func @main(%x: tensor<4x2xf32>, %i: tensor<3x1xi64>) { return }"
        self.module = ir.Module.parse(text, self.context)
        self.func = stablehlo.functions(self.module)[0]
        block = self.func.regions[0].blocks[0]
        end = block.operations[0].operation
        place = ir.Location.name("a.b", context=self.context)
        with place, ir.InsertionPoint(end):
            self.values = body(*block.arguments)
            ir.Operation.create("func.return", operands=self.values)
            end.erase()
            types = [a.type for a in block.arguments], [v.type for v in self.values]
            self.func.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
        self.module.operation.verify()

    def run(self):
        return evaluate(str(self.module), [X, ROWS])

    def run_on_two(self):
        return evaluate_parallel(str(self.module), [[X, ROWS], [X + 10, ROWS]])


def scalar(value, like):
    return build.splat(value, (), stablehlo.element_type(like))


MOVES = {
    "reshape": (lambda x, i: build.reshape(x, (2, 4)), X.reshape(2, 4)),
    "same shape": (lambda x, i: build.reshape(x, (4, 2)), X),
    "transpose": (lambda x, i: build.transpose(x, (1, 0)), X.T),
    "broadcast": (
        lambda x, i: build.broadcast_in_dim(x, (3, 4, 2), (1, 2)),
        np.broadcast_to(X, (3, 4, 2)),
    ),
    "slice": (lambda x, i: build.slice_(x, (0, 1), (4, 2), (2, 1)), X[0:4:2, 1:2]),
    "pad": (
        lambda x, i: build.pad(x, scalar(9, x), (1, -1), (0, 1), (1, 0)),
        np.array([[9, 9], [1, 9], [9, 9], [3, 9], [9, 9], [5, 9], [9, 9], [7, 9]]),
    ),
    "concatenate": (lambda x, i: build.concatenate([x, x], 1), np.concatenate([X, X], 1)),
    "gather": (
        lambda x, i: build.gather(x, i, GatherDims((1,), (0,), (), (), (0,), 1), (1, 2)),
        X[[0, 2, 1]],
    ),
    "dynamic slice": (
        lambda x, i: build.dynamic_slice(x, [scalar(2, i), scalar(5, i)], (2, 1)),
        X[2:4, 1:2],
    ),
    "dynamic update": (
        lambda x, i: build.dynamic_update_slice(
            x, build.splat(7, (1, 2), stablehlo.element_type(x)), [scalar(3, i), scalar(0, i)]
        ),
        np.concatenate([X[:3], [[7, 7]]]),
    ),
}
SCATTER = ScatterDims((1,), (0,), (), (), (0,), 1)


def updates(x):
    return build.splat(1, (3, 2), stablehlo.element_type(x))


COMPUTES = {
    "sum": (lambda x, i: build.reduce(x, (1,), Reduction.SUM), X.sum(1)),
    "greatest": (lambda x, i: build.reduce(x, (0, 1), Reduction.MAX), X.max()),
    "least from a start": (
        lambda x, i: build.reduce(x, (0,), Reduction.MIN, scalar(-1, x)),
        np.array([-1, -1]),
    ),
    "dot": (
        lambda x, i: build.dot_general(x, x, DotDims((), (), (0,), (0,))),
        np.einsum("ki,kj->ij", X, X),
    ),
    "batched dot": (
        lambda x, i: build.dot_general(x, x, DotDims((0,), (0,), (1,), (1,))),
        np.einsum("bk,bk->b", X, X),
    ),
    "scatter sum": (
        lambda x, i: build.scatter(x, i, updates(x), SCATTER, Reduction.SUM),
        X + np.array([[1], [1], [1], [0]]),
    ),
    "scatter overwrite": (
        lambda x, i: build.scatter(x, i, updates(x), SCATTER, None),
        np.concatenate([np.ones((3, 2)), X[3:]]),
    ),
    "compare and select": (
        lambda x, i: build.select(build.compare(x, scalar_like(3, x), "GT"), x, scalar_like(0, x)),
        np.where(X > 3, X, 0),
    ),
    "clamp": (lambda x, i: build.clamp(scalar(1, x), x, scalar(5, x)), X.clip(1, 5)),
    "unary and binary": (
        lambda x, i: build.binary("subtract", build.unary("negate", x), x),
        -2 * X,
    ),
    "iota": (
        lambda x, i: build.iota(1, (2, 3), stablehlo.element_type(i)),
        np.broadcast_to(np.arange(3), (2, 3)),
    ),
    "constant": (
        lambda x, i: build.constant(np.arange(6).reshape(2, 3), stablehlo.element_type(x)),
        np.arange(6).reshape(2, 3),
    ),
    "convert": (
        lambda x, i: build.convert(
            build.convert(x, ir.BF16Type.get(x.context)), stablehlo.element_type(x)
        ),
        X,
    ),
}


def scalar_like(value, x):
    return build.splat(value, stablehlo.shape(x), stablehlo.element_type(x))


@pytest.mark.parametrize("case", [*MOVES, *COMPUTES])
def test_says_what_numpy_says(case):
    body, expected = {**MOVES, **COMPUTES}[case]
    (found,) = Function(lambda x, i: [body(x, i)]).run()
    np.testing.assert_array_equal(found, expected)


Y = X + 10
COLLECTIVES = {
    "sum": (lambda x: build.all_reduce(x, Reduction.SUM, PAIR, 1), X + Y, X + Y),
    "greatest": (lambda x: build.all_reduce(x, Reduction.MAX, PAIR, 1), Y, Y),
    "least": (lambda x: build.all_reduce(x, Reduction.MIN, PAIR, 1), X, X),
    "product": (lambda x: build.all_reduce(x, Reduction.PROD, PAIR, 1), X * Y, X * Y),
    "gather": (lambda x: build.all_gather(x, 1, PAIR, 1), *[np.concatenate([X, Y], 1)] * 2),
    "gather in another order": (
        lambda x: build.all_gather(x, 0, ((1, 0),), 1),
        *[np.concatenate([Y, X])] * 2,
    ),
    "scatter": (
        lambda x: build.reduce_scatter(x, Reduction.SUM, 0, PAIR, 1),
        (X + Y)[:2],
        (X + Y)[2:],
    ),
    "all to all": (
        lambda x: build.all_to_all(x, 0, 1, PAIR, 1),
        np.concatenate([X[:2], Y[:2]], 1),
        np.concatenate([X[2:], Y[2:]], 1),
    ),
    "exchange": (lambda x: build.collective_permute(x, ((0, 1), (1, 0)), 1), Y, X),
    "send to one": (lambda x: build.collective_permute(x, ((0, 1),), 1), 0 * X, X),
    "groups of one": (lambda x: build.all_gather(x, 1, ((0,), (1,)), 1), X, Y),
    "who am I": (
        lambda x: build.partition_id(x.context),
        np.array(0, np.uint32),
        np.array(1, np.uint32),
    ),
}


@pytest.mark.parametrize("case", COLLECTIVES)
def test_collectives_run_on_two_ranks(case):
    body, *expected = COLLECTIVES[case]
    found = Function(lambda x, i: [body(x)]).run_on_two()
    for rank in (0, 1):
        np.testing.assert_array_equal(found[rank][0], expected[rank])


def test_many_collectives_in_a_row_meet_on_their_own_channels():
    def body(x, i):
        for channel in range(1, 9):
            x = build.all_reduce(x, Reduction.MAX, PAIR, channel)
            x = build.binary("add", x, x)
        return [x]

    for (found,) in Function(body).run_on_two():
        np.testing.assert_array_equal(found, Y * 2**8)


def test_neutral_elements_change_nothing():
    """For every kind and type: combining with the neutral element gives the value back."""
    context = make_context()
    signless = [ir.IntegerType.get_signless(w, context) for w in (1, 8, 32, 64)]
    unsigned = [ir.IntegerType.get_unsigned(w, context) for w in (8, 32)]
    floats = [ir.F32Type.get(context), ir.BF16Type.get(context)]
    logical = (Reduction.AND, Reduction.OR)
    for element in signless + unsigned + floats:
        for kind in Reduction:
            if kind in logical and element in floats:
                continue
            value = neutral(kind, element)
            assert build.number_attribute(value, element).type == element
            if isinstance(element, ir.IntegerType):
                assert _combine(kind, 1, value, element) == 1
                assert _combine(kind, 0, value, element) == 0


def _combine(kind, value, neutral, element):
    match kind:
        case Reduction.SUM:
            return value + neutral
        case Reduction.PROD:
            return value * neutral
        case Reduction.MAX:
            return max(value, neutral)
        case Reduction.MIN:
            return min(value, neutral)
        case Reduction.AND:
            return value & neutral
        case Reduction.OR:
            return value | neutral
    raise AssertionError(f"{kind} is no reduction of {element}")


def test_integers_wrap_into_their_type():
    context = make_context()
    byte = ir.IntegerType.get_signless(8, context)
    unsigned = ir.IntegerType.get_unsigned(8, context)
    assert ir.IntegerAttr(build.number_attribute(130, byte)).value == -126
    assert ir.IntegerAttr(build.number_attribute(-1, unsigned)).value == 255
    assert integer_range(byte) == (-128, 127)
    assert integer_range(unsigned) == (0, 255)


def test_constants_reach_the_ends_of_64_unsigned_bits_and_complex_types():
    def body(x, i):
        wide = ir.IntegerType.get_unsigned(64, x.context)
        pair = ir.ComplexType.get(ir.F32Type.get(x.context))
        return [build.splat(2**64 - 1, (2,), wide), build.splat(3, (2,), pair)]

    text = str(Function(body).module)
    assert "dense<18446744073709551615> : tensor<2xui64>" in text
    assert "dense<(3.000000e+00,0.000000e+00)> : tensor<2xcomplex<f32>>" in text


def test_results_have_the_given_location_and_a_clone_keeps_its_own():
    kept = {}

    def body(x, i):
        elsewhere = ir.Location.name("elsewhere", context=x.context)
        total = build.all_reduce(x, Reduction.SUM, PAIR, 1, loc=elsewhere)
        wide = build.all_gather(x, 1, PAIR, 2)
        op = stablehlo.defining_op(total)
        channel = {"channel_handle": stablehlo.defining_op(wide).attributes["channel_handle"]}
        near = build.clone(op, [wide], [wide.type], channel)
        moved = build.clone(op, [wide], [wide.type], channel, loc=ir.Location.current)
        kept.update(total=op, near=near, moved=moved)
        return [total, near.result, moved.result]

    made = Function(body)  # the ops live as long as their module
    assert made.values
    assert "elsewhere" in str(kept["total"].location)
    assert "elsewhere" in str(kept["near"].location)
    assert "a.b" in str(kept["moved"].location)
    for copy in (kept["near"], kept["moved"]):
        assert stablehlo.shape(copy.result) == (4, 4)
        assert stablehlo.reducer(copy) is Reduction.SUM
        assert stablehlo.channel_id(copy) == 2
        assert stablehlo.replica_groups(copy) == PAIR
