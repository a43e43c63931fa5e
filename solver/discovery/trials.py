"""Trials: independent inputs of a subject, and whether a strategy recombines on enough of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from torch import Tensor

from distc.dialect.sharding import Reduction
from distc.solver.discovery.agreement import COMBINE, NEEDED_BITS, equal, evidence, kinds_of
from distc.solver.discovery.sample import ALL, DEFINITE, FINITE, INDEX_DTYPES, Regime, Sampler
from distc.solver.discovery.sizes import SEARCH, Sizes, chosen
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Bench, Digit, Rejected, Strategy, bounds

SHARDS = (2, 3)
MAX_TRIALS = 64
MIN_TRIALS = 3
_LOOK_UP_BITS = 2
_MIXED_BITS = 4
_FULL_BITS = 12
Trial = tuple[list[Tensor], list[Tensor]]
"""Inputs, and the results of the whole op on them."""


class Trials:
    """A subject at fixed sizes, with inputs by regime that are made once and kept.

    Attributes:
        subject: the op or body.
        sizes: shapes of operands and results.
        bench: what executes it.
        sampler: what makes inputs.
        shards: shard counts that a strategy must hold for.
        finite: regimes for what combines results.
        all: regimes for everything else.
        refused: why the whole op refused inputs last.
        passed: trials in which shards gave the whole, over everything that was tried.
    """

    def __init__(
        self,
        subject: Subject,
        sizes: Sizes | None = None,
        seed: int = 0,
        shards: tuple[int, ...] = SHARDS,
        finite: tuple[Regime, ...] = FINITE,
    ) -> None:
        """Prepare trials at `sizes`, small ones where not given.

        Raises:
            Rejected: the op does not verify at these sizes.
        """
        self.subject = subject
        self.sizes = sizes or chosen(subject, SEARCH, keep=True)
        self.bench = Bench(subject, *self.sizes)
        largest = max((n for s in self.sizes[0] for n in s), default=2)
        self.sampler = Sampler(subject.operands, max(2, largest), seed)
        self.shards = shards
        self.finite = finite
        self.all: tuple[Regime, ...] = ALL
        self.passed = 0
        self.refused = ""
        self._made: dict[Regime, list[Trial]] = {}
        self._dead: set[Regime] = set()

    @property
    def is_empty(self) -> bool:
        """True when some operand or result has no elements."""
        return any(0 in s for s in (*self.sizes[0], *self.sizes[1]))

    @property
    def has_indices(self) -> bool:
        """True when integers may be indices into other operands."""
        return len({t.dtype in INDEX_DTYPES for t in self.subject.operands}) > 1

    def choose_regimes(self) -> None:
        """Use positive definite matrices where other values give nothing but NaN."""
        if not self.subject.operands or self.is_empty:
            return
        trial = self.trial(Regime.SIGNED, 0)
        outs = trial[1] if trial is not None else []
        if outs and all(o.dtype.is_floating_point and bool(o.isnan().all()) for o in outs):
            self.finite = self.all = DEFINITE

    def fresh(self, regime: Regime) -> list[Tensor]:
        """Return new inputs of a regime."""
        return self.sampler.inputs(self.bench.operands, regime, self.subject.ranks)

    def trial(self, regime: Regime, number: int) -> Trial | None:
        """Inputs and whole results of trial `number` of a regime, None where the op refuses."""
        if regime in self._dead:
            return None
        made = self._made.setdefault(regime, [])
        while len(made) <= number:
            inputs = self.fresh(regime)
            outs = self.whole(inputs)
            if outs is None:
                self._dead.add(regime)
                return None
            made.append((inputs, outs))
        return made[number]

    def whole(self, inputs: list[Tensor]) -> list[Tensor] | None:
        """Results of the whole op, None where it refuses the inputs."""
        try:
            return self.bench.whole(inputs)
        except Rejected as error:
            self.refused = str(error)
            return None

    def trials(self, regimes: Sequence[Regime]) -> Iterator[Trial]:
        """Trials of all regimes by turns."""
        for number in range(MAX_TRIALS):
            alive = False
            for regime in regimes:
                trial = self.trial(regime, number)
                if trial is not None:
                    alive = True
                    yield trial
            if not alive:
                return

    def kinds(self) -> list[Reduction]:
        """Reductions that every result's element type knows."""
        _, wanted = next(iter(self.trials(self.finite)), ([], []))
        sets = [set(kinds_of(w.dtype)) for w in wanted]
        return [k for k in Reduction if sets and all(k in s for s in sets)]

    def worth(self, strategy: Strategy | None = None) -> int:
        """Bits of evidence that one trial may count for.

        One index, scalar or predicate decides about all elements at once, so agreement of many
        elements is no more evidence than that of one.
        """
        few = any(1 <= prod(s) < 4 for s in self.sizes[0])
        if few or (strategy is not None and strategy.shift is not None):
            return _LOOK_UP_BITS
        return _MIXED_BITS if self.has_indices else _FULL_BITS

    def verified(self, strategy: Strategy) -> bool:
        """True when a strategy recombines for every shard count its factor allows."""
        counts = [n for n in self.shards if n <= strategy.size]
        return bool(counts) and all(self.holds(strategy, n) for n in counts)

    def holds(self, strategy: Strategy, shards: int) -> bool:
        """True when a strategy recombines on enough independent inputs."""
        if self.bench.instances(strategy, shards) is None:
            return False
        regimes = self.finite if strategy.kind is not None else self.all
        bits = [0] * len(strategy.results)
        least = max(MIN_TRIALS, len(regimes))
        for count, trial in enumerate(self.trials(regimes), 1):
            worth = self._recombined(strategy, shards, trial)
            if worth is None:
                return False
            self.passed += 1
            bits = [a + b for a, b in zip(bits, worth, strict=True)]
            if count >= least and min(bits, default=0) >= NEEDED_BITS:
                return True
        return False

    def _recombined(self, strategy: Strategy, shards: int, trial: Trial) -> list[int] | None:
        """Evidence of one trial per result, None where a result differs."""
        inputs, wanted = trial
        try:
            outs = list(self.bench.shards(strategy, shards, inputs))
        except Rejected:
            return None
        spans = bounds(strategy.size, shards)
        worth = []
        for r, digit in enumerate(strategy.results):
            parts = [o[r] for o in outs]
            if not recombines(digit, strategy.kind, parts, spans, wanted[r]):
                return None
            kind = None if digit is not None else strategy.kind
            worth.append(min(self.worth(strategy), evidence(kind, parts, wanted[r])))
        return worth


def recombines(
    digit: Digit | None,
    kind: Reduction | None,
    parts: list[Tensor],
    spans: list[tuple[int, int]],
    wanted: Tensor,
) -> bool:
    """True when shards of one result, joined or combined by `kind`, are the whole result.

    Args:
        digit: where the result is cut; None where it is not.
        kind: how uncut results combine; None when all shards must hold the whole.
        parts: the shards' results.
        spans: positions of the shards.
        wanted: the whole result.
    """
    if digit is not None:
        return equal(digit.join(parts, spans), wanted)
    if kind is None:
        return all(equal(p, wanted) for p in parts)
    return equal(combined(kind, parts), wanted)


def combined(kind: Reduction, parts: Sequence[Tensor]) -> Tensor:
    """Combine the shards' results."""
    total = parts[0]
    for part in parts[1:]:
        total = COMBINE[kind](total, part)
    return total
