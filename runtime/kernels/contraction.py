"""Contractions and factorisations that no aten operator covers for every type and shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.shape import pad


def convolution(
    x: Tensor,
    kernel: Tensor,
    *,
    strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """Convolution of x [N, C, spatial...] with kernel [O, C/groups, spatial...], any type and rank.

    One matrix product per kernel position, exact in integers; used where `aten.convolution` has
    no kernel (integers, no or more than three spatial dimensions).
    """
    low = [0, 0, *(p[0] for p in padding)]
    high = [0, 0, *(p[1] for p in padding)]
    interior = [0, 0, *(d - 1 for d in lhs_dilation)]
    zero = torch.zeros((), dtype=x.dtype, device=x.device)
    padded = pad(x, zero, low=low, high=high, interior=interior)
    spatial = kernel.shape[2:]
    counts = [
        max(0, (n - (k - 1) * d - 1) // s + 1)
        for n, k, d, s in zip(padded.shape[2:], spatial, rhs_dilation, strides, strict=True)
    ]
    batch, features = x.shape[0], kernel.shape[0]
    weights = kernel.reshape(groups, features // groups, *kernel.shape[1:])
    out = torch.zeros(
        [groups, features // groups, batch * _product(counts)], dtype=x.dtype, device=x.device
    )
    for offset in product(*(range(k) for k in spatial)):
        cut = [slice(None), slice(None)]
        for o, d, s, n in zip(offset, rhs_dilation, strides, counts, strict=True):
            cut.append(slice(o * d, o * d + (n - 1) * s + 1 if n else o * d, s))
        cell = padded[tuple(cut)].movedim(1, 0).reshape(groups, kernel.shape[1], -1)
        out = out + torch.bmm(weights[(slice(None),) * 3 + offset], cell)
    return out.reshape(features, batch, *counts).movedim(0, 1)


def _product(values: Sequence[int]) -> int:
    total = 1
    for value in values:
        total *= value
    return total


def triangular_solve(
    a: Tensor, b: Tensor, *, left_side: bool, lower: bool, unit_diagonal: bool, transpose: str
) -> Tensor:
    """Solve op(a) x = b, or x op(a) = b, reading one triangle of `a`."""
    matrix = torch.tril(a) if lower else torch.triu(a)
    upper = not lower
    if transpose != "NO_TRANSPOSE":
        matrix = matrix.mH if transpose == "ADJOINT" else matrix.mT
        upper = not upper
    half = a.dtype in (torch.float16, torch.bfloat16)
    left, right = (matrix.float(), b.float()) if half else (matrix, b)
    solved: Tensor = torch.linalg.solve_triangular(
        left, right, upper=upper, left=left_side, unitriangular=unit_diagonal
    )
    return solved.to(b.dtype)


def cholesky(a: Tensor, *, lower: bool) -> Tensor:
    """Cholesky factor of the matrix one triangle of which is `a`'s; NaN where there is none."""
    triangle = torch.tril(a) if lower else torch.triu(a).mH
    diagonal = torch.diag_embed(torch.diagonal(triangle, dim1=-2, dim2=-1))
    full = triangle + triangle.mH - diagonal
    factor, info = torch.linalg.cholesky_ex(full)
    failed = (info != 0)[..., None, None]
    factor = torch.where(failed, float("nan"), factor).to(a.dtype)
    return factor if lower else factor.mH


def fft(x: Tensor, *, kind: str, length: Sequence[int]) -> Tensor:
    """Fourier transform over the last dimensions, of `length` elements each."""
    dims = list(range(x.dim() - len(length), x.dim()))
    result: Tensor
    match kind:
        case "FFT":
            result = torch.fft.fftn(x, dim=dims)
        case "IFFT":
            result = torch.fft.ifftn(x, dim=dims)
        case "RFFT":
            result = torch.fft.rfftn(x, dim=dims)
        case _:
            result = torch.fft.irfftn(x, s=list(length), dim=dims)
    return result


KERNELS: dict[str, Callable[..., Any]] = {
    "cholesky": cholesky,
    "convolution": convolution,
    "fft": fft,
    "triangular_solve": triangular_solve,
}
