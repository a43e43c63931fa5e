"""PaRO's reported regimes: which state wins, and by how much, on three pricings.

a100-8x    the link model on the vendor data of a DGX A100 (eight 200 Gb/s ports a node)
p4de       the same on a public cloud's A100 nodes (400 Gb/s a node)
table      PaRO's own formulas on a100-8x's bandwidths: a ring over all ranks has one port
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from claims.claim import Claim, Prediction, gain, row, span, table

from distc.solver.collective_cost import StepKind
from distc.solver.hardware import Hardware, Link, load_hardware
from distc.solver.states.job import Job, micro_step_flops, micro_step_seconds
from distc.solver.states.links import Algorithm, HardwareLinks, Links, Scope, TableLinks
from distc.solver.states.table import StateRow, group_sizes, state_table

GROUP = 8
STEPS = (1, 4, 16)
TOKENS = (2048, 8192)
SHARES = {"full": (1, 1), "1/16": (1, 16), "PEFT 3/1000": (3, 1000)}
ZERO = ("NNG", "NGG", "GGG")
"""Points that ZeRO has, beside plain data parallelism and MiCS."""
BASELINES = ("NNN", *ZERO, "III")
THREAD = "PaRO's review thread (NeurIPS 2024)"
PAPER = "arXiv 2310.06003"
_B = 10**9


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the reports on its cluster; LLaMA-65B trains with activation checkpointing."""

    name: str
    parameters: int
    ranks: int
    is_checkpointed: bool


B7 = Model("7B on 32", 7 * _B, 32, False)
B65 = Model("65B on 64", 65 * _B, 64, True)


@dataclass(frozen=True)
class Pricing:
    """A machine and how its links are priced."""

    name: str
    hardware: Hardware
    links: Callable[[int, int], Links]


def link_model(name: str, hardware: Hardware) -> Pricing:
    """The alpha-beta model of a machine."""
    return Pricing(name, hardware, lambda n, m: HardwareLinks(hardware, n, m))


@cache
def pricings() -> tuple[Pricing, ...]:
    """The three of this page."""
    a100 = load_hardware("a100-8x")
    inside, port = a100.device.bytes_per_second, a100.node.bytes_per_second
    return (
        link_model("a100-8x", a100),
        link_model("p4de", load_hardware("p4de")),
        Pricing("table", a100, lambda n, m: TableLinks(n, m, inside, port)),
    )


@cache
def states(
    pricing: Pricing,
    model: Model,
    share: tuple[int, int],
    steps: int,
    tokens: int,
    size: int = GROUP,
) -> dict[str, StateRow]:
    """All points of a job in groups of one size, best first."""
    trainable = -(-model.parameters * share[0] // share[1])
    flops = micro_step_flops(model.parameters, trainable, tokens, model.is_checkpointed)
    seconds = micro_step_seconds(flops, pricing.hardware)
    job = Job(model.parameters, trainable, model.ranks, steps, compute_seconds=seconds)
    found = state_table(
        job,
        (size,),
        lambda group: pricing.links(model.ranks, group),
        limit_bytes=pricing.hardware.memory_bytes,
        overlap=pricing.hardware.overlap,
        default_group=GROUP,
    )
    return {str(r.levels): r for r in found}


def ahead(table_: dict[str, StateRow], ours: str, theirs: str) -> float:
    """Relative gain in throughput of one point over another."""
    return table_[theirs].seconds / table_[ours].seconds - 1


def settings(pricing: Pricing) -> Iterator[dict[str, StateRow]]:
    """Every job of this page."""
    for model in (B7, B65):
        for share in SHARES.values():
            for tokens in TOKENS:
                for steps in STEPS:
                    yield states(pricing, model, share, steps, tokens)


def cheapest(table_: dict[str, StateRow], among: tuple[str, ...] = ()) -> str | None:
    """The best point that fits, of all or of some."""
    fits = (c for c, r in table_.items() if r.is_feasible and (not among or c in among))
    return next(fits, None)


def over_zero1(pricing: Pricing) -> Prediction:
    """NII against ZeRO-1, full training of 7B."""
    tables = [states(pricing, B7, (1, 1), s, t) for s in STEPS for t in TOKENS]
    return gain(0.487, [ahead(t, "NII", "NNG") for t in tables])


def over_zero3(pricing: Pricing) -> Prediction:
    """The largest gain of any point that fits and is not ZeRO's over ZeRO-3."""
    best = max(
        ahead(t, code, "GGG")
        for t in settings(pricing)
        for code, r in t.items()
        if r.is_feasible and code not in ZERO
    )
    return gain(1.66, [best])


def over_baselines(pricing: Pricing) -> Prediction:
    """The best point against the best of data parallelism, ZeRO and MiCS that fits, largest."""
    gains = []
    for t in settings(pricing):
        ours, theirs = cheapest(t), cheapest(t, BASELINES)
        if ours is not None and theirs is not None:
            gains.append(ahead(t, ours, theirs))
    return replace(gain(1.5, [max(gains)]), text=span(gains))


def of_65b(pricing: Pricing) -> Prediction:
    """IIG against ZeRO-3, full training of 65B, more than one micro-step."""
    tables = [states(pricing, B65, (1, 1), s, t) for s in STEPS[1:] for t in TOKENS]
    gains = [ahead(t, "IIG", "GGG") for t in tables]
    return Prediction(span(gains), min(gains) > 0)


def fitting(pricing: Pricing) -> Prediction:
    """Points whose state fits; all that do are listed."""
    found = states(pricing, B65, (1, 1), 1, TOKENS[0])
    fits = {code for code, r in found.items() if r.is_feasible}
    return Prediction(", ".join(sorted(fits)), {"IIG", "GGG"} <= fits)


def of_peft(pricing: Pricing) -> Prediction:
    """The winner of 65B with few trainable parameters, at 4 and 16 micro-steps."""
    share = SHARES["PEFT 3/1000"]
    winners = {cheapest(states(pricing, B65, share, s, t)) for s in STEPS[1:] for t in TOKENS}
    return Prediction(", ".join(sorted(map(str, winners))), "ING" in winners)


def dominated(pricing: Pricing) -> Prediction:
    """IIG against III: as many bytes moved, fewer held."""
    tables = [states(pricing, B7, (1, 1), s, TOKENS[0]) for s in STEPS]
    gains = [ahead(t, "IIG", "III") for t in tables]
    holds = all(t["IIG"].memory.total < t["III"].memory.total for t in tables)
    text = f"{span(gains)}, less memory"
    return Prediction(text, holds and max(map(abs, gains)) < 0.01)


def gather(pricing: Pricing, algorithm: Algorithm) -> float:
    """Seconds of a large all-gather (1 GB) on 128 ranks."""
    links: Links = HardwareLinks(pricing.hardware, 128, GROUP, algorithm)
    if algorithm is Algorithm.FLAT:
        links = pricing.links(128, GROUP)
    return links.seconds(StepKind.ALL_GATHER, Scope.GLOBAL, 1e9)


def of_paro_cc(milliseconds: float, other: Algorithm) -> Callable[[Pricing], Prediction]:
    """PaRO-CC, reported at 162 ms, against another algorithm."""

    def judged(pricing: Pricing) -> Prediction:
        predicted = gather(pricing, other) / gather(pricing, Algorithm.PARO_CC) - 1
        return gain(milliseconds / 162 - 1, [predicted])

    return judged


_Row = tuple[str, str, str, Callable[[Pricing], Prediction]]
CLAIMS: tuple[_Row, ...] = (
    ("NII over ZeRO-1, 7B on 32, full", "+48.7%", THREAD, over_zero1),
    ("best point over ZeRO-3, at most", "2.66 ×, +166%", THREAD, over_zero3),
    (
        "best point over the best baseline, at most",
        "1.19 × … 2.50 ×",
        f"{PAPER} v2, abstract",
        over_baselines,
    ),
    ("IIG ahead of ZeRO-3, 65B on 64, full, s > 1", "its choice there", PAPER, of_65b),
    ("IIG and ZeRO-3 fit 80 GB, 65B on 64, full", "both were run", PAPER, fitting),
    ("ING for few trainable parameters, 65B, s > 1", "used", "PaRO's code, examples", of_peft),
    ("IIG for MiCS (III): no slower, less memory", "in place of it", PAPER, dominated),
    ("PaRO-CC over a ring, 128 ranks", "288 ms / 162 ms", THREAD, of_paro_cc(288, Algorithm.FLAT)),
    ("PaRO-CC over MiCS-HCS, 128 ranks", "183 ms / 162 ms", THREAD, of_paro_cc(183, Algorithm.HCS)),
)


def claims() -> list[Claim]:
    """All rows, judged under every pricing."""
    return [
        Claim(what, reported, source, tuple(judge(p) for p in pricings()))
        for what, reported, source, judge in CLAIMS
    ]


def claims_table() -> str:
    """Claims, reported and predicted."""
    columns = ("claim", "reported", "source", *(p.name for p in pricings()))
    return table(columns, [row(c) for c in claims()])


def winners_table() -> str:
    """The state that wins each job, with its gain over ZeRO-1 and ZeRO-3 where they fit."""
    columns = ("model", "trained", "pricing", *(f"s = {s}" for s in STEPS))
    rows = []
    for model in (B7, B65):
        for name, share in SHARES.items():
            for pricing in pricings():
                found = (states(pricing, model, share, s, TOKENS[0]) for s in STEPS)
                cells = (model.name, name, pricing.name, *map(_winner, found))
                rows.append("| " + " | ".join(cells) + " |")
    return table(columns, rows)


def _winner(found: dict[str, StateRow]) -> str:
    code = cheapest(found)
    if code is None:
        return "nothing fits"
    parts = [
        f"{ahead(found, code, other):+.0%} over {name}"
        for name, other in (("ZeRO-1", "NNG"), ("ZeRO-3", "GGG"))
        if found[other].is_feasible and other != code
    ]
    return f"**{code}** {found[code].seconds:.2f} s" + "".join(f", {p}" for p in parts)


def groups_table() -> str:
    """IIG of 65B at every size of groups, four micro-steps."""
    sizes = group_sizes(B65.ranks, 8)
    rows = []
    for pricing in pricings()[:2]:
        found = (states(pricing, B65, (1, 1), 4, TOKENS[0], m)["IIG"] for m in sizes)
        cells = (pricing.name, *map(_step, found))
        rows.append("| " + " | ".join(cells) + " |")
    return table(("IIG, 65B on 64, s = 4", *(f"m = {m}" for m in sizes)), rows)


def _step(row_: StateRow) -> str:
    if not row_.is_feasible:
        return f"needs {row_.memory.total / 2**30:.0f} GiB"
    return f"{row_.seconds:.2f} s"


NETWORKS = (1600, 800, 400, 200, 100)


def networks_table() -> str:
    """What the largest gains are at other networks, all else as a100-8x."""
    columns = ("Gb/s per node", "NII over ZeRO-1", "best over ZeRO-3", "IIG over ZeRO-3, 65B")
    rows = []
    for gigabits in NETWORKS:
        pricing = link_model("", _with_network(load_hardware("a100-8x"), gigabits))
        cells = (str(gigabits), *(f(pricing).text for f in (over_zero1, over_zero3, of_65b)))
        rows.append("| " + " | ".join(cells) + " |")
    return table(columns, rows)


def _with_network(hardware: Hardware, gigabits: float) -> Hardware:
    node = hardware.node
    speed = gigabits * 1e9 / 8 / hardware.devices_per_node
    return replace(hardware, node=Link(node.base_seconds, node.hop_seconds, speed))
