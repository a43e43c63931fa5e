"""Donation: a result that updates state is written into its tensor, as soon as that is right.

Writing is right once nothing reads the old value any more, nor a view of it. What may be a view is
said conservatively: an aten operator whose schema returns an alias, a collective (a group of one
returns its operand), a kernel that is not known to make new memory. A new value that may share
memory with any donated tensor (two states that swap) is copied first, so the order of the writes
does not matter; so is whatever else a caller gets that may be such a view.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import fx

from distc.runtime.kernels import KERNELS
from distc.runtime.kernels.indexing import scatter, scatter_set_
from distc.runtime.kernels.shape import dynamic_update_slice, dynamic_update_slice_

_aten = torch.ops.aten
_NEW_MEMORY: frozenset[Callable[..., Any]] = frozenset(
    KERNELS[name]
    for name in (
        "divide",
        "dynamic_update_slice",
        "embedding",
        "gather",
        "largest",
        "maximum",
        "minimum",
        "remainder",
        "scatter",
        "smallest",
    )
)
"""Kernels whose results never share memory with an operand."""

_Roots = dict[fx.Node, frozenset[fx.Node]]


def donate(graph: fx.Graph, donated: Mapping[int, int], *, in_place: bool = True) -> None:
    """Write results into the arguments they update, and return those arguments in their place.

    Args:
        graph: a rank's program; it is changed.
        donated: number of a result → number of the argument it replaces.
        in_place: let what changes a part of state, a cache, write that part alone.
    """
    if not donated:
        return
    arguments = [n for n in graph.nodes if n.op == "placeholder"]
    targets = {result: arguments[argument] for result, argument in donated.items()}
    output = next(n for n in reversed(graph.nodes) if n.op == "output")
    results: list[fx.Node] = list(output.args[0])
    if in_place:
        _write_in_place(graph, results, targets)
    _copy_views(graph, results, targets, arguments[-1])
    roots = _roots(graph, frozenset(targets.values()))
    order = {node: index for index, node in enumerate(graph.nodes)}
    after = {
        result: _last_read(results[result], target, roots, order, arguments[-1])
        for result, target in targets.items()
        if results[result] is not target
    }
    for result, anchor in after.items():
        new, target = results[result], targets[result]
        with graph.inserting_after(anchor):
            write = graph.call_function(_aten.copy_.default, (target, new))
        write.meta.update(new.meta)
        _read_target_afterwards(new, target, write, order, order[anchor])
        results[result] = target
    output.args = (tuple(results),)


def _may_alias(node: fx.Node) -> bool:
    if node.op != "call_function":
        return False
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        return any(r.alias_info is not None for r in target._schema.returns)
    return target not in _NEW_MEMORY


def _roots(graph: fx.Graph, donated: frozenset[fx.Node]) -> _Roots:
    """Return for each node the donated arguments whose memory it may share."""
    found: _Roots = {}
    for node in graph.nodes:
        if node in donated:
            found[node] = frozenset((node,))
        elif _may_alias(node):
            found[node] = frozenset().union(*(found[n] for n in node.all_input_nodes))
        else:
            found[node] = frozenset()
    return found


def _copy_views(
    graph: fx.Graph, results: list[fx.Node], targets: Mapping[int, fx.Node], last: fx.Node
) -> None:
    """Copy what is returned and may be a view of a donated tensor, right where it is made."""
    roots = _roots(graph, frozenset(targets.values()))
    for index, node in enumerate(results):
        if not roots[node] or targets.get(index) is node:
            continue
        with graph.inserting_after(last if node.op == "placeholder" else node):
            results[index] = graph.call_function(_aten.clone.default, (node,))
        results[index].meta.update(node.meta)


def _write_in_place(
    graph: fx.Graph, results: list[fx.Node], targets: Mapping[int, fx.Node]
) -> None:
    """Let what updates a part of state write that part alone: a cache is not copied."""
    roots = _roots(graph, frozenset(targets.values()))
    order = {node: index for index, node in enumerate(graph.nodes)}
    for index, target in targets.items():
        new = results[index]
        writer = _part_writer(new, target)
        if writer is None or results.count(new) > 1:
            continue
        operands = [n for n in writer.all_input_nodes if n is not target]
        late = _last_read(target, target, roots, order, target) is not writer
        if late or any(target in roots[n] for n in operands):
            continue
        if writer.target is scatter:
            kept = ("kinds", "unique")
            writer.args = (target, writer.args[1], writer.args[2][0])  # type: ignore[index]
            writer.kwargs = {k: v for k, v in writer.kwargs.items() if k not in kept}
            writer.target = scatter_set_
        else:
            writer.target = dynamic_update_slice_
        new.replace_all_uses_with(target, delete_user_cb=lambda user: user.op != "output")
        if new is not writer:
            output = next(user for user in new.users)
            output.replace_input_with(new, target)
            graph.erase_node(new)
        results[index] = target


def _part_writer(new: fx.Node, target: fx.Node) -> fx.Node | None:
    """Return the call that replaces a part of `target` if `new` is its only result, else None."""
    if new.target is dynamic_update_slice and new.args[0] is target:
        return new
    if new.target is not operator.getitem:
        return None
    call = new.args[0]
    if not isinstance(call, fx.Node) or call.target is not scatter or len(call.users) != 1:
        return None
    alone = call.args[0] == [target] and call.kwargs.get("kinds") == ["set"]
    return call if alone and "region" not in call.kwargs else None


def _last_read(
    new: fx.Node, target: fx.Node, roots: _Roots, order: Mapping[fx.Node, int], last: fx.Node
) -> fx.Node:
    """Return the last of: the node that makes `new`, every reader of `target` or a view of it."""
    shared = [node for node, found in roots.items() if target in found]
    readers = [user for node in shared for user in node.users if user.op != "output"]
    return max((new, last, *shared, *readers), key=order.__getitem__)


def _read_target_afterwards(
    new: fx.Node, target: fx.Node, write: fx.Node, order: Mapping[fx.Node, int], anchor: int
) -> None:
    """Let later readers of a new value read the state, so that the new value goes at once."""
    for user in list(new.users):
        late = user is not write and user.op != "output" and order.get(user, -1) > anchor
        if late and not _may_alias(user) and user.target is not operator.getitem:
            user.replace_input_with(new, target)
