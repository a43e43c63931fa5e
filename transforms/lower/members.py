"""Tuples, tokens and asynchronous forms: known while a program is made, gone when it runs."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.program import Ref, ValueType
from distc.transforms.lower.builder import Builder, Bundle, Item
from distc.transforms.lower.registry import lowering
from distc.transforms.lower.shape import constant_ints


@lowering("after_all", "create_token")
def lower_token(b: Builder, op: ir.Operation) -> Ref:
    """`after_all`, `create_token`: calls run in their order, so a token says nothing."""
    return b.full(False, ValueType((), "i1"))


@lowering("tuple")
def lower_tuple(b: Builder, op: ir.Operation) -> Bundle:
    """`tuple`: its members."""
    return Bundle(tuple(b.item(v) for v in op.operands))


@lowering("get_tuple_element")
def lower_get_tuple_element(b: Builder, op: ir.Operation) -> Item:
    """`get_tuple_element`: one member.

    Raises:
        UnsupportedOp: of a tuple that no operation of the function makes.
    """
    found = b.item(op.operands[0])
    if not isinstance(found, Bundle):
        raise b.unsupported(
            "get_tuple_element of a tuple that is an argument cannot run",
            help="pass its members one by one",
        )
    return found.members[hlo.integer(op, "index")]


@lowering("async_start")
def lower_async_start(b: Builder, op: ir.Operation) -> Bundle:
    """`async_start`: runs at once; `async_done` takes the results."""
    block = op.regions[0].blocks[0]
    for argument, value in zip(block.arguments, op.operands, strict=True):
        b.define(argument, b.item(value))
    return Bundle(tuple(b.item(v) for v in b.run_block(block)))


@lowering("async_done")
def lower_async_done(b: Builder, op: ir.Operation) -> Sequence[Item]:
    """`async_done`: what was started."""
    found = b.item(op.operands[0])
    if not isinstance(found, Bundle):
        raise b.unsupported(
            "async_done of a future that is an argument cannot run", help="start it here"
        )
    return found.members


@lowering("set_dimension_size")
def lower_set_dimension_size(b: Builder, op: ir.Operation) -> Ref:
    """`set_dimension_size` to the size that the dimension has.

    Raises:
        UnsupportedOp: to another size, or one computed at run time: shapes are static.
    """
    dim, (size,) = hlo.integer(op, "dimension"), constant_ints(b, op.operands[1])
    found = hlo.shape(op.operands[0])[dim]
    if size != found:
        raise b.unsupported(
            f"set_dimension_size makes dimension {dim} of {found} elements {size}",
            help="export the program with static shapes, and slice",
        )
    return b.ref(op.operands[0])
