"""What in a graph is known before any input arrives.

Position ids, masks and index grids of a model at fixed shapes depend on nothing but constants;
`known_values` computes them once. `recognize` reads attention masks from it, `tidy` replaces
integer grids by their shortest description.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily

_MOST_ELEMENTS = 1 << 27
_MOST_COMPARED = 1 << 20
_A = torch.ops.aten
# What every element of these is.
_FILLS: dict[Any, Callable[[fx.Node], Any]] = {
    _A.full.default: lambda node: node.args[1],
    _A.full_like.default: lambda node: node.args[1],
    _A.new_full.default: lambda node: node.args[2],
    _A.zeros.default: lambda node: 0,
    _A.zeros_like.default: lambda node: 0,
    _A.ones.default: lambda node: 1,
    _A.ones_like.default: lambda node: 1,
}
# What torch does not tag as such.
_ELEMENTWISE = (
    _A._to_copy.default,
    _A.__and__.Scalar,
    _A.__and__.Tensor,
    _A.__or__.Scalar,
    _A.__or__.Tensor,
    _A.__xor__.Scalar,
    _A.__xor__.Tensor,
)
_UNWRITTEN = (
    _A.empty.memory_format,
    _A.empty_like.default,
    _A.empty_strided.default,
    _A.new_empty.default,
    _A.new_empty_strided.default,
)


def known_values(graph: fx.Graph, given: Mapping[str, Tensor]) -> dict[fx.Node, Tensor]:
    """Return the value of every node that depends on `given` placeholders and literals only.

    Args:
        graph: a functional graph with fake values in `node.meta["val"]`.
        given: placeholder name to its value, for lifted constants and non-persistent buffers.
    """
    known: dict[fx.Node, Tensor] = {}
    made: dict[tuple[Any, ...], Tensor] = {}
    with unset_fake_temporarily(), torch.no_grad():
        for node in graph.nodes:
            value = _value(node, known, given, made)
            if value is not None:
                known[node] = value
    return known


def _value(
    node: fx.Node,
    known: Mapping[fx.Node, Tensor],
    given: Mapping[str, Tensor],
    made: dict[tuple[Any, ...], Tensor],
) -> Tensor | None:
    """The value of one node; every layer makes the same mask, in `made` it is once."""
    if node.op == "placeholder":
        value = given.get(node.name)
        return None if value is None or isinstance(value, FakeTensor) else value.detach()
    if node.op == "get_attr":
        value = node.meta.get("literal")
        return value if isinstance(value, Tensor) else None
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return None
    if node.target in _FILLS:
        return _fill(node, made)
    if any(a not in known for a in node.all_input_nodes) or not _is_plain(node):
        return None
    args = fx.node.map_arg(node.args, lambda a: known[a])
    kwargs = fx.node.map_arg(node.kwargs, lambda a: known[a])
    key = (node.target, _identity(args), _identity(kwargs))
    if key in made:
        return made[key]
    try:
        value = _run(node, args, kwargs)
    except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
        return None
    if not isinstance(value, Tensor):
        return None
    made[key] = _folded(value)
    return made[key]


def _folded(value: Tensor) -> Tensor:
    """Integers that repeat along a dimension as one slice, expanded: a grid is a line again."""
    if value.is_floating_point() or value.is_complex() or value.numel() > _MOST_COMPARED:
        return value
    shape = value.shape
    for dim, size in enumerate(shape):
        first = value.narrow(dim, 0, 1) if size > 1 else value
        if size > 1 and bool((value == first).all()):
            value = first
    return value.expand(shape)


def _identity(value: Any) -> Any:
    """What tells arguments apart: tensors by who they are, anything else by type and value."""
    match value:
        case Tensor():
            return "tensor", id(value)
        case list() | tuple():
            return tuple(map(_identity, value))
        case dict():
            return tuple((k, _identity(v)) for k, v in sorted(value.items()))
    return type(value), repr(value)


def _run(node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a node; elementwise along dimensions that all arguments repeat only once."""
    target: Any = node.target
    shape = node.meta["val"].shape
    elementwise = target in _ELEMENTWISE or torch.Tag.pointwise in target.tags
    wide = [a.expand(shape) for a in args if isinstance(a, Tensor)] if elementwise else []
    if not wide:
        is_view = any(a.alias_info is not None for a in target._schema.arguments)
        return target(*args, **kwargs) if is_view or shape.numel() <= _MOST_ELEMENTS else None
    repeated = [d for d, n in enumerate(shape) if n > 1 and not any(w.stride(d) for w in wide)]

    if math.prod(n for d, n in enumerate(shape) if d not in repeated) > _MOST_ELEMENTS:
        return None

    def once(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        value = value.expand(shape)
        for dim in repeated:
            value = value.narrow(dim, 0, 1)
        return value

    found = target(*map(once, args), **kwargs)
    return found.expand(shape) if isinstance(found, Tensor) else found


def _fill(node: fx.Node, made: dict[tuple[Any, ...], Tensor]) -> Tensor | None:
    """One element, expanded: gradients start from zeros as large as the activations."""
    like, number = node.meta.get("val"), _FILLS[node.target](node)
    if not isinstance(like, Tensor) or isinstance(number, fx.Node):
        return None
    key = ("fill", repr(number), like.dtype, tuple(like.shape))
    return made.setdefault(key, torch.full([], number, dtype=like.dtype).expand(like.shape))


def _is_plain(node: fx.Node) -> bool:
    """Whether running the node is repeatable and without side effects."""
    target: Any = node.target
    if not isinstance(node.meta.get("val"), Tensor):
        return False
    if (
        target in _UNWRITTEN
        or target._schema.is_mutable
        or torch.Tag.nondeterministic_seeded in target.tags
    ):
        return False
    return target.namespace in ("aten", "prims")


def is_causal_mask(mask: Tensor) -> bool:
    """Whether a mask [.., Sq, Sk] lets row i see exactly columns 0 … i.

    Boolean masks say so with True, additive masks with 0 against -inf or the dtype's minimum.
    """
    allowed = _allowed(mask)
    if allowed is None:
        return False
    causal = torch.ones(mask.shape[-2:], dtype=torch.bool).tril()
    return bool((allowed == causal).all())


def is_open_mask(mask: Tensor) -> bool:
    """Whether a mask lets every row see every column."""
    allowed = _allowed(mask)
    return allowed is not None and bool(allowed.all())


def _allowed(mask: Tensor) -> Tensor | None:
    if mask.dtype == torch.bool:
        return mask
    closed = mask <= torch.finfo(mask.dtype).min
    return ~closed if bool(((mask == 0) | closed).all()) else None


def ramp(value: Tensor) -> tuple[int, int, int] | None:
    """Return (dimension, start, step) of an integer tensor that counts along one dimension.

    None where it does not: two dimensions vary, or steps differ.
    """
    if value.dtype == torch.bool or value.is_floating_point() or value.is_complex():
        return None
    found = None
    for dim, size in enumerate(value.shape):
        first = value.select(dim, 0).unsqueeze(dim)
        if size == 1 or bool((value == first).all()):
            continue
        if found is not None:
            return None
        found = dim
    if found is None:
        return None
    line = value[tuple(slice(None) if d == found else 0 for d in range(value.dim()))]
    step = int(line[1] - line[0])
    if not bool((line[1:] - line[:-1] == step).all()):
        return None
    return found, int(line[0]), step


def grid(indices: list[Tensor | None], shape: torch.Size) -> tuple[list[int], list[int]] | None:
    """Recognise x[i, j, …] that reads every element of x once, in order of the dimensions.

    Each index must count 0 … n-1 along a dimension of its own, as mask code writes
    `mask[batch_grid, key_grid]`.

    Returns:
        The permutation of x's dimensions and the result shape, or None.
    """
    if len(indices) != len(shape) or any(i is None for i in indices):
        return None
    tensors = [i for i in indices if i is not None]
    result = reduce(torch.add, tensors).shape
    places: list[int | None] = []
    for index, size in zip(tensors, shape, strict=True):
        wide = index.reshape([1] * (len(result) - index.dim()) + list(index.shape))
        if size == 1 and wide.numel() == 1 and int(wide.reshape(-1)[0]) == 0:
            places.append(None)
            continue
        line = ramp(wide)
        if line is None or wide.numel() != size or line[1:] != (0, 1):
            return None
        places.append(line[0])
    varying = [p for p in places if p is not None]
    if len(set(varying)) != len(varying) or math.prod(result) != math.prod(shape):
        return None
    order = sorted(range(len(shape)), key=lambda d: -1 if places[d] is None else places[d] or 0)
    return order, list(result)
