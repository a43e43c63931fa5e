"""Values of non-splat constants, for every element type.

The bindings give arrays for most types; bf16 and complex elements have no Python form, so they are
read from the attribute's text: nested lists of decimals and hexadecimal bit patterns, or one
hexadecimal string of the whole memory.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np
from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.errors import InputError
from distc.runtime.narrow_types import FLOATS, INTEGERS, number
from distc.runtime.program import ValueType
from distc.transforms.lower.builder import narrow_type

_DENSE = re.compile(r"dense<(.*)>\s*:\s*tensor<", re.DOTALL)
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|true|false")
_MEMORY = {"bf16": "<u2", "c64": "<f4", "c128": "<f8", "f16": "<f2", "f32": "<f4", "f64": "<f8"}
_DECIMAL = re.compile(r"0x[0-9A-Fa-f]+|[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
_BITS = {"bf16": ("<I", "<f", 16), "c64": ("<I", "<f", 0), "c128": ("<Q", "<d", 0)}


def constant_values(op: ir.Operation, kind: ValueType) -> list[bool | int | float]:
    """Elements of a constant, row-major; a complex one gives real and imaginary part.

    Raises:
        InputError: the literal cannot be read (a resource without its data).
    """
    narrow = narrow_type(op.results[0])
    if narrow is not None:
        return _narrow(op, kind, narrow)
    if kind.dtype in _BITS:
        return _from_text(op, kind)
    array = hlo.constant_array(op)
    if array is None:
        raise InputError(
            "a constant's data cannot be read",
            help="write it as a dense literal, or make it an argument",
        )
    values: list[Any] = array.reshape(-1).tolist()
    return values


def _text(op: ir.Operation) -> str:
    """What stands between the brackets of `dense<…>`."""
    match = _DENSE.search(op.get_asm(large_elements_limit=None))
    if match is None:
        raise InputError(
            "a constant's data cannot be read",
            help="write it as a dense literal, or make it an argument",
        )
    return match.group(1)


def _narrow(op: ir.Operation, kind: ValueType, narrow: str) -> list[bool | int | float]:
    """Elements of a narrow type: integers, decimals of few digits, or codes.

    The memory form has an octet per element.
    """
    text = _text(op)
    if text.startswith('"'):
        codes = list(bytes.fromhex(text.strip('"')[2:]))
        return _repeat([_of_code(c, narrow) for c in codes], kind, 1)
    tokens = _DECIMAL.findall(text)
    if narrow in INTEGERS:
        return _repeat([int(t, 0) for t in tokens], kind, 1)
    numbers = [_of_code(int(t, 16), narrow) if t.startswith("0x") else float(t) for t in tokens]
    # Printed with enough digits to be the nearest of its type: the narrow kernel finds it.
    return _repeat(numbers, kind, 1)


def _of_code(code: int, narrow: str) -> bool | int | float:
    if narrow in FLOATS:
        return number(code, FLOATS[narrow])
    width = INTEGERS[narrow]
    code &= (1 << width) - 1
    return code - (1 << width) if narrow.startswith("i") and code >> (width - 1) else code


def _from_text(op: ir.Operation, kind: ValueType) -> list[bool | int | float]:
    text = _text(op)
    pack, unpack, shift = _BITS[kind.dtype]
    if text.startswith('"'):
        memory = np.frombuffer(bytes.fromhex(text.strip('"')[2:]), dtype=_MEMORY[kind.dtype])
        if kind.dtype != "bf16":
            return _repeat(memory.tolist(), kind, 2)
        wide = (memory.astype(np.uint32) << 16).view(np.float32)
        return _repeat(wide.tolist(), kind, 1)
    values: list[bool | int | float] = []
    for token in _NUMBER.findall(text):
        if token.startswith("0x"):
            bits = int(token, 16) << shift
            values.append(struct.unpack(unpack, struct.pack(pack, bits))[0])
            continue
        values.append(float(token))
    return _repeat(values, kind, 1 if kind.dtype == "bf16" else 2)


def _repeat(
    values: list[bool | int | float], kind: ValueType, per_element: int
) -> list[bool | int | float]:
    """Splats are printed once."""
    count = int(np.prod(kind.shape, dtype=np.int64))
    return values * count if len(values) == per_element and count != 1 else values
