"""Cheaper assignments from given ones: parts of one put into another, single labels changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from distc.solver.search.network import CostNetwork, Costs

_ROUNDS = 3
_MOST_TRIED = 6

Labels = tuple[int, ...]


def splice(network: CostNetwork, limit: int, large: Labels, small: Labels) -> Iterator[Labels]:
    """Yield assignments within `limit` between one that is too large and one that fits.

    Both are optimal at the same price of memory. Where they differ in several places that are not
    linked, each place may be chosen alone: the bytes that are left are filled with the places of
    the larger one that are worth most per byte. Layers in a row are tried as well.
    """
    found: dict[Labels, int] = {}
    for labels in (*_filled(network, limit, large, small), *_cut_by_layer(network, large, small)):
        if labels not in found and network.peak_bytes(labels) <= limit:
            found[labels] = network.cost(labels)
    yield from sorted(found, key=lambda labels: found[labels])[:_MOST_TRIED]


def _filled(network: CostNetwork, limit: int, large: Labels, small: Labels) -> Iterator[Labels]:
    places = _places(network, large, small)
    for largest_first in (True, False):
        labels, cost = list(small), network.cost(small)
        for place in sorted(places, key=len, reverse=largest_first):
            changed = list(labels)
            for variable in place:
                changed[variable] = large[variable]
            new = network.cost(changed)
            if new < cost and network.peak_bytes(changed) <= limit:
                labels, cost = changed, new
        yield tuple(labels)


def _places(network: CostNetwork, large: Labels, small: Labels) -> list[list[int]]:
    """Connected sets of variables where the two differ."""
    differing = {i for i, (a, b) in enumerate(zip(large, small, strict=True)) if a != b}
    places: list[list[int]] = []
    while differing:
        waiting = [min(differing)]
        differing.discard(waiting[0])
        place = []
        while waiting:
            variable = waiting.pop()
            place.append(variable)
            near = {
                e.second if e.first == variable else e.first
                for e in (network.edges[n] for n in network.neighbours[variable])
            }
            waiting += sorted(near & differing)
            differing -= near
        places.append(sorted(place))
    return places


def _cut_by_layer(network: CostNetwork, large: Labels, small: Labels) -> Iterator[Labels]:
    """The first k layers from one, the others and what is outside layers from the other."""
    blocks = network.blocks
    for cut in range(max(blocks, default=-1) + 1):
        for inner, outer in ((large, small), (small, large)):
            for outside in (large, small):
                yield tuple(
                    outside[i] if b < 0 else inner[i] if b < cut else outer[i]
                    for i, b in enumerate(blocks)
                )


def improve(network: CostNetwork, limit: int, labels: Labels) -> Labels:
    """Change single labels while that is cheaper and fits (iterated conditional modes)."""
    current = list(labels)
    used = network.bytes_at(current)
    for _ in range(_ROUNDS):
        changed = [i for i in range(network.size) if _change(network, limit, current, used, i)]
        if not changed:
            break
    return tuple(current)


def _change(
    network: CostNetwork, limit: int, labels: list[int], used: list[int], variable: int
) -> bool:
    """Give one variable its best label that fits; `labels` and `used` follow."""
    costs = _costs(network, labels, variable).astype(np.float64)
    for point, bytes_ in zip(network.memory, used, strict=True):
        if variable in point:
            row = point[variable]
            costs[bytes_ - row[labels[variable]] + row > limit] = np.inf
    best = int(costs.argmin())
    if not costs[best] < costs[labels[variable]]:
        return False
    for index, point in enumerate(network.memory):
        if variable in point:
            used[index] += int(point[variable][best] - point[variable][labels[variable]])
    labels[variable] = best
    return True


def _costs(network: CostNetwork, labels: Sequence[int], variable: int) -> Costs:
    """Cost of each label of a variable with all others as they are."""
    total = network.unary[variable].copy()
    for number in network.neighbours[variable]:
        edge = network.edges[number]
        if edge.first == variable:
            total += edge.costs[:, labels[edge.second]]
        else:
            total += edge.costs[labels[edge.first], :]
    return total
