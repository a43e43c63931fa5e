"""Name what cannot be compiled while the graph still knows where it comes from."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, fx
from torch._ops import HigherOrderOperator, OpOverload
from torch.utils import _pytree as pytree

from distc.compiler.frontend.importer import dtype_name
from distc.compiler.frontend.places import node_place
from distc.runtime.errors import UnsupportedOp

_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)
_BATCH_NORM = torch.ops.aten.batch_norm.default


def unsupported(name: str, where: str | None) -> UnsupportedOp:
    """Return the error for a PyTorch operator without a lowering."""
    return UnsupportedOp(
        f"PyTorch operator {name} cannot be compiled",
        where=where,
        help="replace it by other operators, or move it out of the model",
    )


def needs_functional_form(graph: fx.Graph) -> bool:
    """Whether the graph has in-place operators or nested graphs, which later steps cannot read."""
    return any(_writes_or_nests(node) for node in graph.nodes)


def _writes_or_nests(node: fx.Node) -> bool:
    target = node.target
    if isinstance(target, HigherOrderOperator):
        return True
    if target == _BATCH_NORM:  # its schema does not say that training writes the statistics
        return bool(node.args[5]) and node.args[3] is not None
    return isinstance(target, OpOverload) and target._schema.is_mutable


def refuse_values(graph: fx.Graph) -> None:
    """Refuse numbers and shapes that depend on the values of tensors.

    Raises:
        UnsupportedOp: the operator that makes the first one.
    """
    for node in graph.nodes:
        if node.op == "call_function":
            _refuse_values(node)


def _refuse_values(node: fx.Node) -> None:
    for value in pytree.tree_leaves(node.meta.get("val")):
        if isinstance(value, _SYMBOLS):
            raise UnsupportedOp(
                f"PyTorch operator {node.target} turns the value of a tensor into a Python number",
                where=node_place(node),
                help="compute with the tensor itself: leave out .item(), int() or float()",
            )
        if isinstance(value, Tensor) and not all(isinstance(d, int) for d in value.shape):
            raise UnsupportedOp(
                f"PyTorch operator {node.target} has a result whose shape depends on values",
                where=node_place(node),
                help="use an operator with a fixed result shape: torch.where, topk, padding",
            )


def refuse_operators(graph: fx.Graph) -> None:
    """Refuse nested graphs, random numbers and dtypes without an equivalent.

    Raises:
        UnsupportedOp: the first such operator.
    """
    for node in graph.nodes:
        if node.op == "call_function":
            _refuse_operator(node)


def _refuse_operator(node: fx.Node) -> None:
    target: Any = node.target
    if isinstance(target, HigherOrderOperator):
        raise unsupported(str(target), node_place(node))
    if isinstance(target, OpOverload) and torch.Tag.nondeterministic_seeded in target.tags:
        raise UnsupportedOp(
            f"PyTorch operator {target} draws random numbers",
            where=node_place(node),
            help="call model.eval() before compiling for inference, and drop nothing then: "
            "training=self.training; a training step draws the masks of F.dropout, nn.Dropout and "
            "scaled_dot_product_attention, no other random numbers",
        )
    for value in pytree.tree_leaves(node.meta.get("val")):
        if isinstance(value, Tensor):
            _refuse_dtype(node, value)


def _refuse_dtype(node: fx.Node, value: Tensor) -> None:
    try:
        dtype_name(value.dtype)
    except UnsupportedOp as error:
        raise UnsupportedOp(
            f"PyTorch operator {node.target}: {error.message}",
            where=node_place(node),
            help=error.help,
        ) from None
