"""The decomposition table of inference export.

torch-mlir's own table, with replacements for what it lowers wrongly, through f64, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch_mlir.extras.fx_decomp_util import get_decomposition_table

from distc.compiler.frontend.extremes import EXTREMES
from distc.compiler.frontend.pooling import POOLS
from distc.compiler.frontend.runs import RUNS
from distc.compiler.frontend.single_ops import SCATTER_KIND

_A = torch.ops.aten
_REPLACEMENTS: dict[Any, Callable[..., Any]] = {}
_F = TypeVar("_F", bound=Callable[..., Any])


@cache
def table() -> dict[Any, Callable[..., Any]]:
    """Return the table: overload to decomposition."""
    return {**get_decomposition_table(), **_REPLACEMENTS, **POOLS, **EXTREMES, **RUNS}


def _replaces(*overloads: Any) -> Callable[[_F], _F]:
    def register(function: _F) -> _F:
        _REPLACEMENTS.update(dict.fromkeys(overloads, function))
        return function

    return register


@_replaces(_A.addmm.default)
def _addmm(bias: Tensor, a: Tensor, b: Tensor, beta: float = 1, alpha: float = 1) -> Tensor:
    """The stock form multiplies by 1 through i64 constants."""
    y = a.mm(b)
    y = y if alpha == 1 else y * alpha
    return y + (bias if beta == 1 else bias * beta)


def _variance(
    x: Tensor, dims: Sequence[int] | None, correction: float | None, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """torch-mlir's own decomposition of var computes in f64."""
    reduced = sorted({d % x.dim() for d in dims} if dims else range(x.dim()))
    count = math.prod(x.shape[d] for d in reduced)
    mean = x.mean(reduced, True)
    centred = x - mean
    divisor = max(count - (1 if correction is None else correction), 0)
    return (centred * centred).sum(reduced, keepdim) / divisor, mean


@_replaces(_A.var.correction)
def _var(
    x: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Tensor:
    return _variance(x, dim, correction, keepdim)[0]


@_replaces(_A.std.correction)
def _std(
    x: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Tensor:
    return _variance(x, dim, correction, keepdim)[0].sqrt()


@_replaces(_A.var_mean.correction)
def _var_mean(
    x: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    variance, mean = _variance(x, dim, correction, keepdim)
    return variance, mean if keepdim else mean.reshape(variance.shape)


@_replaces(_A.linalg_vector_norm.default)
def _vector_norm(
    x: Tensor,
    order: float = 2,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Any:
    """The stock form raises absolute values to the power 2.0 and the sum to 1/2."""
    if order != 2 or x.is_complex():
        return NotImplemented
    x = x if dtype is None else x.to(dtype)
    reduced = list(dim) if dim is not None else list(range(x.dim()))
    return (x * x).sum(reduced, keepdim).sqrt()


@_replaces(_A.slice_scatter.default)
def _slice_scatter(
    x: Tensor,
    source: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Any:
    """An end of INT64_MAX makes torch-mlir's lowering allocate without bound."""
    dim %= x.dim()
    size = x.shape[dim]
    begin, stop, _ = slice(start, end).indices(size)
    if step != 1:
        return _every(x, source, dim, begin, step)
    if (begin, stop) == (0, size):
        return source.clone()
    before = [_A.slice.Tensor(x, dim, 0, begin)] if begin else []
    after = [_A.slice.Tensor(x, dim, stop, size)] if stop < size else []
    return _A.cat.default([*before, source, *after], dim)


def _every(x: Tensor, source: Tensor, dim: int, begin: int, step: int) -> Tensor:
    """`x` with every `step`-th element from `begin` on replaced."""
    count, size = source.shape[dim], x.shape[dim]
    if count == 0:
        return x.clone()
    wide = source.unsqueeze(dim + 1).expand(
        [*source.shape[: dim + 1], step, *source.shape[dim + 1 :]]
    )
    spread = wide.reshape([*x.shape[:dim], count * step, *x.shape[dim + 1 :]])
    amounts = [0, 0] * (x.dim() - 1 - dim) + [begin, size - begin - count * step]
    places = torch.arange(size) - begin
    replaced = (places >= 0) & (torch.remainder(places, step) == 0)
    mask = replaced.reshape([-1] + [1] * (x.dim() - 1 - dim))
    return torch.where(mask, _A.constant_pad_nd.default(spread, amounts, 0), x)


@_replaces(_A.stack.default)
def _stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The stock form joins along a dimension that may be cut and splits it again."""
    return torch.cat([t.unsqueeze(dim) for t in tensors], dim)


@_replaces(_A.select_scatter.default)
def _select_scatter(x: Tensor, source: Tensor, dim: int, index: int) -> Any:
    dim %= x.dim()
    index %= x.shape[dim]
    return _slice_scatter(x, source.unsqueeze(dim), dim, index, index + 1)


@_replaces(_A.remainder.Scalar, _A.remainder.Tensor)
def _remainder(a: Tensor, b: Any) -> Any:
    """The stock lowering takes the dividend's sign."""
    if a.is_floating_point():
        return a - torch.floor(a / b) * b
    rest = a - torch.div(a, b, rounding_mode="trunc") * b
    wrong = (rest != 0) & ((rest < 0) != (b < 0))
    return torch.where(wrong, rest + b, rest)


@_replaces(_A.div.Tensor_mode, _A.div.Scalar_mode)
def _divide(a: Tensor, b: Any, *, rounding_mode: str | None) -> Any:
    """The stock lowering of an integer division that rounds down goes through floats."""
    if rounding_mode != "floor" or a.is_floating_point() or _is_float(b):
        return NotImplemented
    quotient = torch.div(a, b, rounding_mode="trunc")
    rest = a - quotient * b
    wrong = (rest != 0) & ((rest < 0) != (b < 0))
    return torch.where(wrong, quotient - 1, quotient)


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, Tensor) and value.is_floating_point())


@_replaces(_A.fmod.Scalar, _A.fmod.Tensor)
def _fmod(a: Tensor, b: Any) -> Any:
    return a - torch.trunc(a / b) * b if a.is_floating_point() else NotImplemented


@_replaces(_A.convolution.default)
def _convolution(
    x: Tensor,
    kernel: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Any:
    """The stock lowering of output_padding takes the dimensions in reverse: crop afterwards."""
    if not transposed or not any(output_padding):
        return NotImplemented
    rank = x.dim() - 2
    none = [0] * rank
    whole = _A.convolution.default(x, kernel, None, stride, none, dilation, True, none, groups)
    amounts: list[int] = []
    for dim in reversed(range(rank)):
        before, after = padding[dim % len(padding)], output_padding[dim % len(output_padding)]
        amounts += [-before, after - before]
    y = _A.constant_pad_nd.default(whole, amounts, 0)
    return y if bias is None else y + bias.reshape([-1] + [1] * rank)


@_replaces(_A.batch_norm.default)
def _batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor | None,
    variance: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """PyTorch picks a fused operator of the device, which has no lowering."""
    shape = [1, -1] + [1] * (x.dim() - 2)
    if training or mean is None or variance is None:
        dims = [d for d in range(x.dim()) if d != 1]
        variance, mean = _variance(x, dims, 0, True)
    scale = (variance.reshape(shape) + eps).rsqrt()
    y = (x - mean.reshape(shape)) * scale
    y = y if weight is None else y * weight.reshape(shape)
    y = y if bias is None else y + bias.reshape(shape)
    return y.to(x.dtype)


@_replaces(_A.native_group_norm.default)
def _group_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    batch: int,
    channels: int,
    spatial: int,
    groups: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The stock form gathers through as_strided."""
    grouped = x.reshape(batch, groups, channels // groups * spatial)
    mean = grouped.mean(-1, True)
    centred = grouped - mean
    scale = (centred * centred).mean(-1, True).add(eps).rsqrt()
    y = (centred * scale).reshape(x.shape)
    shape = [channels] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.reshape(shape)
    y = y if bias is None else y + bias.reshape(shape)
    return y, mean.reshape(batch, groups), scale.reshape(batch, groups)


@_replaces(_A.scatter_reduce.two)
def _scatter_reduce(
    x: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Any:
    """Scatters by a sum, a mean, an extremum or a product; torch-mlir has none of these."""
    if x.dim() == 0:
        return NotImplemented
    dim %= x.dim()
    for d in range(x.dim()):
        source = source.narrow(d, 0, index.shape[d])
    counts = None
    if reduce == "mean" or not include_self:
        ones = torch.ones_like(source)
        counts = torch.zeros_like(x).scatter_add(dim, index, ones)
    if counts is not None and not include_self:
        x = torch.where(counts > 0, torch.full_like(x, _start(reduce, x.dtype)), x)
    if reduce in ("sum", "mean"):
        total = x.scatter_add(dim, index, source)
        if counts is None or reduce == "sum":
            return total
        number = (counts + 1 if include_self else counts).clamp(min=1)
        exact = x.is_floating_point()
        return total / number if exact else torch.div(total, number, rounding_mode="floor")
    return SCATTER_KIND(x, index, source, dim, reduce)


def _start(reduce: str, dtype: torch.dtype) -> float | int:
    """What a reduction starts from where the tensor itself does not count."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    if dtype.is_floating_point:
        return -math.inf if reduce == "amax" else math.inf
    bounds = torch.iinfo(dtype)
    return bounds.min if reduce == "amax" else bounds.max


@_replaces(_A.roll.default)
def _roll(x: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """The stock lowering breaks where a shift is not below the size of its dimension."""
    if not dims:
        return _roll(x.reshape(-1), shifts, (0,)).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        at = -shift % size if size else 0
        if at:
            x = _A.cat.default([x.narrow(dim, at, size - at), x.narrow(dim, 0, at)], dim)
    return x.clone()


@_replaces(_A.unfold.default)
def _unfold(x: Tensor, dim: int, size: int, step: int) -> Tensor:
    dim %= max(x.dim(), 1)
    starts = range(0, x.shape[dim] - size + 1, step)
    windows = [x.narrow(dim, start, size).movedim(dim, -1) for start in starts]
    return torch.stack(windows, dim)
