"""A lower bound on a network by messages between its variables, and assignments near it.

With messages M (any integers) the cost is, term by term the same for every assignment x,

    C(x) = Σ_v θ_v(x_v) + Σ_(u,v) [ m_uv(x_u, x_v) − M_vu(x_u) − M_uv(x_v) ]
    θ_v  = u_v + Σ_u M_uv

A sweep passes over the variables in one order. Each keeps an equal share of its θ for every link in
the direction where it has more of them, s_v = ⌊(θ_v − min θ_v) / k_v⌋, and sends ahead

    M_vu(y) = min over x of [ s_v(x) − M_uv(x) + m_vu(x, y) ] − δ_vu,    δ so that min M_vu = 0

after which every link with its share is at least δ, what is left of θ_v at least min θ_v, and so

    C(x) ≥ Σ_v min θ_v + Σ_(u,v) δ_uv                                    for all x

The bound is that of the linear relaxation, or near it; on the networks of real models it is mostly
the optimum. Sweeps go forth and back; batches (`batches.py`) make one of them as dear as one layer.

Source: Kolmogorov, Convergent tree-reweighted message passing, PAMI 2006, in whole numbers.
    -> implemented in `Messages.sweep`, `Messages.residual`
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from distc.solver.search.batches import Batches, Bundle, Rows
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge

Sent = dict[tuple[int, int], tuple[Costs, Costs]]
"""Messages by link: to its first variable, to its second."""


class Messages:
    """The messages of one network; they only make the bound better.

    Any messages are a start: those of a network with other costs and the same links are a good one.
    """

    def __init__(self, network: CostNetwork, start: Sent | None = None) -> None:
        self.network = network
        self.batches = batches = Batches.of(network)
        self.theta = [u.copy() for u in batches.unary]
        self.to_first = [_zeros(b, 0) for b in batches.bundles]
        self.to_second = [_zeros(b, 1) for b in batches.bundles]
        if start:
            self._resume(start)

    def _resume(self, start: Sent) -> None:
        """Take over what fits of other messages."""
        for number, bundle in enumerate(self.batches.bundles):
            shape = bundle.costs.shape
            for row, link in enumerate(self._links(bundle)):
                known = start.get(link)
                if known is not None and (len(known[0]), len(known[1])) == shape:
                    self.to_first[number][row], self.to_second[number][row] = known
            bundle.first_ends.add(self.theta[bundle.first], self.to_first[number])
            bundle.second_ends.add(self.theta[bundle.second], self.to_second[number])

    def sent(self) -> Sent:
        """Return the messages, for a network with the same links."""
        return {
            link: (to_first, to_second)
            for number, bundle in enumerate(self.batches.bundles)
            for link, to_first, to_second in zip(
                self._links(bundle), self.to_first[number], self.to_second[number], strict=True
            )
        }

    def _links(self, bundle: Bundle) -> list[tuple[int, int]]:
        """Numbers of the variables of each link."""
        firsts = self.batches.variables[bundle.first]
        seconds = self.batches.variables[bundle.second]
        rows = zip(bundle.first_ends.rows.tolist(), bundle.second_ends.rows.tolist(), strict=True)
        return [(firsts[i], seconds[j]) for i, j in rows]

    def sweep(self) -> int:
        """Send all messages forth and back; return the bound they prove, in ticks."""
        numbers = range(len(self.batches.variables))
        forth = sum(self._send(b, self.batches.later[b], forth=True) for b in numbers)
        back = sum(self._send(b, self.batches.earlier[b], forth=False) for b in reversed(numbers))
        return max(forth, back)

    def labels(self) -> tuple[int, ...]:
        """Return an assignment: batch by batch the best label, given those chosen before."""
        chosen: list[Rows] = []
        for batch, theta in enumerate(self.theta):
            costs = theta.copy()
            for number in self.batches.earlier[batch]:
                bundle = self.batches.bundles[number]
                rows = bundle.costs[chosen[bundle.first][bundle.first_ends.rows]]
                bundle.second_ends.add(costs, rows - self.to_second[number])
            chosen.append(costs.argmin(1))
        return self._flat(self._improved(chosen))

    def residual(self) -> tuple[int, CostNetwork]:
        """Return a bound, and a network of what every assignment costs beyond it.

        All its costs are at least zero, so that its labels and pairs can be judged one by one.
        """
        bound = self.sweep_back()
        unary: list[Costs] = [np.empty(0, np.int64)] * self.network.size
        shares: list[Costs] = []
        for batch, theta in enumerate(self.theta):
            share = self._share(batch)
            shares.append(share)
            rest = theta - theta.min(1, keepdims=True) - self.batches.behind[batch] * share
            forbidden = self.batches.unary[batch] >= FORBIDDEN
            rest = np.where(forbidden, FORBIDDEN, np.minimum(rest, FORBIDDEN))
            for variable, row in zip(self.batches.variables[batch], rest, strict=True):
                unary[variable] = row
        edges = tuple(
            edge
            for number, bundle in enumerate(self.batches.bundles)
            for edge in self._slack(number, bundle, shares[bundle.second])
        )
        n = self.network
        return bound, CostNetwork(tuple(unary), edges, (), n.blocks, n.places)

    def sweep_back(self) -> int:
        """Send messages to earlier batches; return the bound."""
        numbers = reversed(range(len(self.batches.variables)))
        return sum(self._send(b, self.batches.earlier[b], forth=False) for b in numbers)

    def _share(self, batch: int) -> Costs:
        theta = self.theta[batch]
        whole: Costs = theta - theta.min(1, keepdims=True)
        return whole // self.batches.shares[batch]

    def _send(self, batch: int, bundles: tuple[int, ...], *, forth: bool) -> int:
        """Send the messages of a batch in one direction; return its part of the bound."""
        bound = int(self.theta[batch].min(1).sum())
        share = self._share(batch)
        for number in bundles:
            bundle = self.batches.bundles[number]
            here, there, other = bundle.first_ends, bundle.second_ends, bundle.second
            costs, came, goes = bundle.costs, self.to_first, self.to_second
            if not forth:
                here, there, other = there, here, bundle.first
                costs, came, goes = costs.T, goes, came
            message = _least(share[here.rows] - came[number], costs)
            least = message.min(1)
            bound += int(least.sum())
            message = np.minimum(message - least[:, None], FORBIDDEN)
            there.add(self.theta[other], message - goes[number])
            goes[number] = message
        return bound

    def _improved(self, chosen: list[Rows]) -> list[Rows]:
        """Change labels of one batch after another while that is cheaper."""
        changed = True
        while changed:
            changed = False
            for batch, labels in enumerate(chosen):
                costs = self._costs(batch, chosen)
                here = np.arange(len(labels))
                best = costs.argmin(1)
                better = costs[here, best] < costs[here, labels]
                changed |= bool(better.any())
                chosen[batch] = np.where(better, best, labels)
        return chosen

    def _costs(self, batch: int, chosen: list[Rows]) -> Costs:
        """Cost of each label of a batch with all others as they are."""
        costs = self.batches.unary[batch].copy()
        for number in self.batches.earlier[batch]:
            bundle = self.batches.bundles[number]
            rows = bundle.costs[chosen[bundle.first][bundle.first_ends.rows]]
            bundle.second_ends.add(costs, rows)
        for number in self.batches.later[batch]:
            bundle = self.batches.bundles[number]
            columns = bundle.costs[:, chosen[bundle.second][bundle.second_ends.rows]]
            bundle.first_ends.add(costs, columns.T)
        return costs

    def _flat(self, chosen: list[Rows]) -> tuple[int, ...]:
        labels = [0] * self.network.size
        for variables, found in zip(self.batches.variables, chosen, strict=True):
            for variable, label in zip(variables, found.tolist(), strict=True):
                labels[variable] = label
        return tuple(labels)

    def _slack(self, number: int, bundle: Bundle, share: Costs) -> Iterator[Edge]:
        """What each pair of labels of a bundle costs beyond the bound of its link."""
        firsts = [self.batches.variables[bundle.first][r] for r in bundle.first_ends.rows]
        seconds = [self.batches.variables[bundle.second][r] for r in bundle.second_ends.rows]
        links = zip(firsts, seconds, bundle.second_ends.rows.tolist(), strict=True)
        for row, (first, second, at) in enumerate(links):
            costs = bundle.costs - self.to_first[number][row][:, None]
            costs = costs + (share[at] - self.to_second[number][row])[None, :]
            costs = costs - costs.min()
            costs = np.where(bundle.costs >= FORBIDDEN, FORBIDDEN, np.minimum(costs, FORBIDDEN))
            low, high = (first, second) if first < second else (second, first)
            yield Edge(low, high, costs if first < second else np.ascontiguousarray(costs.T))


def _zeros(bundle: Bundle, side: int) -> Costs:
    return np.zeros((len(bundle.first_ends), bundle.costs.shape[side]), np.int64)


def _least(costs: Costs, table: Costs) -> Costs:
    """Return [row, y] = min over x of costs[row, x] + table[x, y]."""
    result: Costs = (costs[:, :, None] + table[None]).min(1)
    return result
