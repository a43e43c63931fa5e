"""Orders of elimination: small tables, and the same order in every layer.

Randomised greedy: the next variable is the one whose elimination makes the smallest table, or adds
the fewest links between its neighbours, with some noise; the best of several tries is kept. A
model's layers are eliminated innermost first, each in the same order: the layer that is last in
the forward pass is first in the backward pass, so both halves of it go together. The order of a
layer is searched on a network of three layers, and holds for any number.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from distc.solver.search.network import CostNetwork

_TRIES = 100
_FEWEST, _LINKS = 10, 30_000
"""Larger networks take longer to try: 100 tries up to 300 variables, 10 from 3,000 on."""
_NOISE = (0.0, 0.3, 1.0, 2.0, 3.0)
_STAGE_WEIGHTS = (1.0, 30.0, 1.0, 1.0)
"""Last layer, layers in the middle, first layer, what is outside: how often each is done."""

Links = dict[int, set[int]]


@dataclass(frozen=True, slots=True)
class Order:
    """An order, and what it costs: cells of all tables, cells of the largest."""

    variables: tuple[int, ...]
    cells: float
    largest: float


def find_order(network: CostNetwork, seed: int = 0) -> tuple[int, ...]:
    """Return an order of elimination for all variables; the same on any machine."""
    layers = _layers(network)
    if len(layers) < 4:
        whole = [set(range(network.size))]
        found = _search(_links(network), _logs(network), whole, [1.0], seed)
        return found.variables if found is not None else tuple(range(network.size))
    return _periodic(network, layers, seed)


def _links(network: CostNetwork) -> Links:
    links: Links = {i: set() for i in range(network.size)}
    for edge in network.edges:
        if min(edge.costs.shape) > 1:
            links[edge.first].add(edge.second)
            links[edge.second].add(edge.first)
    return links


def _logs(network: CostNetwork) -> list[float]:
    return [log(max(1, len(u))) for u in network.unary]


def _layers(network: CostNetwork) -> list[dict[str, int]]:
    """Per layer, place → variable; the first of those with equal places only."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for variable, (block, place) in enumerate(zip(network.blocks, network.places, strict=True)):
        if block >= 0:
            found[block].setdefault(place, variable)
    return [found[b] for b in sorted(found)]


def _periodic(network: CostNetwork, layers: list[dict[str, int]], seed: int) -> tuple[int, ...]:
    """Search on the first, the second and the last layer, joined as if they were neighbours."""
    first, second, last = layers[0], layers[1], layers[-1]
    third = {v: last.get(p) for p, v in layers[2].items()}
    members = set(first.values()) | set(second.values()) | set(last.values())
    placed = {v for layer in layers for v in layer.values()}
    around = set(range(network.size)) - placed
    kept = members | around
    links: Links = {v: set() for v in kept}
    for edge in network.edges:
        a, b = edge.first, edge.second
        if min(edge.costs.shape) == 1:
            continue
        if a in kept and b in kept:
            ends: tuple[int | None, int | None] = (a, b)
        elif a in kept and b in third:
            ends = (a, third[b])
        elif b in kept and a in third:
            ends = (third[a], b)
        else:
            continue
        if None not in ends and ends[0] != ends[1]:
            links[ends[0]].add(ends[1])  # type: ignore[index,arg-type]
            links[ends[1]].add(ends[0])  # type: ignore[index,arg-type]
    early = set(first.values()) | set(second.values())
    to_last, to_early = (_distances(links, around, ends) for ends in (set(last.values()), early))
    far = len(links)
    best: tuple[Order, set[int]] | None = None
    for bias in (0, 1):
        near_last = {v for v in around if to_last.get(v, far) < to_early.get(v, far) + bias}
        inner = {v for v in near_last if not bias or not links[v] & early}
        stages = [
            inner | set(last.values()),
            set(second.values()),
            set(first.values()),
            around - inner,
        ]
        limit = float("inf") if best is None else best[0].cells
        found = _search(links, _logs(network), stages, _STAGE_WEIGHTS, seed, limit)
        best = best if found is None else (found, inner)
    assert best is not None
    return _repeat(best[0].variables, layers, best[1], network.size)


def _distances(links: Links, around: set[int], ends: set[int]) -> dict[int, int]:
    """Steps from variables outside layers to those of `ends`, on ways outside layers."""
    found: dict[int, int] = {}
    edge = {v for v in around if links[v] & ends}
    step = 1
    while edge:
        found |= dict.fromkeys(edge, step)
        edge = {x for v in edge for x in links[v] & around} - found.keys()
        step += 1
    return found


def _repeat(
    order: Sequence[int], layers: list[dict[str, int]], inner: set[int], size: int
) -> tuple[int, ...]:
    """Put every layer's variables in the order of its example, last layer first."""
    examples = {0: layers[0], len(layers) - 1: layers[-1]}
    rank = {v: i for i, v in enumerate(order)}
    places = {
        number: sorted(example, key=lambda p, e=example: rank[e[p]])  # type: ignore[misc]
        for number, example in (examples | {1: layers[1]}).items()
    }
    last = set(layers[-1].values())
    result = [v for v in order if v in inner or v in last]
    for index in reversed(range(len(layers) - 1)):
        layer = layers[index]
        pattern = places[min(index, 1)]
        known = [layer[p] for p in pattern if p in layer]
        result += sorted(set(layer.values()) - set(known)) + known
    done = set(result)
    result += [v for v in order if v not in done]
    assert len(result) == size
    return tuple(result)


def _search(
    links: Links,
    logs: Sequence[float],
    stages: Sequence[set[int]],
    weights: Sequence[float],
    seed: int,
    limit: float = float("inf"),
) -> Order | None:
    """Return the best order of several tries, None where none is below `limit` cells.

    A stage is finished before the next begins.
    """
    best: Order | None = None
    for number in range(max(_FEWEST, min(_TRIES, _LINKS // max(1, len(links))))):
        chance = random.Random(f"{seed}.{number}")
        noise = _NOISE[number % len(_NOISE)]
        fill = (number // len(_NOISE)) % 2 == 1
        found = _try(links, logs, stages, weights, _Rule(chance, noise, fill), limit)
        if found is not None:
            best, limit = found, found.cells
    return best


@dataclass(frozen=True, slots=True)
class _Rule:
    chance: random.Random
    noise: float
    fill: bool

    def weight(self, links: Links, logs: Sequence[float], variable: int) -> float:
        """Smaller goes first."""
        around = links[variable]
        table = logs[variable] + sum(logs[x] for x in around)
        if self.fill:
            new = list(_new_links(links, sorted(around)))
            table = sum(logs[a] * logs[b] for a, b in new) + 0.01 * table
        return table + self.chance.random() * self.noise


def _new_links(links: Links, around: Sequence[int]) -> Iterable[tuple[int, int]]:
    for i, a in enumerate(around):
        known = links[a]
        for b in around[i + 1 :]:
            if b not in known:
                yield a, b


def _try(
    whole: Mapping[int, set[int]],
    logs: Sequence[float],
    stages: Sequence[set[int]],
    weights: Sequence[float],
    rule: _Rule,
    limit: float,
) -> Order | None:
    """Eliminate on paper; None as soon as it costs more than `limit`."""
    links = {v: set(near) for v, near in whole.items()}
    order: list[int] = []
    cells = largest = 0.0
    for stage, weight in zip(stages, weights, strict=True):
        waiting = {v: rule.weight(links, logs, v) for v in sorted(stage)}
        while waiting:
            variable = min(waiting, key=lambda v: (waiting[v], v))
            del waiting[variable]
            near = links.pop(variable)
            table = exp(min(600.0, logs[variable] + sum(logs[x] for x in near)))
            cells += table * weight
            largest = max(largest, table)
            if cells >= limit:
                return None
            order.append(variable)
            for a, b in list(_new_links(links, sorted(near))):
                links[a].add(b)
                links[b].add(a)
            for x in near:
                links[x].discard(variable)
            touched = set(near).union(*(links[x] for x in near)) if rule.fill else near
            for x in touched & waiting.keys():
                waiting[x] = rule.weight(links, logs, x)
    return Order(tuple(order), cells, largest)
