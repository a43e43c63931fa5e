"""The second, independent validation: other data, more shard counts, other and uneven sizes.

What is not proved must hold with shard counts up to five and with NaN among the values; what is
proved runs again all the same, with fewer shards: a proof speaks of the op's definition, an
execution of what ranks run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from distc.dialect.sharding import Reduction
from distc.solver.discovery.assemble import remapped
from distc.solver.discovery.bands import Band
from distc.solver.discovery.dependence import Dependence
from distc.solver.discovery.linearity import commutes
from distc.solver.discovery.sample import AGAIN, ALL
from distc.solver.discovery.search import look
from distc.solver.discovery.sizes import SEARCH, VALIDATE, Sizes, chosen, elements
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Rejected, Strategy
from distc.solver.discovery.trials import SHARDS, Trials
from distc.solver.discovery.windows import is_enough, windows

AFFORDABLE = 20_000
"""Elements up to which an op is also run at sizes that were not shrunk."""
MORE_SHARDS = (2, 3, 4, 5)
_PARTS = 3


class Revalidation:
    """Runs what a search found once more.

    Attributes:
        notes: what did not hold, in words.
    """

    def __init__(self, subject: Subject, written: Sizes, notes: list[str]) -> None:
        """Nothing runs yet."""
        self.subject, self.written, self.notes = subject, written, notes
        self._made: list[Trials] = []
        self._dependence: Dependence | None = None

    @property
    def executions(self) -> int:
        """How often something ran."""
        return sum(t.bench.executions for t in self._made)

    def strategies(
        self, strategies: Sequence[Strategy], proved: Sequence[bool]
    ) -> list[int | None]:
        """Return per strategy in how many trials it held again, None where it does not.

        Args:
            strategies: all of the op at the written sizes; together they say what a digit is of.
            proved: which of them are proved.
        """
        if any(s.shift is not None for s in strategies):
            look(self._other)  # a mask has to know along which results an index runs
        moved = remapped(strategies, self.written, self._other.sizes)
        return [self._again(*case) for case in zip(strategies, moved, proved, strict=True)]

    def _again(self, strategy: Strategy, moved: Strategy | None, proved: bool) -> int | None:
        trials = self._other
        if moved is None and 0 < elements(self.written) <= AFFORDABLE:
            # The factor has no counterpart at other sizes (a reshape): new data, same sizes.
            moved, trials = strategy, self._same
            self._seen_at_written()
        if moved is None:
            self.notes.append(f"a factor of {strategy.size} could not be run at other sizes")
            return None
        before = trials.passed
        trials.shards = SHARDS if proved else MORE_SHARDS
        if trials.verified(moved):
            return trials.passed - before
        self.notes.append(f"a factor of {strategy.size} did not hold at {trials.sizes}")
        return None

    def fitted(self, band: Band) -> Band | None:
        """The window that is enough at the written sizes, None where there is none.

        A search at small sizes sees less of a halo than a stride needs at others.
        """
        if elements(self.written) > AFFORDABLE:
            return band
        self._same.shards = SHARDS
        if is_enough(self._same, band):
            return band
        alike = [b for b in windows(self._same, self._seen_at_written(), []) if _alike(b, band)]
        if not alike:
            self.notes.append("a window was not enough at the written sizes")
        return alike[0] if alike else None

    def band(self, band: Band, proved: bool) -> int | None:
        """Number of trials in which a window was enough, None where it is not."""
        trials = self._same if 0 < elements(self.written) <= AFFORDABLE else self._other
        before = trials.passed
        trials.shards = SHARDS if proved else MORE_SHARDS
        if is_enough(trials, band):
            return trials.passed - before
        self.notes.append("a window was not enough with more shards")
        return None

    def partial(self, operands: tuple[int, ...], kind: Reduction, proved: bool) -> int | None:
        """Number of trials in which the op commuted with combining parts, None if it does not."""
        before = self._other.passed
        if commutes(self._other, operands, kind, 2 if proved else _PARTS):
            return self._other.passed - before
        which = ", ".join(map(str, operands))
        self.notes.append(f"operands {which} are not partial over {kind} with NaN at other sizes")
        return None

    @cached_property
    def _other(self) -> Trials:
        """Trials at sizes that the search did not use, where the op takes such sizes."""
        sizes = chosen(self.subject, VALIDATE, keep=False)
        if elements(sizes) > AFFORDABLE or not runs(self.subject, sizes):
            sizes = chosen(self.subject, SEARCH, keep=True)
        if not runs(self.subject, sizes):
            sizes = self.written
        trials = Trials(self.subject, sizes, seed=1, finite=AGAIN)
        trials.choose_regimes()
        self._made.append(trials)
        return trials

    @cached_property
    def _same(self) -> Trials:
        """Trials at the written sizes, with data of their own."""
        trials = Trials(self.subject, self.written, seed=2, finite=AGAIN)
        trials.choose_regimes()
        self._made.append(trials)
        return trials

    def _seen_at_written(self) -> Dependence:
        """What depends on what at the written sizes; probing all of an op takes a while."""
        if self._dependence is None:
            self._dependence = look(self._same)
        return self._dependence


def _alike(one: Band, other: Band) -> bool:
    """Whether two windows are over the same dimensions."""
    return (one.operands, one.results) == (other.operands, other.results)


def runs(subject: Subject, sizes: Sizes) -> bool:
    """True when the op verifies at `sizes` and its results have them."""
    try:
        trials = Trials(subject, sizes)
    except Rejected:
        return False
    return not subject.operands or next(iter(trials.trials(ALL)), None) is not None
