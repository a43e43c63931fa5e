"""Operators that stay whole through export: one torch.library op each.

The export pass `recognize` puts them in place of PyTorch's own, decomposition leaves them alone,
and `composites` turns each into a `stablehlo.composite` whose body is the reference function of
this file, traced for the shapes at hand. `contract` is a dot_general and has no composite.

A reference function computes what PyTorch's operator computes. Low precision is normalised in
f32, as PyTorch's kernels do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_NAMESPACE = "distc_export"
_library: Any = torch.library.Library(_NAMESPACE, "FRAGMENT")  # type: ignore[no-untyped-call]


def contract(
    a: Tensor, b: Tensor, lb: Sequence[int], rb: Sequence[int], lc: Sequence[int], rc: Sequence[int]
) -> Tensor:
    """Return dot_general(a, b): `[batch…, free dims of a…, free dims of b…]`."""
    free_a = [d for d in range(a.dim()) if d not in (*lb, *lc)]
    free_b = [d for d in range(b.dim()) if d not in (*rb, *rc)]
    batch = [a.shape[d] for d in lb]
    inner = math.prod(a.shape[d] for d in lc)
    rows = [a.shape[d] for d in free_a]
    columns = [b.shape[d] for d in free_b]
    left = a.permute([*lb, *free_a, *lc]).reshape(math.prod(batch), math.prod(rows), inner)
    right = b.permute([*rb, *rc, *free_b]).reshape(math.prod(batch), inner, math.prod(columns))
    product: Tensor = left.bmm(right)
    return product.reshape([*batch, *rows, *columns])


def _contract_shape(
    a: Tensor, b: Tensor, lb: Sequence[int], rb: Sequence[int], lc: Sequence[int], rc: Sequence[int]
) -> Tensor:
    free_a = [a.shape[d] for d in range(a.dim()) if d not in (*lb, *lc)]
    free_b = [b.shape[d] for d in range(b.dim()) if d not in (*rb, *rc)]
    return a.new_empty([*(a.shape[d] for d in lb), *free_a, *free_b])


def _wide(x: Tensor) -> Tensor:
    """Return x in f32 when it is a 16-bit float, else x."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def _narrow(x: Tensor, dtype: torch.dtype) -> Tensor:
    return x if x.dtype == dtype else x.to(dtype)


def _scalar(value: float, like: Tensor) -> Tensor:
    """Return a rank-0 tensor that is traced as a fill, not as a lifted constant."""
    return torch.full((), value, dtype=like.dtype)


def attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, is_causal: bool, scale: float
) -> Tensor:
    """Return scaled dot-product attention of q [B,H,Sq,D], k [B,H,Sk,D], v [B,H,Sk,Dv].

    A row whose keys are all masked out gives zeros, as in PyTorch.
    """
    scores = _wide(_op("contract")(q, k, [0, 1], [0, 1], [3], [3])) * scale
    if is_causal:
        rows, columns = torch.arange(q.shape[2]), torch.arange(k.shape[2])
        mask = rows[:, None] >= columns[None, :]
    if mask is None or is_causal:
        scores = scores if mask is None else torch.where(mask, scores, _scalar(-math.inf, scores))
        weights = softmax(scores, 3)
    else:
        bias = mask.dtype != torch.bool
        scores = scores + mask if bias else torch.where(mask, scores, _scalar(-math.inf, scores))
        weights = _safe_softmax(scores)
    mixed: Tensor = _op("contract")(_narrow(weights, v.dtype), v, [0, 1], [0, 1], [3], [2])
    return mixed


def _safe_softmax(x: Tensor) -> Tensor:
    """Softmax over the last dimension where a row of -inf gives zeros."""
    top = x.amax(-1, keepdim=True)
    e = torch.exp(x - torch.where(top == -math.inf, _scalar(0.0, x), top))
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0.0, _scalar(1.0, x), total)


def softmax(x: Tensor, dim: int) -> Tensor:
    """Return exp(x - max) / sum over `dim`."""
    wide = _wide(x)
    e = torch.exp(wide - wide.amax(dim, keepdim=True))
    return _narrow(e / e.sum(dim, keepdim=True), x.dtype)


def log_softmax(x: Tensor, dim: int) -> Tensor:
    """Return x - max - log(sum(exp(x - max))) over `dim`."""
    wide = _wide(x)
    shifted = wide - wide.amax(dim, keepdim=True)
    return _narrow(shifted - torch.exp(shifted).sum(dim, keepdim=True).log(), x.dtype)


def layer_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, rank: int, eps: float
) -> Tensor:
    """Return layer normalisation over the last `rank` dimensions."""
    dims = list(range(x.dim() - rank, x.dim()))
    wide = _wide(x)
    centred = wide - wide.mean(dims, keepdim=True)
    y = centred * torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)
    y = y if weight is None else y * _wide(weight)
    y = y if bias is None else y + _wide(bias)
    return _narrow(y, x.dtype)


def rms_norm(x: Tensor, weight: Tensor | None, rank: int, eps: float) -> Tensor:
    """Return RMS normalisation over the last `rank` dimensions."""
    dims = list(range(x.dim() - rank, x.dim()))
    wide = _wide(x)
    y = wide * torch.rsqrt((wide * wide).mean(dims, keepdim=True) + eps)
    y = _narrow(y, x.dtype)
    return y if weight is None else _narrow(y * weight, x.dtype)


def gelu(x: Tensor, approximate: str) -> Tensor:
    """Return GELU, exact (`none`) or by the hyperbolic tangent (`tanh`)."""
    wide = _wide(x)
    if approximate == "none":
        return _narrow(wide * 0.5 * (1.0 + torch.erf(wide * math.sqrt(0.5))), x.dtype)
    inner = math.sqrt(2.0 / math.pi) * (wide + 0.044715 * wide * wide * wide)
    return _narrow(0.5 * wide * (1.0 + torch.tanh(inner)), x.dtype)


def silu(x: Tensor) -> Tensor:
    """Return x * sigmoid(x)."""
    wide = _wide(x)
    return _narrow(wide * torch.sigmoid(wide), x.dtype)


def embedding(weight: Tensor, indices: Tensor) -> Tensor:
    """Return the rows of `weight` [V, E] at `indices`."""
    rows: Tensor = torch.ops.aten.embedding.default(weight, indices)
    return rows


def cross_entropy(
    logits: Tensor, target: Tensor, reduction: str, ignore_index: int, smoothing: float
) -> Tensor:
    """Return the cross entropy of logits [N, C] and class indices [N]."""
    scores = log_softmax(logits, 1)
    valid = target != ignore_index
    picked = torch.where(valid, target, _scalar(0, target))
    loss = -scores.gather(1, picked.unsqueeze(1)).squeeze(1)
    if smoothing:
        spread = -scores.mean(1)
        loss = (1.0 - smoothing) * loss + smoothing * spread
    loss = torch.where(valid, loss, _scalar(0.0, loss))
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / valid.to(loss.dtype).sum()


@dataclass(frozen=True, slots=True)
class Operator:
    """A composite operator.

    Attributes:
        name: `attention` for `distc.attention`.
        reference: the function its body is traced from.
        tensors: how many leading arguments are tensors (None where absent).
        attributes: maps the remaining arguments, with the tensors, to composite attributes.
    """

    name: str
    reference: Callable[..., Tensor]
    tensors: int
    attributes: Callable[..., dict[str, bool | int | float | str]]


OPERATORS = {
    o.name: o
    for o in (
        Operator(
            "attention",
            attention,
            4,
            lambda q, k, v, mask, is_causal, scale: {"is_causal": is_causal, "scale": float(scale)},
        ),
        Operator(
            "layer_norm",
            layer_norm,
            3,
            lambda x, weight, bias, rank, eps: {
                "normalized_rank": rank,
                "eps": float(eps),
                "has_weight": weight is not None,
                "has_bias": bias is not None,
            },
        ),
        Operator(
            "rms_norm",
            rms_norm,
            2,
            lambda x, weight, rank, eps: {
                "normalized_rank": rank,
                "eps": float(eps),
                "has_weight": weight is not None,
            },
        ),
        Operator("gelu", gelu, 1, lambda x, approximate: {"approximate": approximate}),
        Operator("silu", silu, 1, lambda x: {}),
        Operator("softmax", softmax, 1, lambda x, dim: {"dim": dim}),
        Operator("log_softmax", log_softmax, 1, lambda x, dim: {"dim": dim}),
        Operator("embedding", embedding, 2, lambda weight, indices: {}),
        Operator(
            "cross_entropy",
            cross_entropy,
            2,
            lambda logits, target, reduction, ignore_index, smoothing: {
                "reduction": reduction,
                "ignore_index": ignore_index,
                "label_smoothing": float(smoothing),
            },
        ),
    )
}

_SCHEMAS: dict[str, tuple[str, Callable[..., Tensor]]] = {
    "contract": (
        "(Tensor a, Tensor b, int[] lb, int[] rb, int[] lc, int[] rc) -> Tensor",
        _contract_shape,
    ),
    "attention": (
        "(Tensor q, Tensor k, Tensor v, Tensor? mask, bool is_causal, float scale) -> Tensor",
        lambda q, k, v, *rest: q.new_empty([*q.shape[:-1], v.shape[-1]]),
    ),
    "layer_norm": (
        "(Tensor x, Tensor? weight, Tensor? bias, int rank, float eps) -> Tensor",
        lambda x, *rest: x.new_empty(x.shape),
    ),
    "rms_norm": (
        "(Tensor x, Tensor? weight, int rank, float eps) -> Tensor",
        lambda x, *rest: x.new_empty(x.shape),
    ),
    "gelu": ("(Tensor x, str approximate) -> Tensor", lambda x, *rest: x.new_empty(x.shape)),
    "silu": ("(Tensor x) -> Tensor", lambda x: x.new_empty(x.shape)),
    "softmax": ("(Tensor x, int dim) -> Tensor", lambda x, *rest: x.new_empty(x.shape)),
    "log_softmax": ("(Tensor x, int dim) -> Tensor", lambda x, *rest: x.new_empty(x.shape)),
    "embedding": (
        "(Tensor weight, Tensor indices) -> Tensor",
        lambda weight, indices: weight.new_empty([*indices.shape, weight.shape[1]]),
    ),
    "cross_entropy": (
        "(Tensor logits, Tensor target, str reduction, int ignore_index, float smoothing)"
        " -> Tensor",
        lambda logits, target, reduction, *rest: logits.new_empty(
            list(target.shape) if reduction == "none" else []
        ),
    ),
}


def _op(name: str) -> Any:
    return getattr(getattr(torch.ops, _NAMESPACE), name).default


for _name, (_schema, _shape) in _SCHEMAS.items():
    _library.define(_name + _schema)
    _reference = contract if _name == "contract" else OPERATORS[_name].reference
    _library.impl(_name, _reference, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{_NAMESPACE}::{_name}", _shape, lib=_library)

CONTRACT = _op("contract")
TARGETS = {name: _op(name) for name in OPERATORS}
"""The overload of each composite operator."""
