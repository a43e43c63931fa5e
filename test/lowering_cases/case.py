# ruff: noqa: E501 - MLIR is easier to read unbroken
"""A row of the table: a function body, its arguments, and the values to run it on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_TYPE = re.compile(r"tensor<((?:\d+x)*)([a-z0-9]+)>")
_NUMPY = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "f16": np.float32, "bf16": np.float32, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """`op` is the operation the row is about, `row` what is special in it.

    `body` uses arguments %a, %b, … of the types in `args` and defines %r (or returns `returned`).
    `expected` has the results where the interpreter dies or departs from the specification; the
    row says which. `values` are the arguments' values in row-major order; None makes random whole numbers.
    """

    op: str
    row: str
    args: str
    result: str
    body: str
    values: tuple[Any, ...] = ()
    tolerance: float = 0.0
    returned: str = "%r"
    helpers: str = ""
    expected: tuple[Any, ...] | None = None

    @property
    def name(self) -> str:
        """Name of the test."""
        return f"{self.op}-{self.row}".replace(" ", "_")

    @property
    def types(self) -> list[str]:
        """Argument types."""
        return [m.group(0) for m in _TYPE.finditer(self.args)]

    @property
    def text(self) -> str:
        """The module."""
        names = "abcdefgh"
        arguments = ", ".join(f"%{names[i]}: {t}" for i, t in enumerate(self.types))
        return (
            f"module {{\n{self.helpers}\nfunc.func @main({arguments}) -> ({self.result}) {{\n"
            f"{self.body}\nreturn {self.returned} : {self.result}\n}}\n}}\n"
        )

    def inputs(self) -> list[Array]:
        """Argument values; bf16 and f16 as f32."""
        generator = np.random.default_rng(len(self.name))
        found = []
        for index, type_ in enumerate(self.types):
            match = _TYPE.fullmatch(type_)
            assert match is not None
            shape = tuple(int(d) for d in match.group(1).split("x") if d)
            kind = _NUMPY[match.group(2)]
            given = self.values[index] if index < len(self.values) else None
            if given is not None:
                found.append(np.array(given, dtype=kind).reshape(shape))
                continue
            low = 0 if match.group(2).startswith(("u", "i1")) else -5
            high = 2 if match.group(2) == "i1" else 6
            found.append(generator.integers(low, high, shape).astype(kind))
        return found
