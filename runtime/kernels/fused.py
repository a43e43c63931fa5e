"""Whole operators: batch normalisation, cross entropy, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import STORAGE


def _along(value: Tensor, rank: int, feature: int) -> Tensor:
    view = [1] * rank
    view[feature] = value.shape[0]
    return value.reshape(view)


def batch_norm_inference(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    eps: float,
    feature: int,
) -> Tensor:
    """Normalise every feature by given statistics."""
    scale, offset, mean, variance = (
        _along(v, x.dim(), feature) for v in (scale, offset, mean, variance)
    )
    return (x - mean) / torch.sqrt(variance + eps) * scale + offset


def batch_norm_training(
    x: Tensor, scale: Tensor, offset: Tensor, *, eps: float, feature: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise every feature by its own statistics; also return mean and variance."""
    dims = [d for d in range(x.dim()) if d != feature]
    mean = x.mean(dims)
    variance = (x - _along(mean, x.dim(), feature)).square().mean(dims)
    out = batch_norm_inference(x, scale, offset, mean, variance, eps=eps, feature=feature)
    return out, mean, variance


def batch_norm_grad(
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    grad: Tensor,
    *,
    eps: float,
    feature: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of batch_norm_training with respect to operand, scale and offset."""
    dims = [d for d in range(x.dim()) if d != feature]
    count = prod(x.shape[d] for d in dims)
    spread = torch.sqrt(_along(variance, x.dim(), feature) + eps)
    normal = (x - _along(mean, x.dim(), feature)) / spread
    grad_scale, grad_offset = (grad * normal).sum(dims), grad.sum(dims)
    inner = grad * count - _along(grad_offset, x.dim(), feature)
    inner = inner - normal * _along(grad_scale, x.dim(), feature)
    grad_x = _along(scale, x.dim(), feature) / spread / count * inner
    return grad_x, grad_scale, grad_offset


def cross_entropy(
    logits: Tensor, target: Tensor, *, reduction: str, ignore_index: int, label_smoothing: float
) -> Tensor:
    """Cross entropy of logits [N, C] and class indices [N]; indices are moved inside [0, C)."""
    classes = logits.shape[1]
    logs = torch.log_softmax(logits, dim=1)
    counted = target != ignore_index
    index = torch.where(counted, target, 0).to(torch.int64).clamp(0, max(classes - 1, 0))
    loss = -logs.gather(1, index.unsqueeze(1)).squeeze(1)
    if label_smoothing:
        smooth = -logs.sum(1) / classes
        loss = loss * (1.0 - label_smoothing) + smooth * label_smoothing
    loss = torch.where(counted, loss, 0.0).to(logits.dtype)
    match reduction:
        case "none":
            return loss
        case "sum":
            return loss.sum()
        case _:
            return loss.sum() / counted.sum().to(logits.dtype)


def rng(
    a: Tensor,
    b: Tensor,
    *,
    shape: Sequence[int],
    distribution: str,
    dtype: str,
    device: torch.device,
) -> Tensor:
    """Random numbers of torch's generator: uniform on [a, b), or normal of mean a and deviation b.

    Every rank draws from its own generator: seed them alike where values must agree.
    """
    kind = STORAGE[dtype]
    if distribution == "NORMAL":
        return torch.randn(tuple(shape), dtype=kind, device=device) * b + a
    if kind.is_floating_point:
        return torch.rand(tuple(shape), dtype=kind, device=device) * (b - a) + a
    fraction = torch.rand(tuple(shape), dtype=torch.float64, device=device)
    return (torch.floor(fraction * (b - a)) + a).to(kind)


KERNELS: dict[str, Callable[..., Any]] = {
    "batch_norm_grad": batch_norm_grad,
    "batch_norm_inference": batch_norm_inference,
    "batch_norm_training": batch_norm_training,
    "cross_entropy": cross_entropy,
    "rng": rng,
}
