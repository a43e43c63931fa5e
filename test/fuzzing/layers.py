"""The steps of random PyTorch functions, one function each."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from fuzzing.backward import Net


def _dim(net: Net) -> int:
    return net.choices.below(len(net.shape))


def _is_power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def embedding(net: Net) -> None:
    """Rows of a table, the first step only."""
    rows, width = net.choices.between(1, 9), net.choices.between(1, 6)
    net.argument(rows, width)
    net.value = net.data()[0]
    shape = [net.choices.between(1, 4) for _ in range(net.choices.between(1, 2))]
    i = net.indices(*shape, below=rows)
    net.apply("embedding", lambda a, x: F.embedding(a[i], x))


# Contractions.


def linear(net: Net) -> None:
    """A linear layer."""
    inside, outside = net.shape[-1], net.choices.between(1, 7)
    w = net.argument(outside, inside)
    b = net.argument(outside) if net.choices.chance(60) else None
    net.apply("linear", lambda a, x: F.linear(x, a[w], None if b is None else a[b]))


def matmul(net: Net) -> None:
    """With a matrix from the left or the right."""
    if net.choices.chance(50):
        w = net.argument(net.shape[-1], net.choices.between(1, 6))
        net.apply("matmul", lambda a, x: x @ a[w])
    else:
        w = net.argument(net.choices.between(1, 6), net.shape[-2])
        net.apply("matmul", lambda a, x: a[w] @ x)


def gram(net: Net) -> None:
    """With itself, transposed."""
    net.apply("gram", lambda a, x: x @ x.transpose(-1, -2))


def batched(net: Net) -> None:
    """A batched product."""
    w = net.argument(*net.shape[:-2], net.shape[-1], net.choices.between(1, 5))
    net.apply("bmm", lambda a, x: torch.matmul(x, a[w]))


def einsum(net: Net) -> None:
    """A contraction over the first and the last dimension."""
    w = net.argument(net.shape[0], net.shape[-1], net.choices.between(1, 5))
    net.apply("einsum", lambda a, x: torch.einsum("b...i,bij->...j", x, a[w]))


def _convolved(net: Net, rank: int, transposed: bool) -> None:
    if rank not in (1, 2) or len(net.shape) != rank + 2:
        return
    channels, pick = net.shape[1], net.choices.pick
    groups = pick([g for g in (1, 1, 1, 2, 3) if channels % g == 0])
    out = groups * net.choices.between(1, 3)
    kernel = [net.choices.between(1, min(3, n)) for n in net.shape[2:]]
    stride, padding = pick((1, 1, 2, 3)), pick((0, 0, 1, 2))
    dilation = pick((1, 1, 1, 2))
    features = (channels, out // groups) if transposed else (out, channels // groups)
    w = net.argument(*features, *kernel)
    ops: dict[tuple[int, bool], Callable[..., Tensor]] = {
        (1, False): F.conv1d, (2, False): F.conv2d,
        (1, True): F.conv_transpose1d, (2, True): F.conv_transpose2d,
    }  # fmt: skip
    op = ops[rank, transposed]
    net.apply(
        "conv",
        lambda a, x: op(x, a[w], stride=stride, padding=padding, dilation=dilation, groups=groups),
    )


def conv1d(net: Net) -> None:
    """Strides, padding, dilation, groups."""
    _convolved(net, 1, transposed=False)


def conv2d(net: Net) -> None:
    """Strides, padding, dilation, groups."""
    _convolved(net, 2, transposed=False)


def conv_transpose(net: Net) -> None:
    """The transposed convolution."""
    _convolved(net, len(net.shape) - 2, transposed=True)


def attention(net: Net) -> None:
    """Scaled dot-product attention of the value with itself."""
    if len(net.shape) not in (3, 4):
        return
    causal = net.choices.chance(50)
    net.apply(
        "attention",
        lambda a, x: F.scaled_dot_product_attention(x, x, x, is_causal=causal),
        rounds=True,
    )


# Pooling.


def max_pool(net: Net) -> None:
    """Ties go to the first."""
    if len(net.shape) != 4 or not net.exact:
        return
    k, s = net.choices.between(1, 3), net.choices.pick((1, 2, 3))
    p = net.choices.below(k // 2 + 1)
    net.apply("max_pool2d", lambda a, x: F.max_pool2d(x, k, s, p))


def avg_pool(net: Net) -> None:
    """Windows that divide by their size."""
    if len(net.shape) != 4:
        return
    k, s = net.choices.between(1, 3), net.choices.pick((1, 2, 3))
    net.apply("avg_pool2d", lambda a, x: F.avg_pool2d(x, k, s), rounds=k == 3)


def window(net: Net) -> None:
    """Windows as a dimension, then their sum or largest."""
    d = _dim(net)
    size, step = net.choices.between(1, min(3, net.shape[d])), net.choices.between(1, 2)
    largest = net.exact and net.choices.chance(40)
    if largest:
        net.apply("window_max", lambda a, x: x.unfold(d, size, step).amax(-1), jagged=True)
    else:
        net.apply("window_sum", lambda a, x: x.unfold(d, size, step).sum(-1))


# Normalisation and activations.


def softmax(net: Net) -> None:
    """softmax or log_softmax."""
    d, log = _dim(net), net.choices.chance(40)
    op = F.log_softmax if log else F.softmax
    net.apply("softmax", lambda a, x: op(x, d), rounds=True)


def layer_norm(net: Net) -> None:
    """Over the last dimensions, with weights."""
    rank = net.choices.between(1, min(2, len(net.shape)))
    shape = net.shape[len(net.shape) - rank :]
    w, b = net.argument(*shape), net.argument(*shape)
    net.apply("layer_norm", lambda a, x: F.layer_norm(x, shape, a[w], a[b], 0.5), rounds=True)


def batch_norm(net: Net) -> None:
    """With the statistics of the batch."""
    w, b = net.argument(net.shape[1]), net.argument(net.shape[1])
    net.apply(
        "batch_norm",
        lambda a, x: F.batch_norm(x, None, None, a[w], a[b], True, eps=0.5),
        rounds=True,
    )


def group_norm(net: Net) -> None:
    """Groups of channels."""
    groups = net.choices.pick([g for g in (1, 2, 3) if net.shape[1] % g == 0])
    w, b = net.argument(net.shape[1]), net.argument(net.shape[1])
    net.apply("group_norm", lambda a, x: F.group_norm(x, groups, a[w], a[b], 0.5), rounds=True)


def smooth(net: Net) -> None:
    """A smooth activation."""
    name = net.choices.pick(("tanh", "sigmoid", "silu", "gelu", "softplus"))
    ops: dict[str, Callable[[Tensor], Tensor]] = {
        "tanh": torch.tanh, "sigmoid": torch.sigmoid, "silu": F.silu, "gelu": F.gelu,
        "softplus": F.softplus,
    }  # fmt: skip
    op = ops[name]
    net.apply(name, lambda a, x: op(x), rounds=True)


def kinked(net: Net) -> None:
    """An activation with a kink."""
    if not net.exact:
        return
    name = net.choices.pick(("relu", "abs", "clamp", "hardtanh"))
    ops: dict[str, Callable[[Tensor], Tensor]] = {
        "relu": torch.relu, "abs": torch.abs, "clamp": lambda x: x.clamp(-2, 3),
        "hardtanh": lambda x: F.hardtanh(x, -1.0, 2.0),
    }  # fmt: skip
    op = ops[name]
    net.apply(name, lambda a, x: op(x))


# Elementwise with arguments.


def scale(net: Net) -> None:
    """A product or a sum with a row or a column."""
    shape = [n if net.choices.chance(60) else 1 for n in net.shape]
    w = net.argument(*shape)
    if net.choices.chance(50):
        net.apply("multiply", lambda a, x: x * a[w])
    else:
        net.apply("add", lambda a, x: x + a[w])


def square(net: Net) -> None:
    """The value times itself."""
    net.apply("square", lambda a, x: x * x)


def where(net: Net) -> None:
    """One of two values by comparison."""
    if not net.exact:
        return
    w = net.argument(*net.shape[-1:])
    net.apply("where", lambda a, x: torch.where(x > a[w], 2 * x, a[w] - x))


def masked_fill(net: Net) -> None:
    """A constant where the value is large."""
    if net.exact:
        net.apply("masked_fill", lambda a, x: x.masked_fill(x > 1, -1.0))


def residual(net: Net) -> None:
    """The value plus a linear map of itself."""
    w = net.argument(net.shape[-1], net.shape[-1])
    net.apply("residual", lambda a, x: x + x @ a[w])


# Reductions.


def reduce(net: Net) -> None:
    """A sum or mean over some dimensions."""
    dims = net.choices.some(range(len(net.shape))) or [_dim(net)]
    keep = net.choices.chance(40)
    if net.choices.chance(60):
        net.apply("sum", lambda a, x: x.sum(dims, keep))
        return
    count = 1
    for d in dims:
        count *= net.shape[d]
    net.apply("mean", lambda a, x: x.mean(dims, keep), rounds=not _is_power_of_two(count))


def extremum(net: Net) -> None:
    """amax or amin: ties share the gradient."""
    if not net.exact:
        return
    dims = net.choices.some(range(len(net.shape))) or [_dim(net)]
    largest = net.choices.chance(50)
    net.apply("amax", lambda a, x: x.amax(dims) if largest else x.amin(dims), jagged=True)


def first_extremum(net: Net) -> None:
    """max or min along a dimension: the first of equals gets the gradient."""
    if not net.exact:
        return
    d, largest = _dim(net), net.choices.chance(50)
    net.apply("max", lambda a, x: (x.max(d) if largest else x.min(d)).values)


def statistics(net: Net) -> None:
    """Variance, logsumexp."""
    d = _dim(net)
    if net.choices.chance(50) and net.shape[d] > 1:
        net.apply("var", lambda a, x: x.var(d), rounds=True)
    else:
        net.apply("logsumexp", lambda a, x: x.logsumexp(d), rounds=True)


def cumsum(net: Net) -> None:
    """A running sum."""
    d = _dim(net)
    net.apply("cumsum", lambda a, x: x.cumsum(d))


def ordered(net: Net) -> None:
    """The largest, or all in order."""
    if not net.exact:
        return
    d = _dim(net)
    if net.choices.chance(50):
        k = net.choices.between(1, net.shape[d])
        net.apply("topk", lambda a, x: x.topk(k, d).values)
    else:
        down = net.choices.chance(50)
        net.apply("sort", lambda a, x: torch.sort(x, dim=d, descending=down).values)


# Indexing.


def gather(net: Net) -> None:
    """gather along a dimension."""
    d = _dim(net)
    shape = [net.choices.between(1, 5) if i == d else n for i, n in enumerate(net.shape)]
    i = net.indices(*shape, below=net.shape[d])
    net.apply("gather", lambda a, x: torch.gather(x, d, a[i]))


def index(net: Net) -> None:
    """Rows by index, negative ones too."""
    d = _dim(net)
    n = net.shape[d]
    if net.choices.chance(50):
        i = net.indices(net.choices.between(1, 6), below=n)
        net.apply("index_select", lambda a, x: x.index_select(d, a[i]))
    else:
        i = net.indices(net.choices.between(1, 6), below=net.shape[0], negative=True)
        net.apply("index", lambda a, x: x[a[i]])


def put(net: Net) -> None:
    """Rows added at indices that repeat."""
    count, n = net.choices.between(1, 6), net.shape[0]
    i, v = net.indices(count, below=n), net.argument(count, *net.shape[1:])
    name = net.choices.pick(("index_put", "index_add"))
    if name == "index_put":
        net.apply(name, lambda a, x: x.index_put((a[i],), a[v], accumulate=True))
    else:
        net.apply(name, lambda a, x: x.index_add(0, a[i], a[v]))


def scatter(net: Net) -> None:
    """scatter_add at indices that repeat, scatter at one place each."""
    d = _dim(net)
    add = net.choices.chance(70)
    count = net.choices.between(1, net.shape[d]) if add else 1
    shape = [count if i == d else n for i, n in enumerate(net.shape)]
    i, s = net.indices(*shape, below=net.shape[d]), net.argument(*shape)
    if add:
        net.apply("scatter_add", lambda a, x: x.scatter_add(d, a[i], a[s]))
    else:
        net.apply("scatter", lambda a, x: x.scatter(d, a[i], a[s]))


# Movement.


def reshape(net: Net) -> None:
    """Split or merge."""
    shape = list(net.shape)
    d = _dim(net)
    if len(shape) > 1 and d + 1 < len(shape) and net.choices.chance(60):
        shape[d : d + 2] = [shape[d] * shape[d + 1]]
    else:
        p = net.choices.pick([p for p in (2, 3, 1) if shape[d] % p == 0])
        pair = net.choices.shuffled([p, shape[d] // p])
        shape[d : d + 1] = pair
    net.apply("reshape", lambda a, x: x.reshape(shape))


def permute(net: Net) -> None:
    """Dimensions in another order."""
    order = net.choices.shuffled(range(len(net.shape)))
    net.apply("permute", lambda a, x: x.permute(order))


def cat(net: Net) -> None:
    """Joined with an argument or itself."""
    d = _dim(net)
    if net.choices.chance(50):
        net.apply("cat", lambda a, x: torch.cat([x, 2 * x], d))
    else:
        shape = [net.choices.between(1, 4) if i == d else n for i, n in enumerate(net.shape)]
        w = net.argument(*shape)
        net.apply("cat", lambda a, x: torch.cat([a[w], x], d))


def stack(net: Net) -> None:
    """Two on a new dimension."""
    d = _dim(net)
    w = net.argument(*net.shape)
    net.apply("stack", lambda a, x: torch.stack([x, a[w]], d))


def pad(net: Net) -> None:
    """Padding on both sides, also negative."""
    rank = net.choices.between(1, min(2, len(net.shape)))
    amounts = [net.choices.pick((0, 1, 2, -1)) for _ in range(2 * rank)]
    net.apply("pad", lambda a, x: F.pad(x, amounts))


def roll(net: Net) -> None:
    """Roll or flip."""
    d = _dim(net)
    if net.choices.chance(60):
        shift = net.choices.between(1, max(1, net.shape[d] - 1))
        net.apply("roll", lambda a, x: x.roll(shift, d))
    else:
        net.apply("flip", lambda a, x: x.flip(d))


def slice_(net: Net) -> None:
    """A slice with a step, one row, or pieces that are added."""
    d = _dim(net)
    n, kind = net.shape[d], net.choices.below(3)
    if kind == 0:
        start, step = net.choices.below(n), net.choices.between(1, 2)
        picks = tuple(slice(start, None, step) if i == d else slice(None) for i in range(d + 1))
        net.apply("slice", lambda a, x: x[picks])
    elif kind == 1:
        at = net.choices.below(n)
        net.apply("select", lambda a, x: x.select(d, at))
    elif n > 1:
        size = n // 2
        net.apply("split", lambda a, x: x.narrow(d, 0, size) - 2 * x.narrow(d, n - size, size))


def repeat(net: Net) -> None:
    """Repeat, or a triangle."""
    if net.choices.chance(60) or len(net.shape) < 2:
        times = [net.choices.pick((1, 1, 2, 3)) for _ in net.shape]
        net.apply("repeat", lambda a, x: x.repeat(times))
    else:
        k = net.choices.pick((0, 1, -1))
        net.apply("tril", lambda a, x: x.tril(k))


# Losses.


def cross_entropy(net: Net) -> None:
    """Of the rows of a matrix; with ignored classes or smoothing."""
    classes = net.shape[-1]
    rows = net.value.numel() // classes
    i = net.indices(rows, below=classes)
    smoothing = net.choices.pick((0.0, 0.0, 0.1))
    reduction = net.choices.pick(("mean", "sum"))
    net.apply(
        "cross_entropy",
        lambda a, x: F.cross_entropy(
            x.reshape(rows, classes), a[i], reduction=reduction, label_smoothing=smoothing
        ),
        rounds=True,
    )


def nll(net: Net) -> None:
    """The negative of the chosen classes, summed."""
    classes = net.shape[-1]
    rows = net.value.numel() // classes
    i = net.indices(rows, below=classes)
    net.apply(
        "nll_loss",
        lambda a, x: F.nll_loss(x.reshape(rows, classes), a[i], reduction="sum"),
    )


def distance(net: Net) -> None:
    """Squared error, summed or averaged."""
    t = net.argument(*net.shape)
    reduction = net.choices.pick(("sum", "mean"))
    net.apply(
        "mse_loss", lambda a, x: F.mse_loss(x, a[t], reduction=reduction), rounds=reduction != "sum"
    )


def smooth_distance(net: Net) -> None:
    """Smooth L1."""
    if net.exact:
        t = net.argument(*net.shape)
        net.apply("smooth_l1", lambda a, x: F.smooth_l1_loss(x, a[t]), rounds=True)


def nothing(net: Net) -> None:
    """The weighted sum follows anyway."""


LAYERS = (
    linear, linear, matmul, matmul, gram, batched, einsum, conv1d, conv2d, conv2d, conv_transpose,
    attention, max_pool, avg_pool, window, softmax, layer_norm, batch_norm, group_norm, smooth,
    kinked, scale, scale, square, where, masked_fill, residual, reduce, reduce, extremum,
    first_extremum, statistics, cumsum, ordered, gather, index, put, scatter, reshape, reshape,
    permute, cat, stack, pad, roll, slice_, slice_, repeat,
)  # fmt: skip
LOSSES = (nothing, nothing, nothing, cross_entropy, nll, distance, smooth_distance)
