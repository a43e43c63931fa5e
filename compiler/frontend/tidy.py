"""Clean a decomposed graph before import: drop clutter, shorten constant integer arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import unset_fake_temporarily

from distc.compiler.frontend import constants

MAX_LITERAL = 1024
"""Most elements of a constant that stays in the module; larger ones become arguments."""

_A = torch.ops.aten
_CHECKS = frozenset(
    (
        _A._assert_tensor_metadata.default,
        _A._assert_scalar.default,
        _A._assert_async.msg,
        _A.sym_constrain_range.default,
        _A.sym_constrain_range_for_size.default,
    )
)
_IDENTITIES = frozenset(
    (
        _A.alias.default,
        _A.clone.default,
        _A.detach.default,
        _A.lift_fresh.default,
        _A.lift_fresh_copy.default,
    )
)
_INDEXED = (_A.index.Tensor, _A.index_put.default)


def tidy(graph: fx.Graph, given: Mapping[str, Tensor]) -> None:
    """Rewrite a functional, decomposed graph in place.

    Args:
        graph: the graph to import; its owning module keeps the literals.
        given: values of the placeholders known beforehand.
    """
    for node in list(graph.nodes):
        if node.op == "call_function":
            _drop(graph, node)
    known = constants.known_values(graph, given)
    _read_grids(graph, known)
    _fold_integers(graph, known)
    _count_from_the_end(graph, known)
    graph.eliminate_dead_code()


def _drop(graph: fx.Graph, node: fx.Node) -> None:
    if node.target in _CHECKS:
        graph.erase_node(node)
        return
    if node.target in _IDENTITIES:
        _replace(graph, node, node.args[0])
        return
    if node.target == _A.max_pool2d_with_indices.default:
        _drop_pool_indices(graph, node)


def _replace(graph: fx.Graph, node: fx.Node, by: Any) -> None:
    node.replace_all_uses_with(by)
    graph.erase_node(node)


def _drop_pool_indices(graph: fx.Graph, node: fx.Node) -> None:
    """Use plain max_pool2d where nobody reads the indices."""
    users = list(node.users)
    if any(u.target is not operator.getitem or u.args[1] != 0 for u in users):
        return
    with graph.inserting_before(node):
        pooled = graph.call_function(_A.max_pool2d.default, node.args, node.kwargs)
    pooled.meta = {k: v for k, v in node.meta.items() if k != "tensor_meta"}
    pooled.meta["val"] = node.meta["val"][0]
    for user in users:
        _replace(graph, user, pooled)
    graph.erase_node(node)


def _read_grids(graph: fx.Graph, known: Mapping[fx.Node, Tensor]) -> None:
    """x[batch_grid, key_grid], as mask code reads a padding mask, is a view of x."""
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target != _A.index.Tensor or node in known:
            continue
        x, indices = node.args
        if any(i is not None and i not in known for i in indices):
            continue
        shape = x.meta["val"].shape
        found = constants.grid([None if i is None else known[i] for i in indices], shape)
        if found is None:
            continue
        order, result = found
        with graph.inserting_before(node):
            view = x
            if order != sorted(order):
                view = _emit(graph, node, _A.permute.default, view, order)
            view = _emit(graph, node, _A.view.default, view, result)
        _replace(graph, node, view)


def _fold_integers(graph: fx.Graph, known: Mapping[fx.Node, Tensor]) -> None:
    """Replace the last known node of every integer computation by its shortest description."""
    for node in list(graph.nodes):
        value = known.get(node)
        if value is None or node.op != "call_function" or not _is_integer(value):
            continue
        if node.target in (_A.full.default, _A.arange.start_step):
            continue
        if all(u in known and _is_integer(known[u]) for u in node.users):
            continue
        with graph.inserting_before(node):
            short = _describe(graph, node, value)
        if short is not None:
            _replace(graph, node, short)


def _count_from_the_end(graph: fx.Graph, known: Mapping[fx.Node, Tensor]) -> None:
    """A negative index counts from the end; the lowerings clamp it or drop the update."""
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in _INDEXED:
            continue
        x, indices = node.args[0], list(node.args[1])
        for dim, index in enumerate(indices):
            if index is None or not _may_be_negative(index, known):
                continue
            with graph.inserting_before(node):
                below = _emit(graph, node, _A.lt.Scalar, index, 0)
                moved = _emit(graph, node, _A.add.Scalar, index, x.meta["val"].shape[dim])
                indices[dim] = _emit(graph, node, _A.where.self, below, moved, index)
        node.update_arg(1, indices)


def _may_be_negative(index: fx.Node, known: Mapping[fx.Node, Tensor]) -> bool:
    if not _is_integer(index.meta["val"]) or index.meta["val"].dtype == torch.uint8:
        return False
    value = known.get(index)
    if value is None:
        return True
    with unset_fake_temporarily():
        return bool((value < 0).any())


def _is_integer(value: Tensor) -> bool:
    """Whether the value is an integer; masks stay comparisons of counters."""
    return value.dtype != torch.bool and not value.is_floating_point() and not value.is_complex()


def _describe(graph: fx.Graph, node: fx.Node, value: Tensor) -> fx.Node | None:
    """Return a fill, a counter along one dimension or a literal; None where none is short."""
    shape = list(value.shape)
    if value.numel() == 0:
        return None
    with unset_fake_temporarily():
        first = value.reshape(-1)[0].item()
        constant = bool((value == first).all())
        line = None if constant else constants.ramp(value)
    options = {"dtype": value.dtype, "device": torch.device("cpu"), "pin_memory": False}
    if constant:
        return _emit(graph, node, _A.full.default, shape, first, **options)
    if line is not None:
        dim, start, step = line
        end = start + step * shape[dim]
        count = _emit(graph, node, _A.arange.start_step, start, end, step, **options)
        column = [shape[dim] if d == dim else 1 for d in range(len(shape))]
        if column != [shape[dim]]:
            count = _emit(graph, node, _A.view.default, count, column)
        return count if column == shape else _emit(graph, node, _A.expand.default, count, shape)
    return _literal(graph, node, value) if value.numel() <= MAX_LITERAL else None


def _emit(graph: fx.Graph, node: fx.Node, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
    new = graph.call_function(target, args, kwargs)
    kept = ("stack_trace", "nn_module_stack", "custom")
    new.meta = {k: v for k, v in node.meta.items() if k in kept}
    values = fx.node.map_arg((args, kwargs), lambda a: a.meta["val"])
    mode = torch._guards.detect_fake_mode(node.meta["val"])
    with mode if mode is not None else torch.no_grad():
        new.meta["val"] = target(*values[0], **values[1])
    return new


def _literal(graph: fx.Graph, node: fx.Node, value: Tensor) -> fx.Node:
    with unset_fake_temporarily():
        value = value.contiguous().clone()
    return inline(graph, value, node.meta)


def inline(graph: fx.Graph, value: Tensor, meta: Mapping[str, Any]) -> fx.Node:
    """Add a constant that stays in the module, at the current insertion point."""
    owner = graph.owning_module
    assert owner is not None
    name = f"_literal_{sum(1 for n in owner._buffers if n.startswith('_literal_'))}"
    owner.register_buffer(name, value, persistent=False)
    new = graph.get_attr(name)
    new.meta = {"val": meta["val"], "literal": value}
    return new
