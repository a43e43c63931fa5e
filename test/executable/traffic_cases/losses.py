"""Losses over cut classes, embeddings over cut vocabularies."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from executable.traffic_case import BYTES, FLOAT, TrafficCase, cut, labels, normal, whole
from torch import Tensor

ROWS, CLASSES, WIDTH = 8, 33, 16
LOGITS, TARGET = normal(ROWS, CLASSES), labels(CLASSES, ROWS)
HIDDEN, TABLE = normal(ROWS, WIDTH), normal(CLASSES, WIDTH, seed=1)
TOKENS = labels(CLASSES, 4, 5)
MAP, MAP_TARGET = normal(2, 5, 4, 6), labels(5, 2, 4, 6)
ROW, ROWS_OF = ROWS * BYTES, TOKENS.numel() * WIDTH * BYTES
SCALAR = BYTES


def _by_classes(name: str, **options: object) -> list[TrafficCase]:
    """Three numbers per row: a maximum, a sum, what the label picks. The last rank holds less."""

    def loss(x: Tensor, t: Tensor) -> Tensor:
        value = F.cross_entropy(x, t, **options)  # type: ignore[arg-type]
        return (value * value).sum() if value.dim() else value

    sums = {"all_reduce": 4 if "label_smoothing" in options else 3}
    return [
        TrafficCase(
            f"class-parallel cross-entropy{name}",
            loss, (LOGITS, TARGET), mesh, (cut(2, 1), whole(1)), ROW, sums,
        )
        for mesh in ("x=2", "x=4")
    ]  # fmt: skip


def _one_hot(target: Tensor) -> Tensor:
    return (target[:, None] == torch.arange(CLASSES)).to(FLOAT)


def _margin(h: Tensor, w: Tensor, t: Tensor) -> Tensor:
    cosine = F.normalize(h) @ F.normalize(w).t()
    return F.cross_entropy(8 * (cosine - 0.2 * _one_hot(t)), t)


def _arc(h: Tensor, w: Tensor, t: Tensor) -> Tensor:
    """The angle of the true class grows by a margin, found by its index."""
    cosine = F.normalize(h) @ F.normalize(w).t()
    picked = cosine.gather(1, t[:, None])
    moved = torch.cos(torch.acos(picked.clamp(-0.99, 0.99)) + 0.1)
    return F.cross_entropy(8 * cosine.scatter(1, t[:, None], moved), t)


def _tied(w: Tensor, i: Tensor, t: Tensor) -> Tensor:
    return F.cross_entropy((F.embedding(i, w).sin() @ w.t()).flatten(0, 1), t)


def _embedded(**options: int) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda w, i: F.embedding(i, w, **options).sin().sum()


CASES = (
    *_by_classes(""),
    *_by_classes(": a sum", reduction="sum"),
    *_by_classes(": no reduction", reduction="none"),
    *_by_classes(": ignored labels", ignore_index=3),
    *_by_classes(": label smoothing", label_smoothing=0.1),
    TrafficCase(
        "cross-entropy by batch",
        F.cross_entropy, (LOGITS, TARGET), "x=2", (cut(2, 0), cut(1, 0)),
        SCALAR, {"all_reduce": 2},
    ),
    TrafficCase(
        "cross-entropy by batch and classes",
        F.cross_entropy, (LOGITS, TARGET), "d=2,x=2", ("[S(d), S(x)]", "[S(d)]"),
        ROW // 2, {"all_reduce": 5},
    ),
    TrafficCase(
        "cross-entropy of a map, by classes",
        F.cross_entropy, (MAP, MAP_TARGET), "x=2", (cut(4, 1), whole(3)),
        MAP_TARGET.numel() * BYTES, {"all_reduce": 3},
    ),
    TrafficCase(
        "cross-entropy of a map, by rows",
        F.cross_entropy, (MAP, MAP_TARGET), "x=2", (cut(4, 2), cut(3, 1)),
        SCALAR, {"all_reduce": 2},
    ),
    TrafficCase(
        "cross-entropy with probabilities, by classes",
        lambda x, t: F.cross_entropy(x, t.softmax(-1)),
        (LOGITS, normal(ROWS, CLASSES, seed=3)), "x=2", (cut(2, 1),) * 2,
        ROW, {"all_reduce": 7},
    ),
    TrafficCase(
        "classifier head by classes and its loss",
        lambda h, w, t: F.cross_entropy(h @ w.t(), t),
        (HIDDEN, TABLE, TARGET), "x=2", (whole(2), cut(2, 0), whole(1)),
        ROWS * WIDTH * BYTES, {"all_reduce": 4},
    ),
    TrafficCase(
        "margin head (CosFace) by classes",
        _margin, (HIDDEN, TABLE, TARGET), "x=2", (whole(2), cut(2, 0), whole(1)),
        ROWS * WIDTH * BYTES, {"all_reduce": 4},
    ),
    TrafficCase(
        "margin head (ArcFace) by classes",
        _arc, (HIDDEN, TABLE, TARGET), "x=2", (whole(2), cut(2, 0), whole(1)),
        ROWS * WIDTH * BYTES, {"all_reduce": 7},
    ),
    TrafficCase(
        "margin head (ArcFace) by classes, batch cut too",
        _arc, (HIDDEN, TABLE, TARGET), "d=2,x=2", ("[S(d), R]", "[S(x), R]", "[S(d)]"),
        -(-CLASSES // 2) * WIDTH * BYTES, {"all_reduce": 10},
    ),
    TrafficCase(
        "vocabulary-parallel embedding",
        _embedded(), (TABLE, TOKENS), "x=2", (cut(2, 0), whole(2)), ROWS_OF, {"all_reduce": 1},
    ),
    TrafficCase(
        "vocabulary-parallel embedding with a padding row",
        _embedded(padding_idx=3), (TABLE, TOKENS), "x=4", (cut(2, 0), whole(2)),
        ROWS_OF, {"all_reduce": 1},
    ),
    TrafficCase(
        "vocabulary-parallel embedding, batch cut too",
        _embedded(), (TABLE, TOKENS), "d=2,x=2", (cut(2, 0), cut(2, 0, axis="d")),
        17 * WIDTH * BYTES, {"all_reduce": 3},
    ),
    TrafficCase(
        "embedding by features",
        _embedded(), (TABLE, TOKENS), "x=2", (cut(2, 1), whole(2)), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "embedding tied to the head, by vocabulary",
        _tied, (TABLE, TOKENS, labels(CLASSES, 20)), "x=2", (cut(2, 0), whole(2), whole(1)),
        ROWS_OF, {"all_reduce": 5},
    ),
    TrafficCase(
        "embedding in shards at rest (FSDP)",
        _embedded(), (TABLE, TOKENS), "x=2", (cut(2, 0), cut(2, 0)),
        34 * WIDTH * BYTES, {"all_gather": 1, "all_reduce": 1, "reduce_scatter": 1}, (0,),
    ),
)  # fmt: skip
