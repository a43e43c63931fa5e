"""How each StableHLO element type is held in torch.

torch has almost no kernels for uint16, uint32 and uint64. Inside a program such values are held
as the signed type of the same width, bit for bit: wrapping arithmetic, bitwise operations and data
movement are the same for both, and what differs (order, division, conversion) has its own kernel
or goes through the sign bit. Users see torch's unsigned types at the program's ends.
"""

from __future__ import annotations

import torch

STORAGE: dict[str, torch.dtype] = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "ui8": torch.uint8,
    "ui16": torch.int16,
    "ui32": torch.int32,
    "ui64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "c64": torch.complex64,
    "c128": torch.complex128,
}
BOUNDARY: dict[str, torch.dtype] = {
    **STORAGE,
    "ui16": torch.uint16,
    "ui32": torch.uint32,
    "ui64": torch.uint64,
}
WIDTH = {"ui8": 8, "ui16": 16, "ui32": 32, "ui64": 64, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
HIDDEN_UNSIGNED = ("ui16", "ui32", "ui64")


def is_float(dtype: str) -> bool:
    """True for f16, bf16, f32, f64."""
    return dtype in ("f16", "bf16", "f32", "f64")


def to_storage(value: torch.Tensor, dtype: str) -> torch.Tensor:
    """View a user's tensor of element type `dtype` as the program holds it."""
    if dtype in HIDDEN_UNSIGNED and value.dtype is BOUNDARY[dtype]:
        return value.view(STORAGE[dtype])
    return value


def to_boundary(value: torch.Tensor, dtype: str) -> torch.Tensor:
    """View a program's value as users see it."""
    return value.view(BOUNDARY[dtype]) if dtype in HIDDEN_UNSIGNED else value
