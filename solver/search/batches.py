"""Variables in batches that one array operation updates: equal places of all layers at once.

A batch is a set of variables with as many labels each, none linked to another; a bundle is a set of
links between two batches with one table. Batches are in the order in which their first variables
come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.network import CostNetwork, Costs

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False, slots=True)
class Ends:
    """Rows of a batch, one for each link; in a star one row has several links."""

    rows: Rows
    apart: bool

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, total: Costs, values: Costs) -> None:
        """Add the values of all links to the rows at their ends."""
        if self.apart:
            total[self.rows] += values
        else:
            np.add.at(total, self.rows, values)


@dataclass(frozen=True, eq=False, slots=True)
class Bundle:
    """Links with one table between variables of batch `first` and of a later batch `second`."""

    first: int
    second: int
    first_ends: Ends
    second_ends: Ends
    costs: Costs


@dataclass(frozen=True, eq=False)
class Batches:
    """A network in batches.

    Attributes:
        variables: per batch, its variables.
        unary: per batch, costs [variables, labels].
        bundles: all links.
        later, earlier: per batch, the bundles to later batches, and those to earlier ones.
        behind: per batch [variables, 1], the number of links to earlier batches.
        shares: per batch [variables, 1], the larger number of links in one direction, at least 1.
    """

    variables: tuple[tuple[int, ...], ...]
    unary: tuple[Costs, ...]
    bundles: tuple[Bundle, ...]
    later: tuple[tuple[int, ...], ...]
    earlier: tuple[tuple[int, ...], ...]
    behind: tuple[Costs, ...]
    shares: tuple[Costs, ...]

    @classmethod
    def of(cls, network: CostNetwork) -> Batches:
        """Put the variables and links of a network in batches."""
        variables = _independent(network)
        place = {v: (b, r) for b, batch in enumerate(variables) for r, v in enumerate(batch)}
        unary = tuple(np.stack([network.unary[v] for v in batch]) for batch in variables)
        bundles = _bundled(network, place)
        later: list[list[int]] = [[] for _ in variables]
        earlier: list[list[int]] = [[] for _ in variables]
        ahead = [np.zeros((len(v), 1), np.int64) for v in variables]
        behind = [np.zeros((len(v), 1), np.int64) for v in variables]
        for number, bundle in enumerate(bundles):
            later[bundle.first].append(number)
            earlier[bundle.second].append(number)
            np.add.at(ahead[bundle.first], bundle.first_ends.rows, 1)
            np.add.at(behind[bundle.second], bundle.second_ends.rows, 1)
        shares = tuple(np.maximum(np.maximum(a, b), 1) for a, b in zip(ahead, behind, strict=True))
        ends = (tuple(map(tuple, later)), tuple(map(tuple, earlier)))
        return cls(variables, unary, bundles, *ends, tuple(behind), shares)


def _independent(network: CostNetwork) -> tuple[tuple[int, ...], ...]:
    """Variables of one place and as many labels together, those that are linked apart."""
    near: list[set[int]] = [set() for _ in network.unary]
    for edge in network.edges:
        near[edge.first].add(edge.second)
        near[edge.second].add(edge.first)
    places = network.places or ("",) * network.size
    found: dict[tuple[str, int], list[list[int]]] = defaultdict(list)
    for variable, place in enumerate(places):
        batches = found[place, len(network.unary[variable])]
        for batch in batches:
            if near[variable].isdisjoint(batch):
                batch.append(variable)
                break
        else:
            batches.append([variable])
    whole = (tuple(batch) for batches in found.values() for batch in batches)
    return tuple(sorted(whole, key=lambda batch: batch[0]))


def _bundled(network: CostNetwork, place: dict[int, tuple[int, int]]) -> tuple[Bundle, ...]:
    """Links of equal ends and one table together."""
    tables: dict[int, Costs] = {}
    found: dict[tuple[int, int, int, bool], list[tuple[int, int]]] = defaultdict(list)
    for edge in network.edges:
        (batch, row), (other, column) = place[edge.first], place[edge.second]
        tables[id(edge.costs)] = edge.costs
        if batch < other:
            found[batch, other, id(edge.costs), False].append((row, column))
        else:
            found[other, batch, id(edge.costs), True].append((column, row))
    return tuple(
        _bundle(batch, other, links, tables[table].T if turned else tables[table])
        for (batch, other, table, turned), links in found.items()
    )


def _bundle(first: int, second: int, links: Sequence[tuple[int, int]], costs: Costs) -> Bundle:
    rows, columns = np.array(links, np.intp).T
    return Bundle(
        first,
        second,
        Ends(np.ascontiguousarray(rows), len(set(rows.tolist())) == len(rows)),
        Ends(np.ascontiguousarray(columns), len(set(columns.tolist())) == len(columns)),
        np.ascontiguousarray(costs),
    )
