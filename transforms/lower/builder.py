"""The growing rank program: values, calls, and small helpers every family uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from torch_mlir import ir

from distc.dialect import locations
from distc.dialect import stablehlo as hlo
from distc.runtime.errors import InputError, UnsupportedOp
from distc.runtime.narrow_types import CARRIERS
from distc.runtime.program import DTYPES, MAX_DEPTH, Arg, Call, Dtype, Program, Ref, ValueType

Number: TypeAlias = "bool | int | float"
Item: TypeAlias = "Ref | Bundle"
LowerRegion: TypeAlias = "Callable[[ir.Block, Builder], list[Ref]]"

WIDTH = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "ui8": 8, "ui16": 16, "ui32": 32, "ui64": 64}
HIDDEN_UNSIGNED = ("ui16", "ui32", "ui64")
"""Unsigned types that a program holds as the signed type of the same width, bit for bit."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A tuple: known member by member while a program is made, and not there when it runs."""

    members: tuple[Item, ...]


def is_float(dtype: str) -> bool:
    """True for the floating-point types a program can hold."""
    return dtype in ("f16", "bf16", "f32", "f64")


def is_complex(dtype: str) -> bool:
    """True for c64 and c128."""
    return dtype in ("c64", "c128")


def is_integer(dtype: str) -> bool:
    """True for integers of eight bits and more."""
    return dtype in WIDTH


def dtype_name(element: ir.Type, op: ir.Operation | None = None) -> str:
    """Program name of an element type; of a narrow type, that of its carrier.

    Raises:
        UnsupportedOp: programs have no such type.
    """
    text = str(element)
    name = {"complex<f32>": "c64", "complex<f64>": "c128"}.get(text, text)
    name = CARRIERS.get(name, name)
    if name not in DTYPES:
        raise UnsupportedOp(
            f"element type {text} has no run-time representation",
            where=locations.where(op) if op is not None else None,
            help=f"use one of: {', '.join(DTYPES)}",
        )
    return name


def narrow_type(value: ir.Value) -> str | None:
    """The element type of a value where a program holds it in a carrier, else None."""
    if not isinstance(value.type, ir.RankedTensorType):
        return None
    text = str(ir.RankedTensorType(value.type).element_type)
    return text if text in CARRIERS else None


def is_token(value: ir.Value) -> bool:
    """True for a token, which only orders side effects."""
    return str(value.type) == "!stablehlo.token"


def value_type(value: ir.Value, op: ir.Operation | None = None) -> ValueType:
    """Type of a value in the program; a token, which nothing reads, is one i1.

    Raises:
        UnsupportedOp: not a tensor of static shape.
    """
    if is_token(value):
        return ValueType((), "i1")
    kind = value.type
    if not isinstance(kind, ir.RankedTensorType) or not kind.has_static_shape:
        raise UnsupportedOp(
            f"type {kind} is not a tensor of static shape",
            where=locations.where(op) if op is not None else None,
            help="export the program with static shapes",
        )
    return ValueType(tuple(kind.shape), dtype_name(kind.element_type, op))


class Builder:
    """Calls of one program or region; values of MLIR map to references.

    A nested builder sees the values of its parent: each one it uses becomes an input of its own,
    recorded in `captured`.
    """

    def __init__(
        self,
        lower_op: Callable[[Builder, ir.Operation], None],
        module: ir.Module,
        depth: int = 0,
        parent: Builder | None = None,
    ) -> None:
        self.lower_op, self.module, self.depth, self.parent = lower_op, module, depth, parent
        self.inputs: list[ValueType] = []
        self.calls: list[Call] = []
        self.types: list[ValueType] = []
        self.values: dict[ir.Value, Item] = {}
        self.captured: list[Ref] = []
        self.op: ir.Operation | None = None
        self.inlining: list[str] = [] if parent is None else parent.inlining
        self._literals: dict[tuple[object, ...], Ref] = {}
        self._captures: dict[Ref, Ref] = {}
        self.loc = ""

    # Values

    def add_input(self, kind: ValueType) -> Ref:
        """Add an input; all come before the first call."""
        self.inputs.append(kind)
        self.types.append(kind)
        return Ref(len(self.types) - 1)

    def item(self, value: ir.Value) -> Item:
        """The program value of an MLIR value, or the members of a tuple."""
        found = self.values.get(value)
        return self.ref(value) if found is None else found

    def ref(self, value: ir.Value) -> Ref:
        """Reference to the program value of an MLIR value.

        Raises:
            UnsupportedOp: it is a tuple, or computed where it cannot be seen.
        """
        found = self.values.get(value)
        if isinstance(found, Ref):
            return found
        if found is not None or isinstance(value.type, ir.TupleType):
            raise self.unsupported(
                "a tuple cannot be an operand here", help="pass its members one by one"
            )
        if self.parent is None:
            raise InputError(
                f"value {value} is used before it is defined",
                help="verify the module; an op of it may be out of order",
            )
        constant = hlo.defining_op(value)
        if constant is not None and constant.name == "stablehlo.constant":
            with self.at(constant):
                self.lower_op(self, constant)
            return self.ref(value)
        outer = self.parent.ref(value)
        if outer not in self._captures:
            raise self.unsupported(
                "a region uses a value computed outside it", help="pass the value as an operand"
            )
        return self._captures[outer]

    def capture(self, values: Iterable[ir.Value]) -> None:
        """Make outer values inputs of this region, in order."""
        if self.parent is None:
            return
        for value in values:
            outer = self.parent.ref(value)
            if outer not in self._captures:
                self._captures[outer] = self.add_input(self.parent.type(outer))
                self.captured.append(outer)

    def refs(self, values: Iterable[ir.Value]) -> list[Ref]:
        """References of several values."""
        return [self.ref(v) for v in values]

    def type(self, ref: Ref) -> ValueType:
        """Type of a program value."""
        return self.types[ref.id]

    def define(self, value: ir.Value, item: Item) -> None:
        """Say which program value an MLIR value is."""
        self.values[value] = item

    # Calls

    def call(
        self,
        op: str,
        *args: Arg,
        types: Sequence[ValueType],
        regions: Sequence[Program] = (),
        **kwargs: Arg,
    ) -> list[Ref]:
        """Append a call of several results."""
        first = len(self.types)
        self.types += types
        outs = tuple(range(first, len(self.types)))
        self.calls.append(Call(op, args, kwargs, outs, tuple(types), self.loc, tuple(regions)))
        return [Ref(o) for o in outs]

    def emit(self, op: str, *args: Arg, out: ValueType, **kwargs: Arg) -> Ref:
        """Append a call of one result."""
        first = len(self.types)
        self.types.append(out)
        self.calls.append(Call(op, args, kwargs, (first,), (out,), self.loc))
        return Ref(first)

    def program(self, outputs: Sequence[Ref], name: str) -> Program:
        """The finished program."""
        return Program(tuple(self.inputs), tuple(self.calls), tuple(o.id for o in outputs), name)

    # Literals

    def full(self, value: Number, kind: ValueType) -> Ref:
        """A value whose elements are all `value`: a scalar, expanded without memory."""
        key = ("full", repr(value), kind)
        if key not in self._literals:
            scalar = ValueType((), kind.dtype)
            if kind.shape:
                ref = self.expand(self.full(value, scalar), kind.shape)
            else:
                ref = self.emit(
                    "aten.full.default",
                    [],
                    _signed(value, kind.dtype),
                    out=scalar,
                    dtype=Dtype(kind.dtype),
                )
            self._literals[key] = ref
        return self._literals[key]

    def remember(self, key: tuple[object, ...], make: Callable[[], Ref]) -> Ref:
        """The literal made under `key` earlier in this program, or a new one."""
        if key not in self._literals:
            self._literals[key] = make()
        return self._literals[key]

    # Movement that may turn out to be nothing

    def reshape(self, x: Ref, shape: Sequence[int]) -> Ref:
        """`x` in another shape; nothing where it has it."""
        kind = self.type(x)
        if kind.shape == tuple(shape):
            return x
        return self.emit(
            "aten.reshape.default", x, list(shape), out=ValueType(tuple(shape), kind.dtype)
        )

    def permute(self, x: Ref, order: Sequence[int]) -> Ref:
        """`x` with its dimensions reordered; nothing where they are in order."""
        kind = self.type(x)
        if list(order) == sorted(order):
            return x
        shape = tuple(kind.shape[d] for d in order)
        return self.emit("aten.permute.default", x, list(order), out=ValueType(shape, kind.dtype))

    def expand(self, x: Ref, shape: Sequence[int]) -> Ref:
        """`x` broadcast to `shape`; nothing where it has it."""
        kind = self.type(x)
        if kind.shape == tuple(shape):
            return x
        return self.emit(
            "aten.expand.default", x, list(shape), out=ValueType(tuple(shape), kind.dtype)
        )

    def convert(self, x: Ref, dtype: str) -> Ref:
        """`x` as another element type, in StableHLO's meaning; nothing where it has it."""
        kind = self.type(x)
        if kind.dtype == dtype:
            return x
        out = ValueType(kind.shape, dtype)
        if dtype == "i1" and not is_complex(kind.dtype):
            return self.emit("aten.ne.Scalar", x, 0, out=out)
        if _converts_in_torch(kind.dtype, dtype):
            return self.emit("aten._to_copy.default", x, out=out, dtype=Dtype(dtype))
        return self.emit("distc.convert", x, out=out, source=Dtype(kind.dtype), target=Dtype(dtype))

    def narrow(self, x: Ref, kind: str) -> Ref:
        """`x` brought back to the values of the narrow type `kind`."""
        return self.emit("distc.narrow", x, out=self.type(x), format=kind)

    def flip_sign(self, x: Ref) -> Ref:
        """Map hidden unsigned values to signed ones of the same order, and back."""
        kind = self.type(x)
        if kind.dtype not in HIDDEN_UNSIGNED:
            return x
        lowest = -(1 << (WIDTH[kind.dtype] - 1))
        return self.emit("aten.bitwise_xor.Scalar", x, lowest, out=kind)

    # Regions and scopes

    @contextmanager
    def at(self, op: ir.Operation) -> Iterator[None]:
        """Emit calls for `op` and give them its location."""
        outer, loc = self.op, self.loc
        self.op, self.loc = op, call_location(op)
        try:
            yield
        finally:
            self.op, self.loc = outer, loc

    def block(self, block: ir.Block) -> list[Ref]:
        """Lower the operations of a block; return what its terminator returns.

        Raises:
            UnsupportedOp: an operation that cannot run, or a tuple that is returned.
        """
        return self.refs(self.run_block(block))

    def run_block(self, block: ir.Block) -> list[ir.Value]:
        """Lower the operations of a block; return the values that its terminator returns."""
        for view in block.operations:
            op = view.operation
            if op.name in ("stablehlo.return", "func.return"):
                return list(op.operands)
            with self.at(op):
                self.lower_op(self, op)
        raise InputError("a region has no return", help="verify the module")

    def region(
        self, region: ir.Region, name: str, captures: Sequence[ir.Value] = ()
    ) -> tuple[Program, list[Ref]]:
        """Lower a region to a program; return it and the outer values it needs after its own.

        Raises:
            UnsupportedOp: regions nested deeper than a program may.
        """
        if self.depth >= MAX_DEPTH:
            raise self.unsupported(
                f"regions are nested deeper than {MAX_DEPTH}", help="flatten the control flow"
            )
        inner = Builder(self.lower_op, self.module, self.depth + 1, self)
        block = region.blocks[0]
        for argument in block.arguments:
            inner.define(argument, inner.add_input(value_type(argument, self.op)))
        inner.capture(captures)
        inner.loc = self.loc
        outputs = inner.block(block)
        return inner.program(outputs, name), inner.captured

    def unsupported(self, message: str, *, help: str) -> UnsupportedOp:
        """The error for the operation being lowered."""
        return UnsupportedOp(
            message, where=locations.where(self.op) if self.op is not None else None, help=help
        )


def _signed(value: Number, dtype: str) -> Number:
    """The literal as its storage type takes it."""
    if dtype not in HIDDEN_UNSIGNED or isinstance(value, float):
        return value
    width = WIDTH[dtype]
    return value - (1 << width) if value >= 1 << (width - 1) else value


def _converts_in_torch(source: str, target: str) -> bool:
    if source in HIDDEN_UNSIGNED or is_complex(source):
        return is_complex(source) and is_complex(target)
    if target in ("f16", "bf16") and source in ("f64", "i32", "i64"):
        return False  # torch goes by way of f32, which would round twice
    if is_float(source):
        return is_float(target) or is_complex(target)
    return True


def captured_values(regions: Sequence[ir.Region]) -> list[ir.Value]:
    """Values that regions use and do not define, in order of first use."""
    inside: set[ir.Value] = set()
    found: dict[ir.Value, None] = {}

    def visit(region: ir.Region) -> None:
        for block in region:
            inside.update(block.arguments)
            for op in block.operations:
                for operand in op.operands:
                    if operand not in inside:
                        found.setdefault(operand)
                for nested in op.regions:
                    visit(nested)
                inside.update(op.results)

    for region in regions:
        visit(region)
    return [v for v in found if not _is_constant(v)]


def _is_constant(value: ir.Value) -> bool:
    op = hlo.defining_op(value)
    return op is not None and op.name == "stablehlo.constant"


def call_location(op: ir.Operation) -> str:
    """`file:line:col in module path`, as far as known."""
    line = locations.file_line(op.location) or ""
    path = locations.module_path(op.location)
    return f"{line} in {path}" if path else line


def splat(value: ir.Value) -> Number | None:
    """The one value of all elements where a constant or a broadcast of one defines it."""
    op = hlo.defining_op(value)
    while op is not None and op.name in ("stablehlo.broadcast_in_dim", "stablehlo.reshape"):
        op = hlo.defining_op(op.operands[0])
    return None if op is None else hlo.splat_value(op)
