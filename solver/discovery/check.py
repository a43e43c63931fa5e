"""A rule that somebody wrote, checked by execution: where do shards not give the whole?

Shards lie as ranks hold them: every one has ceil(size / shards) positions, and what is beyond the
size is zero. Results are cut to their true positions, or combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import prod

import torch
from torch import Tensor
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.rule import FactorKind, ShardingRule, factor_name
from distc.dialect.rules.rule_text import parse_rule
from distc.runtime.errors import InputError, UnsupportedOp
from distc.solver.discovery.agreement import equal
from distc.solver.discovery.revalidate import AFFORDABLE, MORE_SHARDS, runs
from distc.solver.discovery.sample import ALL, FINITE
from distc.solver.discovery.sizes import SEARCH, Sizes, chosen, elements
from distc.solver.discovery.subject import Instance, Subject
from distc.solver.discovery.trial import Digit, Rejected, Strategy
from distc.solver.discovery.trials import Trials, combined

_TRIALS = 6
_CHECKED = (FactorKind.PASS, FactorKind.REDUCTION)
Spots = dict[int, int]
"""Per tensor that a factor cuts, the dimension."""


def counter_example(text: str, rule: str) -> str | None:
    """Return in words where a rule fails, None where all executions agree with it.

    Args:
        text: the op, which `isolate` made; it is shrunk where it is large and its rule allows.
        rule: the rule as text.

    Raises:
        UnsupportedOp: the op does not run.
        InputError: the rule does not fit the op.
    """
    subject = Subject(text)
    sizes, given = _sized(subject, rule)
    try:
        trials = Trials(subject, sizes, seed=3)
    except Rejected as error:
        raise UnsupportedOp(
            f"{subject.name} does not run at its own sizes: {error}", help="correct the op"
        ) from None
    trials.choose_regimes()
    if next(trials.trials(FINITE), None) is None:
        raise UnsupportedOp(
            f"{subject.name} does not run on any values that were tried",
            help="correct the op, or leave its rule out",
        )
    found = (
        _Factor(subject, trials, given, number).counter_example()
        for number, factor in enumerate(given.factors)
        if factor.kind in _CHECKED and factor.size > 1
    )
    return next((f for f in found if f is not None), None)


def _sized(subject: Subject, rule: str) -> tuple[Sizes, ShardingRule]:
    """The sizes to run at and the rule there."""
    written: Sizes = (subject.operand_shapes, subject.result_shapes)
    operands = written[0] if subject.op is None else _shapes(subject.op)
    given = parse_rule(rule, operands, written[1])
    small = chosen(subject, SEARCH, keep=True)
    varied = None not in subject.places()
    if elements(written) <= AFFORDABLE or not varied or not runs(subject, small):
        return written, given
    at = subject.places()
    try:
        return small, parse_rule(rule, [small[0][p] for p in at if p is not None], small[1])
    except InputError:
        return written, given  # it names sizes


def _shapes(op: ir.Operation) -> tuple[tuple[int, ...], ...]:
    return tuple(stablehlo.shape(v) for v in op.operands)


class _Factor:
    """One factor of a given rule."""

    def __init__(self, subject: Subject, trials: Trials, rule: ShardingRule, number: int) -> None:
        self.subject, self.trials, self.factor = subject, trials, rule.factors[number]
        at = {i: p for i, p in enumerate(subject.places()) if p is not None}
        self.rule, self.number = rule, number
        self.operands = {at[i]: d for i, d in _spots(rule.operands, number).items() if i in at}
        self.results = _spots(rule.results, number)
        self.minor = {
            ("operand", p): _minor(rule, rule.operands[i], number) for i, p in at.items()
        } | {("result", r): _minor(rule, dims, number) for r, dims in enumerate(rule.results)}
        tensors = (*rule.operands, *rule.results)
        self.is_major = all(number not in f[1:] for dims in tensors for f in dims)

    def counter_example(self) -> str | None:
        """Return in words where cutting the factor fails, None where it does not."""
        if not self.is_major:
            return None if self._holds_inside() else f"cut along {self._letter()} it does not hold"
        for shards in (n for n in MORE_SHARDS if n <= self.factor.size):
            instance = self._instance(shards)
            if instance is None:
                return f"cut into {shards} along {self._letter()} the op does not verify"
            regimes = FINITE if self.factor.kind is FactorKind.REDUCTION else ALL
            for inputs, wanted in islice(self.trials.trials(regimes), _TRIALS):
                found = self._differs(instance, shards, inputs, wanted)
                if found is not None:
                    return found
        return None

    def _holds_inside(self) -> bool:
        """Whether a minor factor holds; ranks cut it only where shards are even."""
        size = self.factor.size
        at = {i: p for i, p in enumerate(self.subject.places()) if p is not None}
        operands: list[Digit | None] = [None] * len(self.trials.sizes[0])
        for i, p in at.items():
            operands[p] = _digit(self.rule, self.rule.operands[i], self.number)
        results = tuple(_digit(self.rule, dims, self.number) for dims in self.rule.results)
        self.trials.shards = tuple(n for n in MORE_SHARDS if size % n == 0)
        strategy = Strategy(tuple(operands), results, self.factor.reduction)
        return not self.trials.shards or self.trials.verified(strategy)

    def _letter(self) -> str:
        return f"{factor_name(self.number)} (of size {self.factor.size})"

    def _width(self, shards: int) -> int:
        return -(-self.factor.size // shards)

    def _instance(self, shards: int) -> Instance | None:
        """The op as each rank runs it: all shards have the same size."""
        width = self._width(shards)
        operands = list(self.trials.sizes[0])
        results = list(self.trials.sizes[1])
        for tensor, dim in self.operands.items():
            operands[tensor] = _resized(
                operands[tensor], dim, width * self.minor["operand", tensor]
            )
        for tensor, dim in self.results.items():
            results[tensor] = _resized(results[tensor], dim, width * self.minor["result", tensor])
        return self.subject.program(tuple(operands), tuple(results))

    def _differs(
        self, instance: Instance, shards: int, inputs: list[Tensor], wanted: list[Tensor]
    ) -> str | None:
        outs = []
        for rank in range(shards):
            local = [
                self._shard(x, i, rank, shards) if i in self.operands else x
                for i, x in enumerate(inputs)
            ]
            try:
                outs.append(self.trials.bench.run(instance, local))
            except Rejected as error:
                return f"cut into {shards} along {self._letter()}, rank {rank} fails: {error}"
        for r, want in enumerate(wanted):
            found = self._put_together([o[r] for o in outs], r)
            if found is not None and found.shape != want.shape:
                return (
                    f"cut into {shards} along {self._letter()}, result {r} has the shape "
                    f"{list(found.shape[1:])} instead of {list(want.shape[1:])}"
                )
            if found is None or not equal(found, want):
                return self._described(shards, inputs, r, found, want)
        return None

    def _shard(self, x: Tensor, operand: int, rank: int, shards: int) -> Tensor:
        dim, minor = self.operands[operand] + 1, self.minor["operand", operand]
        width = self._width(shards)
        begin = min(rank * width, self.factor.size) * minor
        end = min((rank + 1) * width, self.factor.size) * minor
        part = x.narrow(dim, begin, end - begin)
        shape = list(x.shape)
        shape[dim] = width * minor - (end - begin)
        return torch.cat([part, x.new_zeros(shape)], dim)

    def _put_together(self, parts: Sequence[Tensor], result: int) -> Tensor | None:
        """The whole result; None where ranks that should agree do not."""
        if result in self.results:
            dim = self.results[result] + 1
            size = self.factor.size * self.minor["result", result]
            joined = torch.cat(list(parts), dim)
            return joined.narrow(dim, 0, size) if joined.shape[dim] >= size else joined
        if self.factor.reduction is not None:
            return combined(self.factor.reduction, parts)
        return parts[0] if all(equal(p, parts[0]) for p in parts[1:]) else None

    def _described(
        self, shards: int, inputs: list[Tensor], r: int, found: Tensor | None, want: Tensor
    ) -> str:
        start = f"cut into {shards} along {self._letter()}, "
        if found is None:
            return f"{start}ranks do not agree about result {r}, which is not cut"
        differing = torch.nonzero(~torch.isclose(found.double(), want.double(), equal_nan=True))
        place = differing[0] if len(differing) else torch.zeros(want.dim(), dtype=torch.long)
        at = tuple(place.tolist())
        values = "; ".join(_brief(x[0]) for x in inputs)
        return (
            f"{start}result {r}{list(at[1:])} is {found[at].item():g} from shards and "
            f"{want[at].item():g} from the whole, for {values}"
        )


def _spots(tensors: Sequence[tuple[tuple[int, ...], ...]], factor: int) -> Spots:
    return {
        t: d
        for t, dims in enumerate(tensors)
        for d, factors in enumerate(dims)
        if factor in factors
    }


def _digit(rule: ShardingRule, dims: Sequence[tuple[int, ...]], factor: int) -> Digit | None:
    for dim, factors in enumerate(dims):
        if factor in factors:
            before = factors[: factors.index(factor)]
            pre = prod(rule.factors[f].size for f in before)
            return Digit(dim, pre, rule.factors[factor].size)
    return None


def _minor(rule: ShardingRule, dims: Sequence[tuple[int, ...]], factor: int) -> int:
    """Elements of a dimension per position of the factor; the factor is its major one."""
    for factors in dims:
        if factor in factors:
            return prod(rule.factors[f].size for f in factors[factors.index(factor) + 1 :])
    return 1


def _resized(shape: tuple[int, ...], dim: int, size: int) -> tuple[int, ...]:
    return (*shape[:dim], size, *shape[dim + 1 :])


def _brief(x: Tensor, count: int = 12) -> str:
    flat = x.flatten().tolist()
    shown = ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in flat[:count])
    return f"{list(x.shape)} of {shown}{', …' if len(flat) > count else ''}"
