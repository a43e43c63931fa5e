"""Look-ups and scatters by indices: rows, nodes and edges of graphs, tokens and experts."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from executable.traffic_case import BYTES, TrafficCase, cut, labels, normal, whole
from torch import Tensor

SCALAR = BYTES
X, ALONG = normal(8, 16), labels(16, 8, 5)
PICKED, ROWS = torch.tensor([1, 5, 5, 7, 0, 2]), normal(6, 16, seed=1)
SOURCE = normal(8, 5, seed=1)
TARGET_BYTES, PICKED_BYTES = X.numel() * BYTES, ROWS.numel() * BYTES

NODES, EDGES, WIDTH = 8, 20, 4
GRAPH = (normal(NODES, 6), normal(6, WIDTH), normal(WIDTH), labels(NODES, EDGES),
         (labels(NODES, EDGES) * 3 + 1) % NODES)  # fmt: skip

TOKENS, EXPERTS, HIDDEN, INNER = 6, 4, 5, 7
EXPERT = (normal(TOKENS, HIDDEN), normal(HIDDEN, EXPERTS), normal(EXPERTS, HIDDEN, INNER),
          normal(EXPERTS, INNER, HIDDEN))  # fmt: skip
TOKEN_BYTES = TOKENS * HIDDEN * BYTES
BY_EXPERTS = (whole(2), whole(2), cut(3, 0), cut(3, 0))


def _attend(x: Tensor, w: Tensor, a: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """Graph attention: a softmax over the edges that meet in a node."""
    z = x @ w
    score = F.leaky_relu((z[source] * a).sum(-1) + (z[target] * a).sum(-1))
    zero = torch.zeros(x.shape[0], dtype=x.dtype)
    top = torch.full_like(zero, -1e30).scatter_reduce(0, target, score.detach(), "amax")
    weight = (score - top[target]).exp()
    part = weight / zero.scatter_add(0, target, weight)[target]
    return torch.zeros_like(z).index_add(0, target, part[:, None] * z[source]).sin().sum()


def _one_hot(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Every expert sees every token, masked: two experts per token."""
    value, chosen = F.softmax(x @ gate, -1).topk(2, -1)
    one_hot = (chosen[..., None] == torch.arange(EXPERTS)).to(x.dtype)
    combine = (value[..., None] * one_hot).sum(1)
    hidden = torch.einsum("te,td,edf->etf", (combine > 0).to(x.dtype), x, up).relu()
    return torch.einsum("te,etf,efd->td", combine, hidden, down).sin().sum()


def _buffers(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Tokens are written into each expert's buffer and read back: one expert per token."""
    share = F.softmax(x @ gate, -1)
    chosen = share.argmax(-1)
    one_hot = (chosen[:, None] == torch.arange(EXPERTS)).long()
    place = ((one_hot.cumsum(0) - 1) * one_hot).sum(1)
    buffer = torch.zeros(EXPERTS, TOKENS, HIDDEN, dtype=x.dtype).index_put((chosen, place), x)
    out = torch.bmm(torch.bmm(buffer, up).relu(), down)
    return (out[chosen, place] * share.gather(1, chosen[:, None])).sin().sum()


def _pick(x: Tensor, i: Tensor) -> Tensor:
    return x[i].sin().sum()


def _add(x: Tensor, i: Tensor, s: Tensor) -> Tensor:
    return x.index_add(0, i, s).sin().sum()


def _put(x: Tensor, i: Tensor, s: Tensor) -> Tensor:
    return torch.index_put(x, (i,), s, accumulate=True).sin().sum()


def _along(x: Tensor, i: Tensor) -> Tensor:
    return x.gather(1, i).sin().sum()


def _add_along(x: Tensor, i: Tensor, s: Tensor) -> Tensor:
    return x.scatter_add(1, i, s).sin().sum()


def _reduced(kind: str, include: bool) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    return lambda x, i, s: x.scatter_reduce(1, i, s, kind, include_self=include).sin().sum()


ONE, TWO = {"all_reduce": 1}, {"all_reduce": 2}

CASES = (
    TrafficCase(
        "rows picked from cut rows",
        _pick,
        (X, PICKED),
        "x=2",
        (cut(2, 0), whole(1)),
        PICKED_BYTES,
        ONE,
    ),
    TrafficCase(
        "rows picked by cut indices",
        _pick,
        (X, PICKED),
        "x=2",
        (whole(2), cut(1, 0)),
        TARGET_BYTES,
        TWO,
    ),
    TrafficCase(
        "rows picked, features cut", _pick, (X, PICKED), "x=2", (cut(2, 1), whole(1)), SCALAR, ONE
    ),
    *(
        case
        for name, function in (("index_add", _add), ("index_put", _put))
        for case in (
            TrafficCase(
                f"{name} into cut rows",
                function,
                (X, PICKED, ROWS),
                "x=2",
                (cut(2, 0), whole(1), whole(2)),
                PICKED_BYTES,
                TWO,
            ),
            TrafficCase(
                f"{name} of cut rows",
                function,
                (X, PICKED, ROWS),
                "x=2",
                (whole(2), cut(1, 0), cut(2, 0)),
                TARGET_BYTES,
                ONE,
            ),
            TrafficCase(
                f"{name}, features cut",
                function,
                (X, PICKED, ROWS),
                "x=2",
                (cut(2, 1), whole(1), cut(2, 1)),
                SCALAR,
                ONE,
            ),
        )
    ),
    TrafficCase(
        "look-up along a dimension, rows cut",
        _along,
        (X, ALONG),
        "x=2",
        (cut(2, 0), cut(2, 0)),
        SCALAR,
        ONE,
    ),
    TrafficCase(
        "look-up along a cut dimension",
        _along,
        (X, ALONG),
        "x=2",
        (cut(2, 1), whole(2)),
        ALONG.numel() * BYTES,
        ONE,
    ),
    TrafficCase(
        "look-up along a dimension by cut indices",
        _along,
        (X, ALONG),
        "x=2",
        (whole(2), cut(2, 1)),
        TARGET_BYTES,
        TWO,
    ),
    TrafficCase(
        "addition along a dimension, rows cut",
        _add_along,
        (X, ALONG, SOURCE),
        "x=2",
        (cut(2, 0),) * 3,
        SCALAR,
        ONE,
    ),
    TrafficCase(
        "addition along a cut dimension",
        _add_along,
        (X, ALONG, SOURCE),
        "x=2",
        (cut(2, 1), whole(2), whole(2)),
        ALONG.numel() * BYTES,
        TWO,
    ),
    *(
        TrafficCase(
            f"scatter by {kind}{'' if include else ' without the start'}, rows cut",
            _reduced(kind, include),
            (X, ALONG, SOURCE),
            "x=2",
            (cut(2, 0),) * 3,
            SCALAR,
            ONE,
        )
        for kind in ("sum", "mean", "amax", "amin")
        for include in (True, False)
    ),
    TrafficCase(
        "scatter by amax of cut updates",
        _reduced("amax", True),
        (X, ALONG, SOURCE),
        "x=2",
        (whole(2), cut(2, 1), cut(2, 1)),
        TARGET_BYTES,
        TWO,
    ),
    TrafficCase(
        "graph attention by edges",
        _attend,
        GRAPH,
        "x=2",
        (whole(2), whole(2), whole(1), cut(1, 0), cut(1, 0)),
        NODES * WIDTH * BYTES,
        {"all_reduce": 6},
    ),
    TrafficCase(
        "graph attention by nodes",
        _attend,
        GRAPH,
        "x=2",
        (cut(2, 0), whole(2), whole(1), whole(1), whole(1)),
        EDGES * WIDTH * BYTES,
        {"all_reduce": 3},
    ),
    TrafficCase(
        "experts by one-hot masks",
        _one_hot,
        EXPERT,
        "x=2",
        BY_EXPERTS,
        TOKEN_BYTES,
        {"all_reduce": 3},
    ),
    TrafficCase(
        "experts by buffers",
        _buffers,
        EXPERT,
        "x=2",
        BY_EXPERTS,
        TOKEN_BYTES,
        TWO,
    ),
)
