"""The cheapest assignment within a memory limit: bounds by prices, then branch and bound.

1. At no price: if it fits, the bound there is the bound.
2. The least bytes at each memory point: above the limit, nothing fits, and that is proved.
3. Prices rise at the points that do not fit, one point after another, each to the crossing of its
   two lines (cutting planes on the dual); every step proves a bound.
4. The two assignments at the crossing, one too large, one that fits, cost the same at that price:
   parts of the one put into the other make cheaper ones that fit.
5. What is left between bound and best is closed by branching on where the two differ.

Source: Lagrangian relaxation with splicing, as measured in the prototype of the search; branch and
bound: Land and Doig 1960.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from distc.solver.search.improve import improve, splice
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.relaxation import Point, Prices, Relaxation, Restriction
from distc.solver.search.solution import Solution, Status, Stop, never

BRANCHES = 2000
"""Subproblems to look at where bound and best do not meet."""

_STEPS = 16
_LITTLE = 100
_SWEEPS = 3


def solve_within(
    network: CostNetwork,
    limit: int,
    *,
    gap: float = 0.0,
    branches: int = BRANCHES,
    stop: Stop = never,
) -> Solution:
    """Return the cheapest assignment whose bytes at every memory point are within `limit`.

    Args:
        network: the problem.
        limit: bytes per rank.
        gap: stop when the cost is proved to be within this share of the optimum.
        branches: subproblems to look at after the bound at the root.
        stop: asked between steps.
    """
    return _Search(Relaxation(network, limit, stop=stop), gap, branches, stop).run()


@dataclass
class _Search:
    relaxation: Relaxation
    gap: float
    branches: int
    stop: Stop
    best: tuple[int, ...] = ()
    cost: int = field(init=False)

    def __post_init__(self) -> None:
        # Nothing legal costs as much: a subproblem with this bound holds no assignment.
        self.cost = self.network.dearest + 1

    @property
    def network(self) -> CostNetwork:
        return self.relaxation.network

    @property
    def limit(self) -> int:
        return self.relaxation.limit

    def run(self) -> Solution:
        free = self._at_no_price()
        if free.bound >= FORBIDDEN:
            return Solution(Status.INFEASIBLE, rounds=self.relaxation.rounds)
        if self.best and free.peak <= self.limit:
            status = Status.OPTIMAL if free.bound >= self.cost else Status.BOUNDED
            return self._solution(status, self.best, self.cost, min(free.bound, self.cost))
        least, point = self._least_bytes(free)
        if least > self.limit:
            small = self._small(free, point, least)
            rounds = self.relaxation.rounds
            return Solution(Status.INFEASIBLE, least_bytes=least, smallest=small, rounds=rounds)
        root = self._ascend({}, free)
        if not self.best:
            self._press(root)
        bound = self._branch(root)
        if not self.best:
            nothing = Status.INFEASIBLE if bound >= self.cost else Status.UNKNOWN
            return Solution(nothing, lower_bound=bound, rounds=self.relaxation.rounds)
        status = Status.OPTIMAL if bound >= self.cost else Status.BOUNDED
        return self._solution(status, self.best, self.cost, min(bound, self.cost))

    def _at_no_price(self) -> Point:
        """The minimum without regard to memory; what it finds is improved and kept."""
        found = self.relaxation.at((0.0,) * len(self.network.memory))
        self._offer(improve(self.network, self.limit, found.labels))
        return found

    def _solution(self, status: Status, labels: tuple[int, ...], cost: int, bound: int) -> Solution:
        return Solution(status, labels, cost, bound, rounds=self.relaxation.rounds)

    def _least_bytes(self, free: Point) -> tuple[int, int]:
        """The most of the points' least bytes, and where; points that fit are passed over."""
        least, fullest = 0, 0
        for point, bytes_ in enumerate(free.bytes_):
            if bytes_ <= self.limit:
                continue
            found, labels = self.relaxation.least_bytes(point)
            self._offer(labels)
            if found > least:
                least, fullest = found, point
        return least, fullest

    def _small(self, free: Point, point: int, least: int) -> tuple[int, ...]:
        """A cheap assignment that takes little more than the least."""
        price, found = self._lowest_price(free, point), free
        while found.bytes_[point] > least + least // _LITTLE and price < self._highest(point):
            found = self.relaxation.at(_with(free.prices, point, price))
            price *= 8
        return found.labels

    def _offer(self, labels: tuple[int, ...]) -> bool:
        """Take an assignment as the best so far, if it is legal and cheaper."""
        if self.network.peak_bytes(labels) > self.limit:
            return False
        cost = self.network.cost(labels)
        if cost >= self.cost:
            return False
        self.best, self.cost = labels, cost
        return True

    def _closed(self, bound: int) -> bool:
        """A subproblem with this bound holds nothing cheaper."""
        return bound >= self.cost

    def _near(self, bound: int) -> bool:
        """What a subproblem with this bound could save is within the gap that is allowed."""
        return self._closed(bound) or (bool(self.best) and bound >= self.cost * (1 - self.gap))

    def _ascend(self, restriction: Restriction, start: Point) -> _Node:
        """Raise prices point by point; return the best bound and the pair at its crossing."""
        node = _Node(restriction, start.bound, start.prices, start, start)
        current = start
        for _ in range(_SWEEPS):
            worst = max(range(len(current.bytes_)), key=lambda p: current.bytes_[p])
            if current.bytes_[worst] <= self.limit or self.stop():
                break
            before = node.bound
            current = self._raise(node, current, worst)
            if node.bound <= before or self._near(node.bound):
                break
        return node

    def _press(self, node: _Node) -> None:
        """Raise the prices of all points together until something fits; then put more into it."""
        price = max(self._lowest_price(node.low, p) for p in range(len(self.network.memory)))
        highest = min(self._highest(p) for p in range(len(self.network.memory)))
        while price < highest and not self.stop():
            found = self._look(node, (price,) * len(self.network.memory))
            if found.peak <= self.limit:
                for labels in splice(self.network, self.limit, node.low.labels, found.labels):
                    self._offer(improve(self.network, self.limit, labels))
                return
            price *= 4

    def _raise(self, node: _Node, start: Point, point: int) -> Point:
        """Search the price of one memory point by the crossing of the two lines around it."""
        low, high = start, self._first_that_fits(node, start, point)
        if high is None:
            return low
        for _ in range(_STEPS):
            if self.stop() or self._near(node.bound):
                break
            fewer = low.bytes_[point] - high.bytes_[point]
            cheaper = self._others(high, point) - self._others(low, point)
            if fewer <= 0 or cheaper <= 0:
                break
            found = self._look(node, _with(start.prices, point, cheaper / fewer))
            if found.bytes_[point] in (low.bytes_[point], high.bytes_[point]):
                break
            if found.bytes_[point] > self.limit:
                low = found
            else:
                high = found
        node.low, node.high = low, high
        for labels in splice(self.network, self.limit, low.labels, high.labels):
            self._offer(improve(self.network, self.limit, labels))
        return high

    def _others(self, found: Point, point: int) -> float:
        """Cost with what the other memory points are priced at."""
        rest = (
            (p, b)
            for i, (p, b) in enumerate(zip(found.prices, found.bytes_, strict=True))
            if i != point
        )
        return found.cost + sum(price * bytes_ for price, bytes_ in rest)

    def _first_that_fits(self, node: _Node, start: Point, point: int) -> Point | None:
        price = max(start.prices[point], self._lowest_price(start, point))
        while price < self._highest(point) and not self.stop():
            found = self._look(node, _with(start.prices, point, price))
            if found.bytes_[point] <= self.limit:
                return found
            if self._near(node.bound):
                return None
            price *= 8
        return None

    def _highest(self, point: int) -> float:
        """A price at which bytes count for more than all costs."""
        return FORBIDDEN / 8 / max(1, self.network.most_bytes(point))

    def _lowest_price(self, start: Point, point: int) -> float:
        """A price that hardly changes anything."""
        return max(start.cost / max(1, self.limit) / 1000, self._highest(point) / 1e15)

    def _look(self, node: _Node, prices: Prices) -> Point:
        found = self.relaxation.at(prices, node.restriction)
        if found.bound > node.bound:
            node.bound, node.prices = found.bound, prices
        if found.peak <= self.limit:
            self._offer(found.labels)
        return found

    def _branch(self, root: _Node) -> int:
        """Split nodes, lowest bound first, until the best is proved; return the proved bound."""
        open_nodes = [root]
        for _ in range(self.branches):
            open_nodes = [n for n in open_nodes if not self._closed(n.bound)]
            if not open_nodes or self.stop():
                break
            open_nodes.sort(key=lambda n: -n.bound)
            if self._near(open_nodes[-1].bound):
                break
            open_nodes += self._children(open_nodes.pop())
        return min((n.bound for n in open_nodes), default=self.cost)

    def _children(self, node: _Node) -> list[_Node]:
        variable, label = self._split(node)
        forbidden = node.restriction.get(variable, frozenset())
        all_labels = frozenset(range(len(self.network.unary[variable])))
        children = []
        for without in (forbidden | {label}, all_labels - {label}):
            restriction = {**node.restriction, variable: without}
            if len(without) == len(all_labels):
                continue
            found = self.relaxation.at(node.prices, restriction)
            if found.peak <= self.limit:
                self._offer(found.labels)
            child = _Node(restriction, max(node.bound, found.bound), node.prices, found, found)
            if self._closed(child.bound):
                continue
            children.append(self._finish(child, restriction, found))
        return children

    def _finish(self, child: _Node, restriction: Restriction, found: Point) -> _Node:
        """Raise the bound of a child; one decided at no price is done."""
        free = self.relaxation.at((0.0,) * len(self.network.memory), restriction)
        if free.peak <= self.limit:
            self._offer(free.labels)
            # Its cost is no bound: where tables are split, it need not be the cheapest there.
            return _Node(restriction, max(child.bound, free.bound), free.prices, free, free)
        better = self._ascend(restriction, free)
        if better.bound < child.bound:
            better.bound, better.prices = child.bound, child.prices
        if better.low is better.high:
            better.low, better.high = free, found
        return better

    def _split(self, node: _Node) -> tuple[int, int]:
        """The variable to branch on: where the two differ most in bytes; else the freest one."""
        low, high = node.low.labels, node.high.labels
        differing = [i for i, (a, b) in enumerate(zip(low, high, strict=True)) if a != b]
        if differing:
            variable = max(differing, key=lambda i: self._bytes_between(i, low[i], high[i]))
            return variable, low[variable]
        left = {
            i: len(u) - len(node.restriction.get(i, ())) for i, u in enumerate(self.network.unary)
        }
        variable = max(left, key=lambda i: (left[i], -i))
        return variable, low[variable]

    def _bytes_between(self, variable: int, a: int, b: int) -> int:
        rows = (p[variable] for p in self.network.memory if variable in p)
        return max((abs(int(r[a]) - int(r[b])) for r in rows), default=0)


@dataclass
class _Node:
    """A subproblem: what it forbids, its bound, and the pair of assignments at its price."""

    restriction: Restriction
    bound: int
    prices: Prices
    low: Point
    high: Point


def _with(prices: Prices, point: int, price: float) -> Prices:
    return (*prices[:point], price, *prices[point + 1 :])
