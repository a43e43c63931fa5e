"""Face recognition: a classifier over very many classes, by data or by classes.

One iteration of n ranks, b images each, C classes, features of d = 512 floats, f32, SGD with
momentum; head of C d parameters, backbone of Ψ parameters and F FLOPs per image and pass:

    both        3 b F / FLOP/s + 6 b d C / FLOP/s + all-reduce of 4 Ψ bytes + update of the backbone
    by data     + all-reduce of 4 C d bytes                    + 20 C d bytes of memory (update)
    by classes  + all-gather and reduce-scatter of 4 n b d bytes (features and their gradients)
                + 3 all-reduces of 4 n b bytes (max, sum, label's logit)      + 20 C d / n bytes

An update reads parameter, gradient, momentum and writes parameter, momentum. Traffic of the logits
is the same on both sides and left out. Sources: DistPar's class-parallel cross-entropy; InsightFace
(arXiv 1801.07698): LResNet100E-IR, 65.2 million parameters, 24.2 GFLOPs an image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from claims.claim import Claim, Prediction, close, gain, row, table

from distc.dialect.mesh import AxisRef, Mesh
from distc.solver.collective_cost import StepKind, collective_seconds
from distc.solver.hardware import Hardware, load_hardware

FEATURES = 512
BACKBONE = 65_200_000
IMAGE_FLOPS = 24.2e9
BATCH = 64
FLOAT = 4
CLASSES = (100_000, 360_232, 1_000_000, 3_000_000, 10_000_000)
RANKS = (8, 16, 32)
REPORT = "Oneflow-Inc/DLPerf, reports/insightface, report v1"


@dataclass(frozen=True, slots=True)
class Heads:
    """An iteration with the head by data and by classes.

    Attributes:
        by_data, by_classes: seconds.
        data_bytes: what a rank holds by data: parameters, gradients, momentum, logits.
    """

    by_data: float
    by_classes: float
    data_bytes: int

    @property
    def gain(self) -> float:
        """Relative gain in throughput of classes over data."""
        return self.by_data / self.by_classes - 1


def heads(hardware: Hardware, ranks: int, classes: int) -> Heads:
    """Price an iteration both ways."""
    mesh, axes = Mesh.of(data=ranks), (AxisRef("data"),)

    def moved(kind: StepKind, bytes_: float) -> float:
        return collective_seconds(kind, mesh, axes, bytes_, hardware)

    head, images = classes * FEATURES, BATCH * ranks
    flops = 3 * BATCH * IMAGE_FLOPS + 6.0 * BATCH * head
    common = flops / hardware.flops_per_second("f32")
    common += moved(StepKind.ALL_REDUCE, FLOAT * BACKBONE) + _update(hardware, BACKBONE)
    by_data = moved(StepKind.ALL_REDUCE, FLOAT * head) + _update(hardware, head)
    features = FLOAT * images * FEATURES
    by_classes = (
        moved(StepKind.ALL_GATHER, features)
        + moved(StepKind.REDUCE_SCATTER, features)
        + 3 * moved(StepKind.ALL_REDUCE, FLOAT * images)
        + _update(hardware, head / ranks)
    )
    held = 3 * FLOAT * (head + BACKBONE) + FLOAT * BATCH * classes
    return Heads(common + by_data, common + by_classes, held)


def _update(hardware: Hardware, parameters: float) -> float:
    return 5 * FLOAT * parameters / hardware.memory_bytes_per_second


REPORTED = (("face_emore", 85_742, 1836.8, 1854.15), ("Glint360k", 360_232, 1688.62, 1808.27))
"""Data set, classes, images per second by data and by classes: OneFlow on 8 V100, 64 each."""


def claims() -> Iterator[Claim]:
    """Measured pairs by gain and by time saved, then the paper's figure."""
    hardware = load_hardware("v100-8x")
    for name, classes, by_data, by_classes in REPORTED:
        priced = heads(hardware, 8, classes)
        what = f"classes over data, {name} ({classes:,} classes), 8 V100"
        reported = by_classes / by_data - 1
        yield Claim(what, f"{reported:+.1%}", REPORT, (gain(reported, [priced.gain]),))
        saved = 1e3 * 8 * BATCH * (1 / by_data - 1 / by_classes)
        predicted = 1e3 * (priced.by_data - priced.by_classes)
        judged = Prediction(f"{predicted:.1f} ms", close(saved, predicted))
        yield Claim(f"the same, saved per iteration, {name}", f"{saved:.1f} ms", REPORT, (judged,))
    found = [heads(hardware, n, c) for n in RANKS for c in CLASSES]
    gains = [h.gain for h in found if h.data_bytes <= hardware.memory_bytes]
    source = "DistPar's review thread (ICLR 2024)"
    what = "classes over data, up to 32 V100, classes not named"
    yield Claim(what, "+50%", source, (gain(0.5, gains),))


def claims_table() -> str:
    """Claims, reported and predicted."""
    columns = ("claim", "reported", "source", "v100-8x")
    return table(columns, [row(c) for c in claims()])


def sizes_table() -> str:
    """Gain of classes over data by number of classes and of GPUs."""
    hardware = load_hardware("v100-8x")
    rows = []
    for classes in CLASSES:
        cells = [f"{classes:,}", *(_cell(hardware, n, classes) for n in RANKS)]
        rows.append("| " + " | ".join(cells) + " |")
    return table(("classes", *(f"{n} V100" for n in RANKS)), rows)


def _cell(hardware: Hardware, ranks: int, classes: int) -> str:
    priced = heads(hardware, ranks, classes)
    if priced.data_bytes > hardware.memory_bytes:
        needs, limit = priced.data_bytes / 2**30, hardware.memory_bytes / 2**30
        return f"by data needs {needs:.1f} GiB, limit {limit:.1f} GiB"
    return f"{priced.gain:+.1%}"
