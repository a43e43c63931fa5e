"""Donation: state keeps its address, nothing reads it too late, new values go at once."""

from __future__ import annotations

import weakref
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from lowering_cases import CASES, Case
from oracle.compare import assert_same
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from distc.dialect.context import make_context, parse_module
from distc.runtime import executor, sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.kernels.indexing import scatter, scatter_set_
from distc.runtime.program import Call, Program, Ref, ValueType
from distc.transforms.lower import lower

SIZE = 64
SQUARE = ValueType((SIZE, SIZE), "f32")
BYTES = SIZE * SIZE * 4


class Peak(TorchDispatchMode):
    """Counts the bytes of all storages that are alive and were made inside."""

    def __init__(self, inputs: list[Tensor]) -> None:
        super().__init__()
        self.now = self.most = 0
        self.held = [x.untyped_storage() for x in inputs]
        self.seen = {storage._cdata for storage in self.held}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else [result]:
            if isinstance(tensor, Tensor):
                self._count(tensor.untyped_storage())
        return result

    def _count(self, storage: torch.UntypedStorage) -> None:
        key = storage._cdata
        if key in self.seen:
            return
        self.seen.add(key)
        bytes_ = storage.nbytes()
        self.now += bytes_
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self._free, key, bytes_)

    def _free(self, key: int, bytes_: int) -> None:
        self.seen.discard(key)
        self.now -= bytes_


def call(op: str, args: tuple[Any, ...], out: int, kind: ValueType = SQUARE, **kwargs: Any) -> Call:
    return Call(op, args, kwargs, (out,), (kind,), f"m.py:{out}")


def chain(count: int) -> Program:
    """Return `count` steps w' = w - w @ x * 0.5, each new value an output of its own."""
    calls: list[Call] = []
    at = count + 1
    outputs = []
    for index in range(count):
        calls.append(call("aten.mm.default", (Ref(index), Ref(count)), at))
        calls.append(call("aten.mul.Scalar", (Ref(at), 0.5), at + 1))
        calls.append(call("aten.sub.Tensor", (Ref(index), Ref(at + 1)), at + 2))
        outputs.append(at + 2)
        at += 3
    return Program((SQUARE,) * (count + 1), tuple(calls), tuple(outputs))


def check(
    program: Program, donated: dict[int, int], inputs: list[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """Run with and without donation; return the results and the inputs afterwards."""
    wanted = sim.run_single(program, [x.clone() for x in inputs])
    wanted = [w.clone() for w in wanted]
    module = executor.build(program, rank=0, collectives=None, donated=donated)
    held = [x.clone() for x in inputs]
    places = [x.data_ptr() for x in held]
    found = executor.run(module, program, held)
    assert [x.data_ptr() for x in held] == places
    for result, argument in donated.items():
        assert torch.equal(held[argument], wanted[result]), (result, module.code)
    for index, (got, want) in enumerate(zip(found, wanted, strict=True)):
        assert torch.equal(got, want), (index, module.code)
        if index not in donated:
            shared = {h.untyped_storage().data_ptr() for h in held}
            own = [held[i].untyped_storage().data_ptr() for i in donated.values()]
            assert got.untyped_storage().data_ptr() not in own, (shared, module.code)
    return found, held


def test_each_new_value_is_dropped_before_the_next_is_made() -> None:
    program, count = chain(6), 6
    inputs = [torch.randn(SIZE, SIZE) for _ in range(count + 1)]
    peaks = []
    for donated in ({}, {i: i for i in range(count)}):
        module = executor.build(program, rank=0, collectives=None, donated=donated)
        with Peak(inputs) as peak:
            executor.run(module, program, inputs)
        peaks.append(peak.most)
    assert peaks[0] >= count * BYTES
    assert peaks[1] == 2 * BYTES
    check(program, {i: i for i in range(count)}, inputs)


def test_states_may_swap_and_be_views_of_each_other() -> None:
    swap = Program((SQUARE, SQUARE), (), (1, 0))
    check(swap, {0: 0, 1: 1}, [torch.randn(SIZE, SIZE), torch.randn(SIZE, SIZE)])
    turned = Program((SQUARE,), (call("aten.permute.default", (Ref(0), [1, 0]), 1),), (1, 0, 1))
    check(turned, {0: 0}, [torch.randn(SIZE, SIZE)])


def test_old_and_new_value_may_be_returned_too() -> None:
    program = Program((SQUARE,), (call("aten.neg.default", (Ref(0),), 1),), (1, 0, 1))
    check(program, {0: 0}, [torch.randn(SIZE, SIZE)])


def test_a_state_that_stays_as_it_is() -> None:
    check(Program((SQUARE,), (), (0, 0)), {0: 0}, [torch.randn(SIZE, SIZE)])


def test_the_old_value_is_read_through_a_view_to_the_end() -> None:
    calls = (
        call("aten.permute.default", (Ref(0), [1, 0]), 2),
        call("aten.add.Tensor", (Ref(0), Ref(1)), 3),
        call("aten.mm.default", (Ref(2), Ref(3)), 4),
        call("aten.mm.default", (Ref(4), Ref(3)), 5),
    )
    program = Program((SQUARE, SQUARE), calls, (3, 5))
    check(program, {0: 0}, [torch.randn(SIZE, SIZE), torch.randn(SIZE, SIZE)])


ROW = ValueType((1, SIZE), "f32")
SCALAR = ValueType((), "i64")


def update(args: tuple[Any, ...], out: int) -> Call:
    return call("distc.dynamic_update_slice", args, out)


def test_a_cache_is_written_at_its_slice_alone() -> None:
    calls = (
        update((Ref(0), Ref(1), [Ref(2), Ref(3)]), 4),
        call("aten.mm.default", (Ref(4), Ref(4)), 5),
    )
    program = Program((SQUARE, ROW, SCALAR, SCALAR), calls, (4, 5))
    inputs = [torch.randn(SIZE, SIZE), torch.randn(1, SIZE), torch.tensor(5), torch.tensor(0)]
    check(program, {0: 0}, inputs)
    module = executor.build(program, rank=0, collectives=None, donated={0: 0})
    with Peak(inputs) as peak:
        executor.run(module, program, inputs)
    assert peak.most == BYTES  # the product alone


def test_a_cache_whose_old_value_is_read_later_is_not_written_in_place() -> None:
    calls = (
        update((Ref(0), Ref(1), [Ref(2), Ref(3)]), 4),
        call("aten.add.Tensor", (Ref(0), Ref(4)), 5),
    )
    program = Program((SQUARE, ROW, SCALAR, SCALAR), calls, (4, 5))
    check(
        program,
        {0: 0},
        [torch.randn(SIZE, SIZE), torch.randn(1, SIZE), torch.tensor(5), torch.tensor(0)],
    )


SCATTER = {
    "update_window_dims": [1], "inserted_window_dims": [0], "input_batching_dims": [],
    "scatter_indices_batching_dims": [], "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1, "unique": False, "kinds": ["set"],
}  # fmt: skip
ROWS, NUMBERS = ValueType((4, SIZE), "f32"), ValueType((4, 1), "i64")


def test_scattered_elements_are_written_alone() -> None:
    """Twice the same row, and one that falls outside."""
    calls = (
        Call("distc.scatter", ([Ref(0)], Ref(1), [Ref(2)]), dict(SCATTER), (3,), (SQUARE,), ""),
        call("aten.permute.default", (Ref(3), [1, 0]), 4),
        call("aten.mm.default", (Ref(4), Ref(3)), 5),
    )
    program = Program((SQUARE, NUMBERS, ROWS), calls, (3, 5, 4))
    inputs = [torch.randn(SIZE, SIZE), torch.tensor([[2], [5], [2], [SIZE]]), torch.randn(4, SIZE)]
    check(program, {0: 0}, inputs)
    program = Program(program.inputs, calls, (3, 5))
    module = executor.build(program, rank=0, collectives=None, donated={0: 0})
    with Peak(inputs) as peak:
        executor.run(module, program, inputs)
    assert BYTES <= peak.most < 2 * BYTES  # the product, and rows


def _part_updates() -> list[Case]:
    """Cases that replace a part of their first input, in every generality of the operators."""
    found = []
    for case in CASES:
        if case.op not in ("scatter", "dynamic_update_slice"):
            continue
        program = lower(parse_module(case.text, make_context()))
        if program.calls and program.outputs and output_type(program) == program.inputs[0]:
            found.append(case)
    return found


def output_type(program: Program) -> ValueType:
    """Return the type of the first result."""
    types = [*program.inputs, *(t for c in program.calls for t in c.types)]
    return types[program.outputs[0]]


@pytest.mark.parametrize("case", _part_updates(), ids=lambda c: c.name)
def test_part_updates_in_place_equal_those_in_new_memory(case: Case) -> None:
    program = lower(parse_module(case.text, make_context()))
    inputs = [
        torch.from_numpy(x.copy()).to(BOUNDARY[t.dtype])
        for x, t in zip(case.inputs(), program.inputs, strict=True)
    ]
    wanted = sim.run_single(program, [x.clone() for x in inputs])
    module = executor.build(program, rank=0, collectives=None, donated={0: 0})
    found = executor.run(module, program, inputs)
    assert_same([inputs[0], *found[1:]], wanted)


@st.composite
def scatters(draw: st.DrawFn) -> tuple[Tensor, Tensor, Tensor, dict[str, Any]]:
    """An operand, indices that collide and fall outside, updates, and dimension numbers."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    dims = range(len(shape))
    indexed = draw(st.lists(st.sampled_from(dims), unique=True, max_size=len(shape)))
    inserted = sorted(d for d in dims if draw(st.booleans()))
    windows = [draw(st.integers(1, shape[d])) for d in dims if d not in inserted]
    batch = draw(st.lists(st.integers(1, 3), max_size=2))
    at = draw(st.integers(0, len(batch)))
    index_shape = [*batch[:at], len(indexed), *batch[at:]]
    rank = len(batch) + len(windows)
    window_dims = sorted(draw(st.permutations(range(rank)))[: len(windows)])
    left, right = iter(windows), iter(batch)
    update_shape = [next(left) if d in window_dims else next(right) for d in range(rank)]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1 << 20)))
    numbers: dict[str, Any] = {
        "update_window_dims": window_dims, "inserted_window_dims": inserted,
        "input_batching_dims": [], "scatter_indices_batching_dims": [],
        "scatter_dims_to_operand_dims": indexed, "index_vector_dim": at,
    }  # fmt: skip
    return (
        torch.randn(shape, generator=generator),
        torch.randint(-1, 4, index_shape, generator=generator),
        torch.randn(update_shape, generator=generator),
        numbers,
    )


@settings(max_examples=300, deadline=None, derandomize=True)
@given(scatters())
def test_scattering_in_place_equals_scattering_into_new_memory(case: Any) -> None:
    operand, indices, update, numbers = case
    (wanted,) = scatter([operand], indices, [update], unique=False, kinds=["set"], **numbers)
    found = scatter_set_(operand, indices, update, **numbers)
    assert found is operand and torch.equal(found, wanted)


# One row of the operand, numbered by a scalar, becomes the first row of the update's window.
WHOLE_ROWS: dict[str, Any] = {
    **SCATTER, "update_window_dims": [0, 1], "inserted_window_dims": [], "index_vector_dim": 0,
    "scatter_dims_to_operand_dims": [],
}  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> tuple[Program, dict[int, int]]:
    """Programs of views and arithmetic on three squares, two of them state."""
    calls: list[Call] = []
    for out in range(4, 4 + draw(st.integers(1, 8))):
        some = st.sampled_from([0, 1, 2, *range(4, out)]).map(Ref)
        kind = draw(
            st.sampled_from(["add", "mm", "permute", "reshape", "update", "scatter", "clamp"])
        )
        match kind:
            case "add":
                made = call("aten.add.Tensor", (draw(some), draw(some)), out)
            case "mm":
                made = call("aten.mm.default", (draw(some), draw(some)), out)
            case "permute":
                made = call("aten.permute.default", (draw(some), [1, 0]), out)
            case "reshape":
                made = call("aten.reshape.default", (draw(some), [SIZE, SIZE]), out)
            case "update":
                made = update((draw(some), draw(some), [Ref(3), Ref(3)]), out)
            case "scatter":
                args = ([draw(some)], Ref(3), [draw(some)])
                made = call("distc.scatter", args, out, **WHOLE_ROWS)
            case _:
                made = call("aten.clamp_min.default", (draw(some), -1.0), out)
        calls.append(made)
    last = 3 + len(calls)
    results = draw(
        st.lists(st.sampled_from([0, 1, 2, *range(4, last + 1)]), min_size=2, max_size=4)
    )
    return Program((*(SQUARE,) * 3, SCALAR), tuple(calls), tuple(results)), {0: 0, 1: 1}


@settings(max_examples=250, deadline=None, derandomize=True)
@given(programs())
def test_random_programs(case: tuple[Program, dict[int, int]]) -> None:
    program, donated = case
    generator = torch.Generator().manual_seed(0)
    inputs = [torch.randint(-1, 2, (SIZE, SIZE), generator=generator).float() for _ in range(3)]
    inputs.append(torch.tensor(0))
    wanted = sim.run_single(program, [x.clone() for x in inputs])
    if all(w.isfinite().all() for w in wanted):
        check(program, donated, inputs)


@pytest.mark.parametrize("kind", ["ui32", "i1", "c64", "bf16"])
def test_every_kind_of_element(kind: str) -> None:
    type_ = ValueType((3,), kind)
    program = Program((type_, type_), (), (1,))
    first = {
        "ui32": torch.tensor([1, 2, 3], dtype=torch.uint32),
        "i1": torch.tensor([True, False, True]),
        "c64": torch.tensor([1 + 2j, 0, 3]),
        "bf16": torch.tensor([1, 2, 3], dtype=torch.bfloat16),
    }[kind]
    second = first.clone().flip(0) if kind != "ui32" else torch.tensor([9, 8, 7]).to(torch.uint32)
    module = executor.build(program, rank=0, collectives=None, donated={0: 0})
    executor.run(module, program, [first, second])
    assert torch.equal(first, second)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_torch_compile_writes_the_state_too(backend: str) -> None:
    program, count = chain(2), 2
    inputs = [torch.randn(SIZE, SIZE) for _ in range(count + 1)]
    wanted = sim.run_single(program, [x.clone() for x in inputs])
    module = executor.build(program, rank=0, collectives=None, donated={0: 0, 1: 1})
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, dynamic=False, backend=backend)
    places = [x.data_ptr() for x in inputs]
    executor.run(compiled, program, inputs)  # type: ignore[arg-type]
    assert places == [x.data_ptr() for x in inputs]
    for held, want in zip(inputs, wanted, strict=False):
        torch.testing.assert_close(held, want)
