"""Put the whole operators of `operators` in place of PyTorch's, before decomposition.

Runs on the graph of torch.export, where linear, attention, layer norm … are still one node each.
Hand-written RMSNorm (to f32, square, mean, rsqrt, scale, cast back, weight) is recognised too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, fx

from distc.compiler.frontend import constants
from distc.compiler.frontend.operators import CONTRACT, TARGETS

_A = torch.ops.aten
Args = Mapping[str, Any]


def recognize(graph: fx.Graph, given: Mapping[str, Tensor]) -> None:
    """Rewrite `graph` in place. `given` holds the values of placeholders known beforehand."""
    known = constants.known_values(graph, given)
    for node in list(graph.nodes):
        if node.op != "call_function" or (not node.users and not node.is_impure()):
            continue
        rewrite = _REWRITES.get(node.target)
        if rewrite is None:
            continue
        with graph.inserting_before(node):
            new = rewrite(_Emitter(graph, node, known), _bound(node))
        if new is None:
            continue
        node.replace_all_uses_with(new)
        graph.erase_node(node)
    graph.eliminate_dead_code()
    graph.lint()


class _Emitter:
    """Adds nodes in place of `node`, with its metadata and with fake values."""

    def __init__(self, graph: fx.Graph, node: fx.Node, known: Mapping[fx.Node, Tensor]) -> None:
        self.graph = graph
        self.node = node
        self.known = known

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
        new = self.graph.call_function(target, args, kwargs)
        kept = ("stack_trace", "nn_module_stack", "custom", "torch_fn")
        new.meta = {k: v for k, v in self.node.meta.items() if k in kept}
        values = fx.node.map_arg((args, kwargs), lambda a: a.meta["val"])
        with _mode_of(values):
            new.meta["val"] = target(*values[0], **values[1])
        return new

    def contract(
        self,
        a: fx.Node,
        b: fx.Node,
        batch: tuple[Sequence[int], Sequence[int]],
        inner: tuple[Sequence[int], Sequence[int]],
    ) -> fx.Node:
        return self(CONTRACT, a, b, *map(list, batch), *map(list, inner))


def _mode_of(values: Any) -> Any:
    mode = torch._guards.detect_fake_mode(values)
    return mode if mode is not None else torch.no_grad()


def _bound(node: fx.Node) -> dict[str, Any]:
    """Return the node's arguments by schema name, defaults filled in."""
    target: Any = node.target
    bound: dict[str, Any] = {}
    for place, argument in enumerate(target._schema.arguments):
        if place < len(node.args):
            bound[argument.name] = node.args[place]
        else:
            default = argument.default_value if argument.has_default_value() else None
            bound[argument.name] = node.kwargs.get(argument.name, default)
    return bound


def _val(node: Any) -> Tensor:
    value = node.meta["val"]
    assert isinstance(value, Tensor)
    return value


def _linear(emit: _Emitter, a: Args) -> fx.Node:
    x, weight, bias = a["input"], a["weight"], a["bias"]
    last = _val(x).dim() - 1
    y = emit.contract(x, weight, ([], []), ([last], [1]))
    return y if bias is None else emit(_A.add.Tensor, y, bias)


def _matmul(emit: _Emitter, a: Args) -> fx.Node | None:
    left, right = a.get("self"), a.get("other", a.get("mat2"))
    assert isinstance(left, fx.Node) and isinstance(right, fx.Node)
    x, y = _val(left), _val(right)
    if x.dim() < 2 or y.dim() < 2:
        return None
    if y.dim() == 2:
        return emit.contract(left, right, ([], []), ([x.dim() - 1], [0]))
    if x.shape[:-2] != y.shape[:-2]:
        return None
    batch = list(range(x.dim() - 2))
    return emit.contract(left, right, (batch, batch), ([x.dim() - 1], [y.dim() - 2]))


def _addmm(emit: _Emitter, a: Args) -> fx.Node | None:
    if a["beta"] != 1 or a["alpha"] != 1:
        return None
    y = emit.contract(a["mat1"], a["mat2"], ([], []), ([1], [0]))
    return emit(_A.add.Tensor, y, a["self"])


def _einsum(emit: _Emitter, a: Args) -> fx.Node | None:
    operands = a["tensors"]
    inputs, arrow, output = a["equation"].replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(operands) != 2 or not arrow or not all(t.isalpha() for t in (*terms, output)):
        return None
    left, right = terms
    if any(len(set(t)) != len(t) for t in (left, right, output)):
        return None
    sizes = [dict(zip(t, _val(o).shape, strict=True)) for t, o in zip(terms, operands, strict=True)]
    shared = [c for c in left if c in right]
    alone = [c for c in (*left, *right) if c not in shared and c not in output]
    if alone or any(sizes[0][c] != sizes[1][c] for c in shared):
        return None
    batch = [c for c in shared if c in output]
    inner = [c for c in shared if c not in output]
    y = emit.contract(
        operands[0],
        operands[1],
        ([left.index(c) for c in batch], [right.index(c) for c in batch]),
        ([left.index(c) for c in inner], [right.index(c) for c in inner]),
    )
    free = [c for t in (left, right) for c in t if c not in shared]
    order = [(*batch, *free).index(c) for c in output]
    return y if order == sorted(order) else emit(_A.permute.default, y, order)


def _attention(emit: _Emitter, a: Args) -> fx.Node | None:
    q, k, v, mask = a["query"], a["key"], a["value"], a["attn_mask"]
    rank = _val(q).dim()
    if a["dropout_p"] or rank not in (3, 4) or {_val(k).dim(), _val(v).dim()} != {rank}:
        return None
    causal, scale = a["is_causal"], a["scale"]
    if mask is not None and mask in emit.known:
        value = emit.known[mask]
        if constants.is_open_mask(value):
            mask = None
        elif value.dim() >= 2 and constants.is_causal_mask(value):
            mask, causal = None, True
    if rank == 3:
        q, k, v = (emit(_A.unsqueeze.default, t, 1) for t in (q, k, v))
    if _val(k).shape[1] != _val(q).shape[1]:
        if not a["enable_gqa"]:
            return None
        k, v = (_repeat_heads(emit, t, _val(q).shape[1]) for t in (k, v))
    if _val(k).shape[0] != _val(q).shape[0] or _val(v).shape[:3] != _val(k).shape[:3]:
        return None
    mask = None if mask is None else _mask(emit, mask, _val(q).shape[2], _val(k).shape[2], rank)
    scale = 1.0 / math.sqrt(_val(q).shape[3]) if scale is None else float(scale)
    y = emit(TARGETS["attention"], q, k, v, mask, bool(causal), scale)
    return y if rank == 4 else emit(_A.squeeze.dim, y, 1)


def _repeat_heads(emit: _Emitter, x: fx.Node, heads: int) -> fx.Node:
    """Expand key or value heads [B, G, S, D] to [B, heads, S, D]."""
    b, groups, s, d = _val(x).shape
    wide = emit(_A.unsqueeze.default, x, 2)
    wide = emit(_A.expand.default, wide, [b, groups, heads // groups, s, d])
    return emit(_A.reshape.default, wide, [b, heads, s, d])


def _mask(emit: _Emitter, mask: fx.Node, rows: int, columns: int, rank: int) -> fx.Node:
    """Return the mask as [B|1, H|1, rows, columns], narrowed where an expand only repeats it."""
    source = mask.args[0] if mask.target == _A.expand.default else mask
    assert isinstance(source, fx.Node)
    shape = list(_val(source).shape)
    if rank == 3 and len(shape) == 3:
        shape.insert(1, 1)
    shape = [1] * (4 - len(shape)) + shape
    narrow = emit(_A.reshape.default, source, shape)
    full = [*shape[:2], rows, columns]
    return narrow if shape == full else emit(_A.expand.default, narrow, full)


def _layer_norm(emit: _Emitter, a: Args) -> fx.Node:
    rank = len(a["normalized_shape"])
    return emit(TARGETS["layer_norm"], a["input"], a["weight"], a["bias"], rank, float(a["eps"]))


def _rms_norm(emit: _Emitter, a: Args) -> fx.Node | None:
    x, weight, eps = a["input"], a["weight"], a["eps"]
    if weight is not None and _val(weight).dtype != _val(x).dtype:
        return None
    wide = torch.float32 if _val(x).dtype in (torch.float16, torch.bfloat16) else _val(x).dtype
    eps = torch.finfo(wide).eps if eps is None else float(eps)
    return emit(TARGETS["rms_norm"], x, weight, len(a["normalized_shape"]), eps)


def _written_rms_norm(emit: _Emitter, _: Args) -> fx.Node | None:
    """Match w · cast(x32 · rsqrt(mean(x32²) + eps)) at its last multiply."""
    node = emit.node
    left, right = node.args[0], node.args[1]
    for scaled, weight in ((left, right), (right, left)):
        found = _normalised(scaled)
        if found is None or not isinstance(weight, fx.Node):
            continue
        x, eps = found
        dtype = _val(x).dtype
        if list(_val(weight).shape) != [_val(x).shape[-1]] or _val(weight).dtype != dtype:
            continue
        if _val(node).dtype == dtype:
            return emit(TARGETS["rms_norm"], x, weight, 1, eps)
    return None


def _normalised(value: Any) -> tuple[fx.Node, float] | None:
    """Match cast(x32 · rsqrt(mean(x32², -1) + eps)); return x and eps."""
    product = _uncast(value)
    if not _is(product, _A.mul.Tensor):
        return None
    left, right = product.args[0], product.args[1]
    for wide, root in ((left, right), (right, left)):
        eps = _root_mean_square(root, wide)
        if eps is not None:
            x = _uncast(wide)
            return (x, eps) if _val(x).dtype == _val(value).dtype else (wide, eps)
    return None


def _root_mean_square(root: Any, wide: Any) -> float | None:
    """Return eps when root = rsqrt(mean(wide², last, keepdim) + eps), else None."""
    if not _is(root, _A.rsqrt.default) or not isinstance(wide, fx.Node):
        return None
    shifted = root.args[0]
    if not _is(shifted, _A.add.Tensor) or not isinstance(shifted.args[1], int | float):
        return None
    mean = shifted.args[0]
    if not _is(mean, _A.mean.dim) or mean.kwargs or len(mean.args) != 3 or not mean.args[2]:
        return None
    if mean.args[1] not in ([-1], [_val(wide).dim() - 1]):
        return None
    square = mean.args[0]
    if _is(square, _A.pow.Tensor_Scalar):
        same = square.args[0] is wide and square.args[1] == 2
    else:
        same = _is(square, _A.mul.Tensor) and square.args[0] is square.args[1] is wide
    return float(shifted.args[1]) if same else None


def _is(node: Any, target: Any) -> bool:
    return isinstance(node, fx.Node) and node.target == target


_CASTS = frozenset(
    (_A.to.dtype, _A.to.dtype_layout, _A._to_copy.default, _A.type_as.default, _A.alias.default)
)


def _uncast(node: Any) -> Any:
    """Follow casts between float types to what they cast."""
    while isinstance(node, fx.Node) and node.target in _CASTS:
        source = node.args[0]
        if not isinstance(source, fx.Node) or not _val(source).is_floating_point():
            return node
        node = source
    return node


def _softmax(name: str) -> Callable[[_Emitter, Args], fx.Node | None]:
    def rewrite(emit: _Emitter, a: Args) -> fx.Node | None:
        x, dtype = a["self"], a["dtype"]
        if not _val(x).dim() or not (_val(x).is_floating_point() or dtype):
            return None
        if dtype is not None and dtype != _val(x).dtype:
            x = emit(_A.to.dtype, x, dtype)
        return emit(TARGETS[name], x, a["dim"] % _val(x).dim())

    return rewrite


def _gelu(emit: _Emitter, a: Args) -> fx.Node:
    return emit(TARGETS["gelu"], a["self"], a["approximate"])


def _silu(emit: _Emitter, a: Args) -> fx.Node:
    return emit(TARGETS["silu"], a["self"])


def _embedding(emit: _Emitter, a: Args) -> fx.Node:
    return emit(TARGETS["embedding"], a["weight"], a["indices"])


def _cross_entropy(emit: _Emitter, a: Args) -> fx.Node | None:
    logits, target = a["self"], a["target"]
    plain = _val(logits).dim() == 2 and _val(target).dim() == 1
    if not plain or a["weight"] is not None or _val(target).is_floating_point():
        return None
    reduction = ("none", "mean", "sum")[a["reduction"]]
    smoothing = float(a["label_smoothing"])
    operator = TARGETS["cross_entropy"]
    return emit(operator, logits, target, reduction, int(a["ignore_index"]), smoothing)


def _view(emit: _Emitter, a: Args) -> fx.Node:
    """A view is a reshape: strides of replaced operators may differ from PyTorch's kernels."""
    return emit(_A.reshape.default, a["self"], a["size"])


_REWRITES: dict[Any, Callable[[_Emitter, Args], fx.Node | None]] = {
    _A.addmm.default: _addmm,
    _A.bmm.default: _matmul,
    _A.cross_entropy_loss.default: _cross_entropy,
    _A.einsum.default: _einsum,
    _A.embedding.default: _embedding,
    _A.gelu.default: _gelu,
    _A.layer_norm.default: _layer_norm,
    _A.linear.default: _linear,
    _A.log_softmax.int: _softmax("log_softmax"),
    _A.matmul.default: _matmul,
    _A.mm.default: _matmul,
    _A.mul.Tensor: _written_rms_norm,
    _A.rms_norm.default: _rms_norm,
    _A.scaled_dot_product_attention.default: _attention,
    _A.silu.default: _silu,
    _A.softmax.int: _softmax("softmax"),
    _A.view.default: _view,
}
