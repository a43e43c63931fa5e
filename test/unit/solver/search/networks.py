"""Random cost networks, chains of equal layers, and a brute force that shares no code."""

from __future__ import annotations

import numpy as np

from distc.solver.search.network import FORBIDDEN, CostNetwork, make_network


def random_network(
    seed: int, variables: int = 6, labels: int = 3, points: int = 0, forbidden: float = 0.1
) -> CostNetwork:
    """A network with random links, some pairs forbidden, memory points over random variables."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, labels + 1, variables)
    unary = [rng.integers(0, 50, n) for n in sizes]
    pairs = []
    for i in range(variables):
        for j in range(i + 1, variables):
            if rng.random() < 0.5:
                costs = rng.integers(0, 50, (sizes[i], sizes[j]))
                costs[rng.random(costs.shape) < forbidden] = FORBIDDEN
                pairs.append((i, j, costs))
    memory = [
        {i: rng.integers(0, 20, sizes[i]) for i in range(variables) if rng.random() < 0.7}
        for _ in range(points)
    ]
    return make_network(unary, pairs, memory)


def layered_network(seed: int, layers: int, width: int = 4, labels: int = 3) -> CostNetwork:
    """Equal layers in a chain, one variable that all of them see, a head after the last."""
    rng = np.random.default_rng(seed)
    unary = [rng.integers(0, 30, labels)]
    layer = [rng.integers(0, 30, labels) for _ in range(width)]
    inside = [rng.integers(0, 30, (labels, labels)) for _ in range(width)]
    between, shared = (rng.integers(0, 30, (labels, labels)) for _ in range(2))
    pairs, blocks, places = [], [-1], ["shared"]
    for block in range(layers):
        base = 1 + block * width
        unary += layer
        blocks += [block] * width
        places += [f"place{p}" for p in range(width)]
        pairs += [(base + p, base + (p + 1) % width, inside[p]) for p in range(width)]
        pairs.append((0, base, shared))
        if block:
            pairs.append((base - 1, base, between))
    return make_network(unary, pairs, (), blocks, places)


def brute_force(network: CostNetwork, limit: int | None = None) -> int | None:
    """Least cost over all assignments within `limit` bytes, None where none is legal."""
    shape = [len(u) for u in network.unary]
    grid = np.indices(shape).reshape(len(shape), -1)
    cost = sum((u[x] for u, x in zip(network.unary, grid, strict=True)), np.zeros(1, np.int64))
    for edge in network.edges:
        cost = cost + edge.costs[grid[edge.first], grid[edge.second]]
    legal = cost < FORBIDDEN
    for point in network.memory:
        used = sum((b[grid[i]] for i, b in point.items()), np.zeros(1, np.int64))
        legal &= limit is None or used <= limit
    return int(cost[legal].min()) if legal.any() else None
