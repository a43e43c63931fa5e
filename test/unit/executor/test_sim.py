# ruff: noqa: E501 - MLIR is easier to read unbroken
"""`sim` runs all ranks as the reference interpreter's `run_parallel` does, and says what is wrong."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import torch
from oracle import interpreter
from oracle.compare import assert_same

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.errors import DistcError, InputError
from distc.runtime.program import Call, Program, Ref, ValueType
from distc.transforms.lower import lower

GROUPS = (
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>"
)
GLOBAL = f"{GROUPS}, use_global_device_ids"


def reducer(op: str, dtype: str) -> str:
    return f"""({{ ^bb0(%x: tensor<{dtype}>, %y: tensor<{dtype}>):
      %s = stablehlo.{op} %x, %y : tensor<{dtype}>
      stablehlo.return %s : tensor<{dtype}> }})"""


COLLECTIVES = {
    "sum": ("f32", "4x2", f'"stablehlo.all_reduce"(%a) <{{{GLOBAL}}}> {reducer("add", "f32")}'),
    "maximum": ("f32", "4x2", f'"stablehlo.all_reduce"(%a) <{{{GLOBAL}}}> {reducer("maximum", "f32")}'),
    "product": ("i32", "4x2", f'"stablehlo.all_reduce"(%a) <{{{GLOBAL}}}> {reducer("multiply", "i32")}'),
    "and": ("i1", "4x2", f'"stablehlo.all_reduce"(%a) <{{{GLOBAL}}}> {reducer("and", "i1")}'),
    "minimum of unsigned": (
        "ui32", "4x2", f'"stablehlo.all_reduce"(%a) <{{{GLOBAL}}}> {reducer("minimum", "ui32")}'
    ),
    "any region": ("i32", "4x2", f'"stablehlo.all_reduce"(%a) <{{{GLOBAL}}}> {reducer("xor", "i32")}'),
    "gather": ("i32", "4x4", f'"stablehlo.all_gather"(%a) <{{{GLOBAL}, all_gather_dim = 1 : i64}}>'),
    "reduce scatter": (
        "i32", "2x2",
        f'"stablehlo.reduce_scatter"(%a) <{{{GLOBAL}, scatter_dimension = 0 : i64}}> '
        f'{reducer("add", "i32")}',
    ),
    "all to all": (
        "i32", "2x4",
        f'"stablehlo.all_to_all"(%a) <{{{GROUPS}, split_dimension = 0 : i64, '
        "concat_dimension = 1 : i64, split_count = 2 : i64}>",
    ),
    "permute": (
        "i32", "4x2",
        '"stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, '
        "type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>",
    ),
    "broadcast": ("i32", "4x2", f'"stablehlo.collective_broadcast"(%a) <{{{GROUPS}}}>'),
}  # fmt: skip


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_equal_the_interpreter(name: str) -> None:
    dtype, shape, op = COLLECTIVES[name]
    text = f"""func.func @main(%a: tensor<4x2x{dtype}>) -> tensor<{shape}x{dtype}> {{
      %r = {op} : (tensor<4x2x{dtype}>) -> tensor<{shape}x{dtype}>
      return %r : tensor<{shape}x{dtype}> }}"""
    kind = {"f32": np.float32, "i32": np.int32, "i1": np.bool_, "ui32": np.uint32}[dtype]
    generator = np.random.default_rng(1)
    inputs = [[generator.integers(0, 2**32, (4, 2)).astype(kind)] for _ in range(2)]
    if dtype == "f32":
        inputs[0][0][0, 0] = np.nan
    expected = interpreter.evaluate_parallel(text, inputs)
    program = lower(parse_module(text, make_context()))
    found = sim.run(program, [[torch.from_numpy(x) for x in rank] for rank in inputs])
    for actual, wanted in zip(found, expected, strict=True):
        assert_same(actual, wanted)


def test_partition_ids_equal_the_interpreter() -> None:
    text = """func.func @main(%a: tensor<6xi32>) -> tensor<2xi32> {
      %p = stablehlo.partition_id : tensor<ui32>
      %i = stablehlo.convert %p : (tensor<ui32>) -> tensor<i64>
      %k = stablehlo.constant dense<3> : tensor<i64>
      %s = stablehlo.multiply %i, %k : tensor<i64>
      %r = stablehlo.dynamic_slice %a, %s, sizes = [2] : (tensor<6xi32>, tensor<i64>) -> tensor<2xi32>
      return %r : tensor<2xi32> }"""
    values = np.arange(6, dtype=np.int32)
    expected = interpreter.evaluate_parallel(text, [[values], [values]])
    program = lower(parse_module(text, make_context()))
    found = sim.run(program, [[torch.from_numpy(values)]] * 2)
    for actual, wanted in zip(found, expected, strict=True):
        assert_same(actual, wanted)


WHILE = """func.func @main(%a: tensor<i32>, %limit: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%x = %a) : tensor<i32>
    cond {
      %p = stablehlo.compare LT, %x, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %y = "stablehlo.all_reduce"(%x) <{REPLACED}> ({ ^bb0(%u: tensor<i32>, %v: tensor<i32>):
        %s = stablehlo.add %u, %v : tensor<i32>
        stablehlo.return %s : tensor<i32> }) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %y : tensor<i32>
    }
  return %r : tensor<i32> }""".replace("REPLACED", GLOBAL)


def test_a_loop_with_a_collective_runs_in_lockstep() -> None:
    program = lower(parse_module(WHILE, make_context()))
    ranks = [[torch.tensor(v, dtype=torch.int32) for v in (value, 40)] for value in (1, 2)]
    assert [int(o[0]) for o in sim.run(program, ranks)] == [48, 48]


def test_ranks_that_part_at_a_collective_are_an_error() -> None:
    program = lower(parse_module(WHILE, make_context()))
    ranks = [[torch.tensor(v, dtype=torch.int32) for v in (1, limit)] for limit in (0, 40)]
    with pytest.raises(DistcError, match=r"different ways at control\.while"):
        sim.run(program, ranks)


F32 = ValueType((2,), "f32")


def chain(op: str, args: list[object], count: int = 1, loc: str = "model.py:3:1") -> Program:
    """A program of `count` calls on one input of two floats."""
    calls = [
        Call(op, (Ref(i), *args), {}, (i + 1,), (F32,), loc)  # type: ignore[arg-type]
        for i in range(count)
    ]
    return Program((F32,), tuple(calls), (count,))


def test_a_failing_call_names_operator_and_place() -> None:
    with pytest.raises(DistcError, match=r"aten.reshape.default failed.*at model.py:3:1"):
        try:
            sim.run_single(chain("aten.reshape.default", [[5]]), [torch.ones(2)])
        except DistcError as error:
            raise DistcError(str(error), help="") from None


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([], "takes 1 inputs, 0 were given"),
        ([torch.ones(3)], r"input 0 is \[3\] torch.float32 on rank 0, the program takes \[2\] f32"),
        ([torch.ones(2, dtype=torch.float64)], "torch.float64 on rank 0, the program takes"),
    ],
)
def test_inputs_are_checked(inputs: list[torch.Tensor], words: str) -> None:
    with pytest.raises(InputError, match=words):
        sim.run_single(chain("aten.neg.default", []), inputs)


def test_a_group_beyond_the_ranks_is_an_error() -> None:
    call = Call(
        "collective.all_reduce", (Ref(0),), {"kind": "sum", "groups": [[0, 1]]}, (1,), (F32,)
    )
    program = Program((F32,), (call,), (1,))
    with pytest.raises(InputError, match="1 ranks run"):
        sim.run(program, [[torch.ones(2)]])


def test_values_are_dropped_after_their_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[torch.Tensor]] = []
    most = 0

    def watched(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        nonlocal most
        gc.collect()
        most = max(most, sum(r() is not None for r in alive))
        out = x + y
        alive.append(weakref.ref(out))
        return out

    monkeypatch.setitem(sim.__dict__, "bind", _binder(watched))
    result = sim.run_single(chain("aten.add.Tensor", [Ref(0)], count=10), [torch.ones(2)])
    assert result[0].tolist() == [11.0, 11.0]
    assert most <= 1


def _binder(target: object) -> object:
    from distc.runtime.calls import Bound, bind

    def bound(*args: object) -> Bound:
        found = bind(*args)  # type: ignore[arg-type]
        return Bound(target, found.args, found.kwargs)  # type: ignore[arg-type]

    return bound
