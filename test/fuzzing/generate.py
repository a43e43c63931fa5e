"""Whole cases out of choices, and what a seed stands for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count

from distc.runtime.errors import UnsupportedOp
from fuzzing import forward
from fuzzing.backward import Net, net
from fuzzing.case import ROUTES, Case, tolerance_of
from fuzzing.choices import Choices, Played, Seeded, Source
from fuzzing.data import Inputs
from fuzzing.pins import pinned

_ROUTES = tuple(reversed(ROUTES))
# A net costs an export: several seeds pin the same one.
_SEEDS_PER_NET = 25
# Seeds of nets and of pins are apart from those of forward programs.
_APART = 1 << 32


def forward_case(choices: Choices) -> Case:
    """A program of StableHLO ops under pins."""
    program, pool = forward.program(choices)
    text = pinned(choices, program.text, pool.special)
    return Case(text, tuple(pool.inputs), choices.pick(_ROUTES), tolerance_of(program.text))


def joint_case(made: Net) -> Case:
    """The joint graph of a net, without pins.

    Raises:
        UnsupportedOp: an operator of it has no lowering.
    """
    from fuzzing import joint

    return _net_case(made, joint.text(made), made.exact and made.gradients_exact, "joint graph")


def whole_case(made: Net) -> Case:
    """The forward pass of a net with its operators whole, without pins.

    Raises:
        UnsupportedOp: an operator of it has no lowering.
    """
    from fuzzing import joint

    return _net_case(made, joint.whole_text(made), made.exact, "forward pass")


def _net_case(made: Net, text: str, exact: bool, what: str) -> Case:
    inputs: tuple[Inputs, ...] = tuple(given for given, _, _ in made.inputs)
    notes = (f"{what} of {' → '.join(made.names)}",)
    return Case(text, inputs, tolerance="equal" if exact else "close", notes=notes)


def pinned_case(choices: Choices, case: Case) -> Case:
    """A case that has no pins under some."""
    return replace(case, text=pinned(choices, case.text), route=choices.pick(_ROUTES))


@dataclass(frozen=True)
class Seed:
    """What a number stands for: a program of ops, or one of the pinnings of a net."""

    number: int

    @property
    def is_backward(self) -> bool:
        """One of five is a joint graph."""
        return self.number % 5 == 4

    @property
    def is_whole(self) -> bool:
        """One of ten is the forward pass of a net."""
        return self.number % 10 == 3

    def build(self, source: Source | None = None) -> tuple[Case, Choices]:
        """The case and its choices, from the seed or from another source of them."""
        if not (self.is_backward or self.is_whole):
            choices = Choices(source or Seeded(self.number))
            return forward_case(choices), choices
        case = _net(self.number // _SEEDS_PER_NET, self.is_backward)
        choices = Choices(source or Seeded(_APART + self.number))
        return pinned_case(choices, case), choices

    def played(self, numbers: list[int]) -> Case:
        """The case of other choices."""
        return self.build(Played(numbers))[0]


@lru_cache(maxsize=4)
def _net(seed: int, backward: bool) -> Case:
    """The net of a seed as a case; of the next one where an operator has no lowering."""
    make = joint_case if backward else whole_case
    for attempt in count(_APART + seed, _APART):
        with suppress(UnsupportedOp):
            return make(net(Choices(Seeded(attempt))))
    raise AssertionError("unreachable")
