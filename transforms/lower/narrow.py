"""Types narrower than a program's (i2, i4, f4, f6, f8): what is theirs alone.

Every operation runs in the carrier type (`CARRIERS`), and `lower_operation` brings its results
back, except where nothing was computed.
"""

from __future__ import annotations

from torch_mlir import ir

from distc.runtime.narrow_types import FLOATS, INTEGERS
from distc.runtime.program import Dtype, Ref, ValueType
from distc.transforms.lower.builder import HIDDEN_UNSIGNED, Builder, narrow_type, value_type

EXACT = frozenset(
    f"stablehlo.{name}"
    for name in (
        "all_gather", "all_to_all", "async_done", "bitcast_convert", "broadcast",
        "broadcast_in_dim", "case", "clamp", "concatenate", "convert",
        "dynamic_broadcast_in_dim", "dynamic_gather",
        "dynamic_pad", "dynamic_reshape", "dynamic_slice", "dynamic_update_slice", "gather",
        "get_tuple_element", "if", "maximum", "minimum", "optimization_barrier", "pad",
        "real_dynamic_slice", "reshape", "reverse", "select", "set_dimension_size", "slice",
        "sort", "torch_index_select", "transpose", "while",
    )
) | {"func.call", "dist.constraint"}  # fmt: skip
"""Operations whose results are operands' elements, or come from operations of their own."""


def bitcast_narrow(b: Builder, op: ir.Operation) -> Ref:
    """`bitcast_convert` from or to a narrow type, by way of codes: an octet a narrow number.

    The lowest bits of a wider number are the first of several narrower ones.
    """
    source, target = narrow_type(op.operands[0]), narrow_type(op.results[0])
    x, out = _codes(b, b.ref(op.operands[0]), source), value_type(op.results[0], op)
    old, new = _width(source), _width(target)
    if old > new:
        pieces = ValueType((*b.type(x).shape, old // new), "ui8")
        x = b.emit("distc.regroup_bits", x, out=pieces, old=old, new=new)
    if old < new:
        *outer, last = b.type(x).shape
        together = b.reshape(x, (*outer, last * old // new, new // old))
        whole = ValueType((*outer, last * old // new), "ui8")
        x = b.emit("distc.regroup_bits", together, out=whole, old=old, new=new)
    if target is None:
        return _from_octets(b, x, out)
    return b.emit("distc.from_bits", b.reshape(x, out.shape), out=out, format=target)


def unused_bits(value: ir.Value) -> int:
    """How many bits of its carrier a narrow integer has no use for; 0 for any other type."""
    kind = narrow_type(value)
    return 8 - INTEGERS[kind] if kind in INTEGERS else 0


def raw(b: Builder, value: ir.Value) -> Ref:
    """An integer with its carrier's unused bits cleared: numbers below zero fill them with ones."""
    x, unused = b.ref(value), unused_bits(value)
    if not unused or b.type(x).dtype == "ui8":
        return x
    mask = b.full((1 << (8 - unused)) - 1, ValueType((), "i8"))
    return b.emit("aten.bitwise_and.Tensor", x, mask, out=b.type(x))


def _width(kind: str | None) -> int:
    """Bits of a code; wider types are taken octet by octet."""
    if kind is None:
        return 8
    return INTEGERS[kind] if kind in INTEGERS else FLOATS[kind].width


def _codes(b: Builder, x: Ref, source: str | None) -> Ref:
    """Elements as ui8: codes of a narrow type, octets of any other."""
    kind = b.type(x)
    if source is not None:
        return b.emit("distc.to_bits", x, out=ValueType(kind.shape, "ui8"), format=source)
    if kind.dtype == "ui8":
        return x
    size = _octets(b, kind.dtype)
    shape = kind.shape if size == 1 else (*kind.shape, size)
    return b.emit("distc.bitcast_convert", x, out=ValueType(shape, "ui8"), target=Dtype("ui8"))


def _from_octets(b: Builder, x: Ref, out: ValueType) -> Ref:
    """Elements of a type of eight bits or more from their octets, the last dimensions of `x`."""
    size = _octets(b, out.dtype)
    x = b.reshape(x, out.shape if size == 1 else (*out.shape, size))
    if out.dtype == "ui8":
        return x
    storage = {"ui16": "i16", "ui32": "i32", "ui64": "i64"}.get(out.dtype, out.dtype)
    kind = ValueType(out.shape, storage)
    found = b.emit("distc.bitcast_convert", x, out=kind, target=Dtype(storage))
    if out.dtype not in HIDDEN_UNSIGNED:
        return found
    return b.emit("aten.reshape.default", found, list(out.shape), out=out)


def _octets(b: Builder, dtype: str) -> int:
    """Octets of an element.

    Raises:
        UnsupportedOp: of i1, which has less than one, or a complex type.
    """
    if dtype == "i1" or dtype.startswith("c"):
        raise b.unsupported(
            f"bitcast_convert between {dtype} and a narrow type cannot run", help="go by way of ui8"
        )
    return int(dtype.lstrip("uibf")) // 8
