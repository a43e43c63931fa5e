"""Decompose the operators of a functional graph in place, each distinct signature once.

`ExportedProgram.run_decompositions` traces the whole program again, node by node. A deep model
repeats a few dozen signatures, so tracing each once and copying the result takes half the time
off an export.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, fx
from torch._dispatch.python import enable_python_dispatcher
from torch._export.utils import _is_preservable_cia_op
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import _pytree as pytree

from distc.compiler.frontend.decompositions import table
from distc.compiler.frontend.places import node_place
from distc.compiler.frontend.refuse import unsupported
from distc.compiler.frontend.tidy import inline

_KEPT = ("stack_trace", "nn_module_stack", "custom")


def decompose(graph: fx.Graph) -> None:
    """Replace every operator that is in the decomposition table by its decomposition."""
    templates: dict[Any, fx.Graph] = {}
    for node in list(graph.nodes):
        if not _is_decomposable(node):
            continue
        key = _signature(node)
        if key not in templates:
            templates[key] = _traced(node)
        with graph.inserting_before(node):
            results = _copy(graph, node, templates[key])
        _replace(graph, node, results)


def _is_decomposable(node: fx.Node) -> bool:
    """In the table, or a composition PyTorch itself never keeps whole, such as dropout."""
    target = node.target
    if node.op != "call_function" or not isinstance(target, OpOverload):
        return False
    return target in table() or (target._can_decompose() and not _is_preservable_cia_op(target))


def _leaves(node: fx.Node) -> tuple[list[Any], Any]:
    leaves, spec = pytree.tree_flatten((tuple(node.args), dict(node.kwargs)))
    return leaves, spec


def _signature(node: fx.Node) -> Any:
    leaves, spec = _leaves(node)
    return (node.target, str(spec), *(_leaf_signature(leaf) for leaf in leaves))


def _leaf_signature(leaf: Any) -> Any:
    if not isinstance(leaf, fx.Node):
        return type(leaf), repr(leaf)
    value = leaf.meta["val"]
    if not isinstance(value, Tensor):
        return leaf
    return tuple(value.shape), value.stride(), value.dtype


def _traced(node: fx.Node) -> fx.Graph:
    try:
        return _trace(node)
    except (RuntimeError, NotImplementedError, TypeError, ValueError, AssertionError):
        raise unsupported(str(node.target), node_place(node)) from None


def _trace(node: fx.Node) -> fx.Graph:
    """Return the decomposition of one node; its placeholders are the node's inputs in order."""
    leaves, spec = _leaves(node)
    values = [leaf.meta["val"] for leaf in leaves if isinstance(leaf, fx.Node)]
    target: Any = node.target
    replacement = table().get(target)

    def call(*inputs: Any) -> Any:
        left = iter(inputs)
        given = [next(left) if isinstance(leaf, fx.Node) else leaf for leaf in leaves]
        args, kwargs = pytree.tree_unflatten(given, spec)
        # An operator that PyTorch composes itself never reaches the table of make_fx.
        result = NotImplemented if replacement is None else replacement(*args, **kwargs)
        return target(*args, **kwargs) if result is NotImplemented else result

    mode = torch._guards.detect_fake_mode((node.meta.get("val"), values))
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(sdpa_kernel(SDPBackend.MATH))
        # Device-neutral compositions instead of the CPU's fused operators.
        stack.enter_context(enable_python_dispatcher())
        stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        if mode is not None:
            stack.enter_context(mode)
        traced = make_fx(call, decomposition_table=table())(*values)
        if any(_mutates(inner) for inner in traced.graph.nodes):
            functional = torch.func.functionalize(call, remove="mutations")
            traced = make_fx(functional, decomposition_table=table())(*values)
    traced.graph.eliminate_dead_code()
    return traced.graph


def _mutates(node: fx.Node) -> bool:
    return isinstance(node.target, OpOverload) and node.target._schema.is_mutable


def _copy(graph: fx.Graph, node: fx.Node, template: fx.Graph) -> Any:
    """Insert a template for `node`; return its result, a node or a sequence of nodes."""
    inputs = iter(leaf for leaf in _leaves(node)[0] if isinstance(leaf, fx.Node))
    copies: dict[fx.Node, fx.Node] = {}
    kept = {k: v for k, v in node.meta.items() if k in _KEPT}
    for inner in template.nodes:
        match inner.op:
            case "placeholder":
                copies[inner] = next(inputs)
            case "output":
                return fx.node.map_arg(inner.args[0], lambda n: copies[n])
            case "get_attr":
                copies[inner] = _literal(graph, template, inner, kept)
            case _:
                copy = graph.node_copy(inner, lambda n: copies[n])
                copy.meta = {**kept, **{k: v for k, v in inner.meta.items() if k == "val"}}
                copies[inner] = copy
    return None


def _literal(
    graph: fx.Graph, template: fx.Graph, inner: fx.Node, kept: Mapping[str, Any]
) -> fx.Node:
    """Copy a constant that a decomposition made."""
    value = getattr(template.owning_module, str(inner.target))
    assert isinstance(value, Tensor) and not isinstance(value, FakeTensor)
    with unset_fake_temporarily():
        value = value.detach().clone()
    return inline(graph, value, {**kept, "val": inner.meta.get("val", value)})


def _replace(graph: fx.Graph, node: fx.Node, results: Any) -> None:
    if isinstance(results, fx.Node):
        node.replace_all_uses_with(results)
        graph.erase_node(node)
        return
    for user in list(node.users):
        if user.target is operator.getitem and isinstance(results, list | tuple):
            index: Any = user.args[1]
            user.replace_all_uses_with(results[index])
            graph.erase_node(user)
    if not node.users:
        graph.erase_node(node)
