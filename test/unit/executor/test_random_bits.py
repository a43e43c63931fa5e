"""ThreeFry against published vectors and its own counting."""

from __future__ import annotations

import pytest
import torch
from torch_mlir import ir

from distc.compiler.frontend.functions import Slot, add_function
from distc.compiler.frontend.random_masks import threefry_body
from distc.dialect.build import tensor_type
from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.errors import UnsupportedOp
from distc.runtime.kernels.random import _threefry, keep_mask, rng_bits, threefry
from distc.transforms.lower import lower

PROGRAM = """func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>) {
  %t, %b = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  return %t, %b : tensor<2xui64>, tensor<2x3xui32>
}"""


def _words(a: int, b: int) -> torch.Tensor:
    return torch.tensor((b << 32 | a) - (1 << 64 if b >> 31 else 0), dtype=torch.int64)


def test_threefry_2x32_20_gives_the_vectors_of_random123() -> None:
    ones = 0xFFFFFFFF
    cases = [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ones, ones), (ones, ones), (0x1CB996FC, 0xBB002BE7)),
        ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
    ]
    for counter, key, expected in cases:
        found = _threefry(_words(*key), _words(*counter))
        assert tuple(int(w) for w in found) == expected


def test_threefry_as_emitted_is_the_kernel() -> None:
    """The body of the composite, run op by op, against PyTorch's integers."""
    context = make_context()
    module = parse_module("module {}", context, "empty")
    with context:
        long = ir.IntegerType.get_signless(64)
        types = [tensor_type((3, 5), long), tensor_type((), long)]
    slots = [Slot(t, {"dist.name": n}) for t, n in zip(types, ("c", "k"), strict=True)]
    add_function(
        module, "main", slots,
        lambda v: [(Slot(types[0], {"dist.name": "r"}), threefry_body([v["c"], v["k"]])[0])],
    )  # fmt: skip
    counters = torch.arange(15).reshape(3, 5) + (7 << 44) - 3
    for key in (0, 1, -1, 0x123456789ABCDEF):
        found = sim.run(lower(module, "main"), [[counters, torch.tensor(key)]])[0][0]
        assert torch.equal(found, threefry(counters, torch.tensor(key)))


def test_masks_keep_their_share_and_differ_by_seed_draw_and_site() -> None:
    first = keep_mask(1, 2, 3, (1000, 100), 0.3)
    share = float(first.double().mean())
    assert abs(share - 0.7) < 5 * (0.3 * 0.7 / first.numel()) ** 0.5
    for other in ((2, 2, 3), (1, 3, 3), (1, 2, 4)):
        mask = keep_mask(*other, (1000, 100), 0.3)
        agree = float((mask == first).double().mean())
        assert abs(agree - (0.7**2 + 0.3**2)) < 5 * (0.25 / first.numel()) ** 0.5
    assert torch.equal(keep_mask(1, 2, 3, (400, 100), 0.3), first[:400])


def test_64_bits_take_a_counter_each_and_32_share_one() -> None:
    state = torch.tensor([3, 3])
    after, wide = rng_bits(state, shape=[5], dtype="ui64")
    assert after.tolist() == [3, 8]
    after, narrow = rng_bits(state, shape=[4], dtype="ui32")
    assert after.tolist() == [3, 5]
    low, high = wide & 0xFFFFFFFF, (wide >> 32) & 0xFFFFFFFF
    expected = torch.stack([low[:2], high[:2]], 1).flatten()
    assert (narrow.to(torch.int64) & 0xFFFFFFFF).tolist() == expected.tolist()


def test_odd_and_scalar_shapes_leave_the_last_half_out() -> None:
    state = torch.tensor([7, 1])
    for shape, drawn in (([3, 5], 9), ([], 1), ([3, 4], 6), ([0], 0)):
        after, bits = rng_bits(state, shape=shape, dtype="i8")
        assert list(bits.shape) == shape
        assert after.tolist() == [7, 1 + drawn]


def test_the_next_state_goes_on_where_this_one_ends() -> None:
    state = torch.tensor([5, 9])
    whole = rng_bits(state, shape=[6], dtype="i64")[1]
    after, first = rng_bits(state, shape=[2], dtype="i64")
    rest = rng_bits(after, shape=[4], dtype="i64")[1]
    assert torch.cat([first, rest]).tolist() == whole.tolist()


def test_a_program_draws_what_the_kernel_draws() -> None:
    program = lower(parse_module(PROGRAM, make_context()))
    state = torch.tensor([3, 2**63 - 1]).view(torch.uint64)
    after, bits = sim.run_single(program, [state])
    expected = rng_bits(state.view(torch.int64), shape=[2, 3], dtype="ui32")
    assert after.view(torch.int64).tolist() == expected[0].tolist()
    assert bits.view(torch.int32).tolist() == expected[1].tolist()


def test_another_algorithm_is_refused() -> None:
    module = parse_module(PROGRAM.replace("THREE_FRY", "PHILOX"), make_context())
    with pytest.raises(UnsupportedOp, match="PHILOX"):
        lower(module)
