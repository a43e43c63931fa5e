"""Narrow types where the interpreter has no answer, or only our own: codes, overflow, rounding."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.kernels.narrow import convert_narrow, from_bits, narrow, to_bits
from distc.runtime.narrow_types import FLOATS, INTEGERS, Beyond, number
from distc.transforms.lower import lower

_TORCH = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2": torch.float8_e5m2,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
    "f8E8M0FNU": torch.float8_e8m0fnu,
}


def run(text: str, *inputs: torch.Tensor) -> list[torch.Tensor]:
    """Lower and run a module."""
    return sim.run_single(lower(parse_module(text, make_context())), inputs)


def codes(name: str) -> torch.Tensor:
    """All codes of a format."""
    return torch.arange(1 << FLOATS[name].width, dtype=torch.int64).to(torch.uint8)


@pytest.mark.parametrize("name", _TORCH)
def test_codes_are_those_of_torch(name: str) -> None:
    expected = codes(name).view(_TORCH[name]).float()
    found = from_bits(codes(name), format=name)
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found.signbit() & ~found.isnan(), expected.signbit() & ~expected.isnan())


@pytest.mark.parametrize("name", FLOATS)
def test_a_code_comes_back_from_its_number(name: str) -> None:
    found = from_bits(codes(name), format=name)
    again = to_bits(found, format=name)
    numbers = ~found.isnan()
    assert torch.equal(again[numbers], codes(name)[numbers])
    kind = FLOATS[name]
    for code in again[~numbers].tolist():
        assert math.isnan(number(code, kind))


@pytest.mark.parametrize("name", FLOATS)
def test_rounding_takes_the_nearest_and_of_two_the_even(name: str) -> None:
    kind = FLOATS[name]
    numbers = sorted({number(c, kind) for c in range(1 << kind.width) if _plain(c, name)})
    for low, high in pairwise(numbers):
        middle = (low + high) / 2
        near = 2.0**-40 * (high - low)
        values = torch.tensor([low, middle - near, middle + near, high], dtype=torch.float64)
        found = convert_narrow(values, source="f64", format=name)
        assert found.tolist() == [low, low, high, high]
        tie = convert_narrow(torch.tensor([middle], dtype=torch.float64), source="f64", format=name)
        chosen = int(to_bits(tie, format=name))
        assert float(tie) in (low, high)
        if kind.unsigned:  # powers of two: every significand is odd, the larger one is taken
            assert float(tie) == high
        else:
            assert chosen % 2 == 0


def _plain(code: int, name: str) -> bool:
    value = number(code, FLOATS[name])
    return math.isfinite(value) and not (value == 0 and math.copysign(1, value) < 0)


@pytest.mark.parametrize("name", FLOATS)
def test_what_is_past_the_largest(name: str) -> None:
    kind = FLOATS[name]
    expected = {Beyond.INFINITY: math.inf, Beyond.NAN: math.nan, Beyond.LARGEST: kind.largest}
    for value in (kind.largest * 1.6, 1e38 * 4, math.inf):
        found = float(narrow(torch.tensor([value], dtype=torch.float64), format=name))
        np.testing.assert_equal(found, expected[kind.beyond])
    below = float(narrow(torch.tensor([-math.inf]), format=name))
    np.testing.assert_equal(below, math.nan if kind.unsigned else -expected[kind.beyond])


@pytest.mark.parametrize("name", FLOATS)
def test_zero_keeps_its_sign_where_there_is_one(name: str) -> None:
    kind = FLOATS[name]
    found = narrow(torch.tensor([-0.0, 0.0]), format=name)
    if kind.unsigned:
        assert found.tolist() == [2.0**-127] * 2
        return
    assert found.signbit().tolist() == [kind.signed_zero, False]
    assert found.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["f6E2M3FN", "f8E3M4"])
@pytest.mark.parametrize(
    ("op", "known"),
    [
        ("ceil", np.ceil),
        ("floor", np.floor),
        ("round_nearest_even", np.rint),
        ("round_nearest_afz", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
    ],
)  # fmt: skip
def test_rounding_to_whole_numbers(name: str, op: str, known: object) -> None:
    values = from_bits(codes(name), format=name)
    values = values[values.abs() <= FLOATS[name].largest - 1]
    kind = f"tensor<{values.numel()}x{name}>"
    text = (
        f"func.func @main(%a: {kind}) -> {kind} {{\n%r = stablehlo.{op} %a : {kind}\n"
        f"return %r : {kind}\n}}"
    )
    assert callable(known)
    np.testing.assert_array_equal(run(text, values)[0].numpy(), known(values.numpy()))


def test_large_integers_are_rounded_once() -> None:
    values = [3 * 2**61 - 1, 3 * 2**61, 2**62 + 1, 2**63 - 1]
    found = convert_narrow(torch.tensor(values), source="i64", format="f8E8M0FNU")
    assert found.tolist() == [2.0**62, 2.0**63, 2.0**62, 2.0**63]
    unsigned = torch.tensor([-1, 2**62, -(2**62) - 1, -(2**62)])  # ui64 in signed storage
    found = convert_narrow(unsigned, source="ui64", format="f8E8M0FNU")
    assert found.tolist() == [2.0**64, 2.0**62, 2.0**63, 2.0**64]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_wrap_and_floats_are_clamped(name: str) -> None:
    width, signed = INTEGERS[name], name.startswith("i")
    low = -(1 << (width - 1)) if signed else 0
    high = low + (1 << width) - 1
    found = convert_narrow(torch.tensor([high + 1, low - 1]), source="i64", format=name)
    assert found.tolist() == [low, high]
    values = torch.tensor([1e9, -1e9, math.nan, math.inf, 0.9])
    found = convert_narrow(values, source="f32", format=name)
    assert found.tolist() == [high, low, 0, high, 0]


def test_literals_of_every_form() -> None:
    for name, literal, expected in (
        ("f8E4M3FN", "[1.5, -0.0, 0x7F, 448.0]", [1.5, -0.0, math.nan, 448.0]),
        ("f8E5M2", "[0x7C, 0xFC, 1.0, -2.0]", [math.inf, -math.inf, 1.0, -2.0]),
        ("f8E5M2", '"0x7C3CBC00"', [math.inf, 1.0, -1.0, 0.0]),
        ("f8E5M2", "0x7C", [math.inf] * 4),
        ("f8E5M2", "-1.5", [-1.5] * 4),
        ("f4E2M1FN", "[6.0, -0.5, 0.0, 4.0]", [6.0, -0.5, 0.0, 4.0]),
        ("i4", "[-8, 7, -1, 0]", [-8, 7, -1, 0]),
        ("i4", "-1", [-1] * 4),
        ("ui4", "[15, 8, 1, 0]", [15, 8, 1, 0]),
        ("ui4", "15", [15] * 4),
        ("i2", "[-2, -1, 0, 1]", [-2, -1, 0, 1]),
        ("ui2", "3", [3] * 4),
    ):
        kind = f"tensor<4x{name}>"
        text = (
            f"func.func @main() -> {kind} {{\n%r = stablehlo.constant dense<{literal}> : {kind}\n"
            f"return %r : {kind}\n}}"
        )
        found = run(text)[0].numpy()
        np.testing.assert_array_equal(found, np.array(expected), err_msg=f"{literal} : {name}")
        assert np.signbit(found).tolist() == np.signbit(np.array(expected)).tolist()


def test_bits_of_narrow_types() -> None:
    text = """func.func @main(%a: tensor<3xui8>)
        -> (tensor<3x2xi4>, tensor<3xui8>, tensor<3xf8E5M2>) {
      %n = stablehlo.bitcast_convert %a : (tensor<3xui8>) -> tensor<3x2xi4>
      %b = stablehlo.bitcast_convert %n : (tensor<3x2xi4>) -> tensor<3xui8>
      %f = stablehlo.bitcast_convert %a : (tensor<3xui8>) -> tensor<3xf8E5M2>
      return %n, %b, %f : tensor<3x2xi4>, tensor<3xui8>, tensor<3xf8E5M2>
    }"""
    octets = torch.tensor([0x3C, 0xF8, 0x7C], dtype=torch.uint8)
    halves, again, numbers = run(text, octets)
    assert halves.tolist() == [[-4, 3], [-8, -1], [-4, 7]]
    assert torch.equal(again, octets)
    assert numbers.tolist() == [1.0, -32768.0, math.inf]


@pytest.mark.parametrize(
    ("source", "values", "target", "expected"),
    [
        ("2x8xi4", [[1, 2, 3, 4, 5, 6, 7, -8], [-1] * 8], "2xi32", [-0x789ABCDF, -1]),
        ("2xui32", [0x87654321, 0], "2x8xi4", [[1, 2, 3, 4, 5, 6, 7, -8], [0] * 8]),
        ("1x3xi2", [[1, 0, -1]], "1xf6E2M3FN", [-2.25]),
        ("1xf6E2M3FN", [-2.25], "1x3xi2", [[1, 0, -1]]),
        ("2xf6E2M3FN", [1.0, 0.125], "2xf6E3M2FN", [0.5, 0.0625]),
        ("1x4xi2", [[0, 0, -1, 0]], "1xf8E4M3FN", [0.5]),
        ("0x2xi4", [], "0xui8", []),
    ],
)  # fmt: skip
def test_bits_regroup(source: str, values: object, target: str, expected: object) -> None:
    text = (
        f"func.func @main(%a: tensor<{source}>) -> tensor<{target}> {{\n"
        f"%r = stablehlo.bitcast_convert %a : (tensor<{source}>) -> tensor<{target}>\n"
        f"return %r : tensor<{target}>\n}}"
    )
    program = lower(parse_module(text, make_context()))
    kind = program.inputs[0]
    given = torch.tensor(values, dtype=BOUNDARY[kind.dtype]).reshape(kind.shape)
    assert sim.run_single(program, [given])[0].tolist() == expected


def test_an_argument_takes_the_nearest_of_its_type() -> None:
    kind = "tensor<3xf8E4M3FN>"
    text = f"func.func @main(%a: {kind}) -> {kind} {{\nreturn %a : {kind}\n}}"
    found = run(text, torch.tensor([1.05, 1.07, 500.0]))[0]
    np.testing.assert_array_equal(found.numpy(), [1.0, 1.125, math.nan])
