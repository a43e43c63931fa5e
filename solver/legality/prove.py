"""Z3 proofs that a step ends in the layout that it says it leaves.

For a rank r, a slot i of its box after the step, and the slots (r', i') that the collective makes
it of (`movement.py`; w of them carry contribution q, the one of the rank whose coordinates on the
axes that were partial are q):

    right     every (r', i') lies in the box of r' before the step, not in its padding, and holds
              there the global element that the target layout has at (r, i)
    once      ∀ q: Σ w(r, q) = 1, over the coordinates of r on the axes that are partial afterwards:
              no contribution is lost and none counts twice; where nothing is partial there is
              exactly one source
    agree     ranks that the target layout does not tell apart get the same contributions
    combined  contributions are combined in the way the value is partial

⊕ is associative and commutative and has a neutral element, on floats to rounding. Lengths are
`D * k` for any k >= 0 (`classes.py`), coordinates and indices are symbols.
    -> implemented in `_claims`

A split of any length L into p parts, in any room S >= L, each part with chunk = ceil(L / p):

    parts     part 0 starts at 0, each part ends where the next one starts, the last one ends at L
    fits      every part has at most ceil(S / p) elements, its static size

By induction over levels every element of a dimension is owned, by one part, and no box is larger
than the local tensor.
    -> implemented in `_prove_split`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from typing import Any

import z3

from distc.solver.collective_cost import StepKind
from distc.solver.legality.classes import Cut, Partials, Role, SplitClass, StepClass
from distc.solver.legality.movement import Frame, Index, Rank, Source, reads
from distc.solver.legality.terms import (
    Number,
    Truth,
    all_of,
    ceil_div,
    clamp,
    implied,
    least,
    number_of,
)
from distc.solver.legality.verdict import Counterexample, Status, Verdict

TIMEOUT_MS = 5_000
Reads = Callable[[Frame, Rank, Index], list[Source]]
Claims = Mapping[str, Truth]


def prove(found: StepClass | SplitClass, moves: Reads = reads) -> Verdict:
    """Prove or refute a class.

    Args:
        found: the class.
        moves: what the collective moves.
    """
    if isinstance(found, SplitClass):
        return _prove_split(found.parts)
    return _Proof(found, moves).run()


class _Proof:
    """One class with symbols for everything that it leaves open."""

    def __init__(self, found: StepClass, moves: Reads) -> None:
        self.found, self.moves = found, moves
        self.bounds: list[Truth] = []
        dims = range(len(found.dims))
        multiples = (1 if found.is_exact else self._symbol(f"k{d}") for d in dims)
        self.frame = Frame(found, tuple(multiples))
        self.index = tuple(self._symbol(f"i{d}") for d in dims)
        self.part = self._coordinates("q", [d.size for d, _ in found.partial_before])

    def _symbol(self, name: str, bound: int | None = None) -> z3.ArithRef:
        symbol = z3.Int(name)
        self.bounds.append(symbol >= 0)
        if bound is not None:
            self.bounds.append(symbol < bound)
        return symbol

    def _coordinates(self, name: str, sizes: list[int]) -> Rank:
        return tuple(self._symbol(f"{name}{i}", size) for i, size in enumerate(sizes))

    def run(self) -> Verdict:
        if self.found.kind is StepKind.PERMUTE:
            return self._permutation()
        rank = self._coordinates("r", list(self.found.axes))
        return self._decide([(rank, self._claims(rank))])

    def _permutation(self) -> Verdict:
        """One rank after another; ranks that hold the same boxes before and after are one case."""
        cases: dict[object, tuple[Rank, Claims]] = {}
        givers = {giver for giver, _ in self.found.pairs}
        once = len(givers) == len(self.found.pairs) == len(dict(self.found.pairs))
        for rank in product(*(range(n) for n in self.found.axes)):
            sources = self.moves(self.frame, rank, self.index)
            key = (self._cuts(rank, "after"), *(self._cuts(s.rank, "before") for s in sources))
            if key not in cases:
                cases[key] = (rank, {**self._claims(rank), "sent once": once})
        return self._decide(list(cases.values()))

    def _cuts(self, rank: Rank, side: str) -> tuple[Number, ...]:
        """The coordinates of a rank that decide about its box and its contribution."""
        cuts: list[Cut] = [getattr(d, side) for d in self.found.dims]
        partial: Partials = getattr(self.found, f"partial_{side}")
        digits = [d for cut in cuts for d in cut.digits] + [d for d, _ in partial]
        return tuple(self.frame.coordinate(d, rank) for d in digits)

    def _claims(self, rank: Rank) -> Claims:
        owned, element = self._slot(rank, self.index, "after")
        right = []
        for source in self.moves(self.frame, rank, self.index):
            is_value, found = self._slot(source.rank, source.index, "before")
            same = (a == b for a, b in zip(found, element, strict=True))
            right.append(implied(source.when, all_of(is_value, *same)))
        claims: dict[str, Truth] = {
            "right": all_of(*right),
            "once": self._once(rank),
            "combined": self._is_combined(),
        }
        if self.found.partial_before or self.found.partial_after:
            claims["agree"] = self._agree(rank)
        return {name: implied(owned, claim) for name, claim in claims.items()}

    def _slot(self, rank: Rank, index: Index, side: str) -> tuple[Truth, Index]:
        """Whether a slot is no padding, and the global element that is there."""
        boxes = [
            self.frame.box(dim, getattr(found, side), rank)
            for dim, found in enumerate(self.found.dims)
        ]
        inside = (all_of(i >= 0, i < length) for i, (_, length) in zip(index, boxes, strict=True))
        element = tuple(offset + i for i, (offset, _) in zip(index, boxes, strict=True))
        return all_of(*inside), element

    def _weight(self, rank: Rank) -> Number:
        """How often a slot of `rank` contains contribution `part`."""
        digits = [d for d, _ in self.found.partial_before]
        carries = []
        for source in self.moves(self.frame, rank, self.index):
            held = [self.frame.coordinate(d, source.rank) for d in digits]
            same = (h == q for h, q in zip(held, self.part, strict=True))
            carries.append(all_of(source.when, *same))
        return number_of(carries)

    def _once(self, rank: Rank) -> Truth:
        digits = [d for d, _ in self.found.partial_after]
        places = product(*(range(d.size) for d in digits))
        return sum(self._weight(self.frame.placed(rank, digits, p)) for p in places) == 1

    def _agree(self, rank: Rank) -> Truth:
        """A rank that the target layout does not tell from this one has the same contributions."""
        twin = self._coordinates("t", list(self.found.axes))
        cuts = zip(self._cuts(rank, "after"), self._cuts(twin, "after"), strict=True)
        alike = (a == b for a, b in cuts)
        return implied(all_of(*alike), self._weight(rank) == self._weight(twin))

    def _is_combined(self) -> bool:
        """Whether kinds are kept, and a collective combines as the value is partial.

        What splits a dimension is emitted for one axis at a time.
        """
        group = set(self.found.group)
        before, after = dict(self.found.partial_before), dict(self.found.partial_after)
        kinds = set(before.values()) | set(after.values())
        if any(d.role is Role.SPLIT for d in self.found.dims) and len(group) != 1:
            return False
        if self.found.reduction is not None:
            return kinds <= {self.found.reduction}
        return len(kinds) <= 1

    def _decide(self, cases: list[tuple[Rank, Claims]]) -> Verdict:
        wrong = [z3.Not(_term(claim)) for _, claims in cases for claim in claims.values()]
        solver = z3.Solver()
        solver.set("timeout", TIMEOUT_MS)
        solver.add(*self.bounds, z3.Or(*wrong))
        match solver.check():
            case z3.unsat:
                return Verdict(Status.PROVED)
            case z3.sat:
                return Verdict(Status.REFUTED, self._example(solver.model(), cases))
        return Verdict(Status.UNKNOWN)

    def _example(self, model: z3.ModelRef, cases: list[tuple[Rank, Claims]]) -> Counterexample:
        def value(term: Any) -> int:
            if isinstance(term, int):
                return term
            return int(model.eval(term, model_completion=True).as_long())

        rank, claim = next(
            (rank, name)
            for rank, claims in cases
            for name, claim in claims.items()
            if not z3.is_true(model.eval(_term(claim), model_completion=True))
        )
        return Counterexample(
            claim,
            tuple(map(value, rank)),
            tuple(map(value, self.index)),
            tuple(map(value, self._slot(rank, self.index, "after")[1])),
            tuple(value(self.frame.length(d)) for d in range(len(self.found.dims))),
        )


def _term(claim: Truth) -> z3.BoolRef:
    return z3.BoolVal(claim) if isinstance(claim, bool) else claim


def _prove_split(parts: int) -> Verdict:
    length, room = z3.Ints("L S")
    boxes = list(_split(length, parts))
    touching = [start + held == after for (start, held), (after, _) in pairwise(boxes)]
    whole = [boxes[0][0] == 0, boxes[-1][0] + boxes[-1][1] == length]
    fits = [z3.And(0 <= held, held <= ceil_div(room, parts)) for _, held in boxes]
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(length >= 0, length <= room, z3.Not(z3.And(*touching, *whole, *fits)))
    return Verdict(Status.PROVED if solver.check() == z3.unsat else Status.UNKNOWN)


def _split(length: Number, parts: int) -> Iterator[tuple[Number, Number]]:
    """Offset and length of every part."""
    chunk = ceil_div(length, parts)
    for part in range(parts):
        start = part * chunk
        yield least(start, length), clamp(length - start, chunk)
