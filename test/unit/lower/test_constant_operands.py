"""A splat constant as an operand, which may become a scalar, means what a tensor of it means."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from lowering_cases.edges import FLOATS, INTEGERS, NARROW_UNSIGNED, UNSIGNED, values_of

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.kernels.narrow import to_bits
from distc.runtime.narrow_types import FLOATS as NARROW_FLOATS
from distc.transforms.lower import lower

_NARROW = ("i2", "i4", "ui4", "f4E2M1FN", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2")
_DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")
_BF16_NAN = "0x7FC0"


def literal(value: float, dtype: str) -> str:
    """The constant as MLIR reads it, bits where decimals would not be exact."""
    if dtype == "i1":
        return "true" if value else "false"
    if dtype in NARROW_FLOATS:
        return hex(int(to_bits(torch.tensor([float(value)]), format=dtype)))
    if dtype not in FLOATS:
        return str(int(value))
    if dtype == "bf16" and math.isnan(value):
        return _BF16_NAN
    tensor = torch.tensor([float(value)], dtype=BOUNDARY[dtype])
    integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    width = tensor.element_size() * 8
    return f"0x{int(tensor.view(integer)) % (1 << width):0{width // 4}X}"


def operations(dtype: str, kind: str, flags: str) -> list[tuple[str, str]]:
    """Operations on LEFT and RIGHT with their result types; a clamp is between the two."""
    floats = dtype in FLOATS or dtype in NARROW_FLOATS
    names = ["add", "maximum", "minimum", "multiply"]
    names += [] if dtype == "i1" else ["divide", "subtract"]
    names += ["power", "remainder"] if dtype in (*FLOATS, *INTEGERS) else []
    names += [] if floats else ["and", "or", "xor"]
    unsigned = dtype in ("i1", *UNSIGNED, *NARROW_UNSIGNED)
    order = "FLOAT" if floats else "UNSIGNED" if unsigned else "SIGNED"
    return [
        *((f"stablehlo.{name} LEFT, RIGHT : {kind}", kind) for name in names),
        *(
            (f"stablehlo.compare {d}, LEFT, RIGHT, {order} : ({kind}, {kind}) -> {flags}", flags)
            for d in _DIRECTIONS
        ),
        (f"stablehlo.clamp LEFT, %a, RIGHT : {kind}", kind),
    ]


def rows(dtype: str, count: int, kind: str, flags: str) -> list[tuple[str, str]]:
    """Every operation with every constant on either side."""
    found = []
    for index in range(count):
        one, other = f"%c{index}", f"%c{(index + count // 2) % count}"
        for text, result in operations(dtype, kind, flags):
            pairs = [(one, other)] if "clamp" in text else [(one, "%a"), ("%a", one)]
            found += [
                (text.replace("LEFT", left).replace("RIGHT", right), result)
                for left, right in pairs
            ]
    return found


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "i1", *_NARROW])
def test_means_what_a_tensor_means(dtype: str) -> None:
    values = values_of(dtype, 2)
    kind, flags = f"tensor<{values.size}x{dtype}>", f"tensor<{values.size}xi1>"
    made = rows(dtype, values.size, kind, flags)
    types = ", ".join(result for _, result in made)
    lines = [f"%r{i} = {text}" for i, (text, _) in enumerate(made)]
    lines.append(f"return {', '.join(f'%r{i}' for i in range(len(made)))} : {types}")
    constants = [
        f"%c{i} = stablehlo.constant dense<{literal(v, dtype)}> : {kind}"
        for i, v in enumerate(values)
    ]
    arguments = "".join(f", %c{i}: {kind}" for i in range(values.size))
    found = run(f"func.func @main(%a: {kind}) -> ({types}) {{", [*constants, *lines], [values])
    expected = run(
        f"func.func @main(%a: {kind}{arguments}) -> ({types}) {{",
        lines,
        [values, *(np.full_like(values, v) for v in values)],
    )
    wrong = [
        text
        for (text, _), a, b in zip(made, found, expected, strict=True)
        if not same(a, b, 1e-6 if "power" in text else 0.0)
    ]
    assert not wrong, wrong[:10]


def run(head: str, lines: list[str], given: list[np.ndarray]) -> list[torch.Tensor]:
    """Lower and run one function."""
    program = lower(parse_module("\n".join([head, *lines, "}"]), make_context()))
    inputs = [
        torch.from_numpy(x.copy()).to(BOUNDARY[t.dtype])
        for x, t in zip(given, program.inputs, strict=True)
    ]
    return sim.run_single(program, inputs)


def same(a: torch.Tensor, b: torch.Tensor, relative: float) -> bool:
    """Bits and signs of zero, or within a part of each number; NaN is NaN."""
    if not a.dtype.is_floating_point:
        return bool(np.array_equal(a.numpy(), b.numpy()))
    equal = ((a == b) & (a.signbit() == b.signbit())) | (a.isnan() & b.isnan())
    return bool((equal | ((a - b).abs() <= relative * b.abs())).all())
