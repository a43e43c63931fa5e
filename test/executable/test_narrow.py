"""Values of narrow types on shards: every rank's numbers are those of the whole, bit by bit."""

from __future__ import annotations

import math

import pytest
import torch
from executable.harness import partition, run_sharded, run_whole

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.runtime.narrow_types import CARRIERS, FLOATS, number

TYPES = ("i2", "i4", "ui4", "f4E2M1FN", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E8M0FNU")
_REGION = """({ ^bb0(%x: tensor<T>, %y: tensor<T>):
  %z = stablehlo.OP %x, %y : tensor<T>
  stablehlo.return %z : tensor<T> })"""


def _reduce(op: str, init: str) -> str:
    return f"""%i = stablehlo.constant dense<{init}> : tensor<T>
      %0 = stablehlo.reduce(%a init: %i) applies stablehlo.{op} across dimensions = [1]
        : (tensor<5x6xT>, tensor<T>) -> tensor<5xT>"""


# Name: result shape, the body on %a and %b of 5x6, types it is for.
_INTEGERS = tuple(t for t in TYPES if "i" in t)
_FLOATS = tuple(t for t in TYPES if "f" in t)
_WITH_ZERO = tuple(t for t in TYPES if t != "f8E8M0FNU")
PROGRAMS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "add": ("5x6", "%0 = stablehlo.add %a, %b : tensor<5x6xT>", TYPES),
    "multiply": ("5x6", "%0 = stablehlo.multiply %a, %b : tensor<5x6xT>", TYPES),
    "sum": ("5", _reduce("add", "0"), _INTEGERS),
    "float sum": ("5", _reduce("add", "-0.0"), tuple(t for t in _FLOATS if t in _WITH_ZERO)),
    "product": ("5", _reduce("multiply", "1"), _INTEGERS),
    "float product": ("5", _reduce("multiply", "1.0"), _FLOATS),
    "or": ("5", _reduce("or", "0"), _INTEGERS),
    "maximum": ("5", _reduce("maximum", "-8"), ("i4",)),
    "minimum": ("5", _reduce("minimum", "15"), ("ui4",)),
    "float maximum": ("5", _reduce("maximum", "-448.0"), ("f8E4M3FN",)),
    "float minimum": ("5", _reduce("minimum", "0x7C"), ("f8E5M2",)),
    "saturated minimum": ("5", _reduce("minimum", "6.0"), ("f4E2M1FN",)),
    "maximum of powers": ("5", _reduce("maximum", "0x00"), ("f8E8M0FNU",)),
    "dot": (
        "5x5",
        """%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
        : (tensor<5x6xT>, tensor<5x6xT>) -> tensor<5x5xT>""",
        TYPES,
    ),
    "running sum": (
        "5x6",
        f"""%i = stablehlo.constant dense<ZERO> : tensor<T>
        %0 = "stablehlo.reduce_window"(%a, %i) <{{padding = dense<[[0, 0], [5, 0]]> :
        tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}}> {_REGION.replace("OP", "add")}
        : (tensor<5x6xT>, tensor<T>) -> tensor<5x6xT>""",
        _WITH_ZERO,
    ),
    "window": (
        "5x5",
        f"""%i = stablehlo.constant dense<ZERO> : tensor<T>
        %0 = "stablehlo.reduce_window"(%a, %i) <{{padding = dense<[[0, 0], [0, 0]]> :
        tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>}}> {_REGION.replace("OP", "add")}
        : (tensor<5x6xT>, tensor<T>) -> tensor<5x5xT>""",
        _WITH_ZERO,
    ),
    "sort": (
        "5x6",
        """%0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
        ^bb0(%x: tensor<T>, %y: tensor<T>):
        %z = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
        stablehlo.return %z : tensor<i1> }) : (tensor<5x6xT>) -> tensor<5x6xT>""",
        TYPES,
    ),
    "pad": (
        "8x6",
        """%i = stablehlo.constant dense<1ONE> : tensor<T>
        %0 = stablehlo.pad %a, %i, low = [1, -1], high = [2, 1], interior = [0, 0]
        : (tensor<5x6xT>, tensor<T>) -> tensor<8x6xT>""",
        TYPES,
    ),
    "concatenate": (
        "5x12",
        """%0 = stablehlo.concatenate %a, %b, dim = 1
        : (tensor<5x6xT>, tensor<5x6xT>) -> tensor<5x12xT>""",
        TYPES,
    ),
    "reverse": ("5x6", "%0 = stablehlo.reverse %a, dims = [0, 1] : tensor<5x6xT>", TYPES),
    "rows": (
        "3x6",
        """%i = stablehlo.constant dense<[4, 0, 3]> : tensor<3xi32>
        %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}>
        : (tensor<5x6xT>, tensor<3xi32>) -> tensor<3x6xT>""",
        TYPES,
    ),
    "scatter": (
        "5x6",
        f"""%i = stablehlo.constant dense<[[4], [0], [4], [9], [1]]> : tensor<5x1xi32>
        %0 = "stablehlo.scatter"(%a, %i, %b) <{{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}}> {_REGION.replace("OP", "add")}
        : (tensor<5x6xT>, tensor<5x1xi32>, tensor<5x6xT>) -> tensor<5x6xT>""",
        _WITH_ZERO,
    ),
    "convolution": (
        "5x5x1",
        """%l = stablehlo.reshape %a : (tensor<5x6xT>) -> tensor<5x6x1xT>
        %k = stablehlo.slice %b [0:1, 0:2] : (tensor<5x6xT>) -> tensor<1x2xT>
        %r = stablehlo.reshape %k : (tensor<1x2xT>) -> tensor<2x1x1xT>
        %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<5x6x1xT>, tensor<2x1x1xT>) -> tensor<5x5x1xT>""",
        _WITH_ZERO,
    ),
    "shift": (
        "5x6",
        """%0 = stablehlo.shift_right_logical %a, %b : tensor<5x6xT>""",
        _INTEGERS,
    ),
}  # fmt: skip
CASES = [(name, t) for name, (_, _, types) in PROGRAMS.items() for t in types]


def text_of(name: str, dtype: str) -> str:
    """The program of one type."""
    shape, body, _ = PROGRAMS[name]
    integer = dtype in _INTEGERS
    body = body.replace("1ONE", "1" if integer else "1.0")
    body = body.replace("ZERO", "0" if integer else "0.0")
    text = (
        f"func.func @main(%a: tensor<5x6xT>, %b: tensor<5x6xT>) -> tensor<{shape}xT> {{\n"
        f"{body}\nreturn %0 : tensor<{shape}xT>\n}}"
    )
    return text.replace("xT>", f"x{dtype}>").replace("<T>", f"<{dtype}>")


def inputs(dtype: str) -> list[torch.Tensor]:
    """Two operands of every number that is not NaN, repeated in a random order."""
    generator = torch.Generator().manual_seed(5)
    if dtype in FLOATS:
        kind = FLOATS[dtype]
        numbers = [number(c, kind) for c in range(1 << kind.width)]
        values = torch.tensor([n for n in numbers if not math.isnan(n)])
    else:
        values = torch.arange(-8, 16)
    picks = torch.randint(0, len(values), (2, 5, 6), generator=generator)
    carrier = {"f32": torch.float32, "i8": torch.int8, "ui8": torch.uint8}[CARRIERS[dtype]]
    return [values[p].to(carrier) for p in picks]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_shards_give_the_whole(name: str, dtype: str) -> None:
    text, given = text_of(name, dtype), inputs(dtype)
    (expected,) = run_whole(text, given)
    mesh = Mesh.of(x=3)  # shards of five are uneven, of six even
    for dim in range(2):
        lying = Sharding.replicated(mesh, 2).with_dim(dim, DimSharding((AxisRef("x"),)))
        cut = partition(text, mesh, {0: lying.normalize((5, 6)), 1: lying.normalize((5, 6))})
        (found,) = run_sharded(cut, given, [tuple(expected.shape)])
        same = (found == expected) | (found.isnan() & expected.isnan())
        assert bool(same.all()), (dim, found, expected)
        if dtype in FLOATS:
            numbers = ~expected.isnan()
            assert torch.equal(found.signbit()[numbers], expected.signbit()[numbers])
