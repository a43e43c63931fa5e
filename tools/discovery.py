"""Compare our sharding rules, and discovery alone, with the rules published in Shardy's tests.

    python tools/discovery.py FOLDER [--only PATTERN] [--table FILE] [--json FILE] [--no-cache]

FOLDER holds `op_sharding_rule_registry.mlir` (FileCheck text: an expected rule before each op). A
rule is compared by its claims: a claim is a set of operand and result dimensions that may be cut
together. A claim counts where the factor has at least two elements and joins operands with results,
or makes results partial, or belongs to a result that is made from whole operands. A published
claim that we do not have is executed: where shards do not give the result it is refuted, and so
is none of ours that we lack. What we claim beyond is executed again with other data and shards.

Last lines:

    rules: 123 rules, 118 matched (31 better), 2 refuted, 3 missing
    discovery: 123 rules, precision 100.0 %, recall 96.7 %, median 0.4 s
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path

import torch
from torch_mlir import ir

from distc.compiler.frontend.sdy_text import given_rules
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.rules import rule_for
from distc.dialect.rules.rule import REDUCING, FactorKind, ShardingRule
from distc.dialect.rules.rule_text import parse_rule
from distc.runtime.errors import DistcError
from distc.solver.discovery import Discovered, RuleCache, Sandbox, isolate, key_of
from distc.solver.discovery.assemble import remapped
from distc.solver.discovery.locality import is_embedded, is_local
from distc.solver.discovery.passes import accepted
from distc.solver.discovery.reductions import reduction
from distc.solver.discovery.revalidate import runs
from distc.solver.discovery.search import look
from distc.solver.discovery.sizes import SEARCH, chosen, elements
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Digit, Strategy
from distc.solver.discovery.trials import Trials

REGISTRY = "op_sharding_rule_registry.mlir"
_LABEL = re.compile(r"^// CHECK-LABEL:.*$", re.MULTILINE)
_NAME = re.compile(r"func\.func @(\w+)")
_EXPECTED = re.compile(r"#sdy\.op_sharding_rule<(.*)")
_RESULT = re.compile(r"^\s*%[^=\n]*=\s", re.MULTILINE)
_CONFIRM_SHARDS = (2, 3, 4, 5)
_AT_ONCE = 200_000
_MOVED = (FactorKind.PERMUTATION, FactorKind.SLIDING, FactorKind.COMBINE)
Spot = tuple[int, int, int]
"""Tensor, dimension, elements more major in it."""


@dataclass(frozen=True)
class Claim:
    """Dimensions that may be cut together.

    Attributes:
        operands: where the factor stands in operands.
        results: where it stands in results; empty for a reduction.
        size: of the factor.
        moved: whether ranks exchange elements with their neighbours.
    """

    operands: frozenset[Spot]
    results: frozenset[Spot]
    size: int
    moved: bool = False

    def __str__(self) -> str:
        def side(spots: frozenset[Spot]) -> str:
            return " ".join(f"{t}.{d}" + (f"/{p}" if p > 1 else "") for t, d, p in sorted(spots))

        arrow = "~>" if self.moved else "->"
        return f"{side(self.operands) or '·'} {arrow} {side(self.results) or '(reduced)'}"

    @property
    def dims(self) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
        """The dimensions alone."""
        return (
            frozenset((t, d) for t, d, _ in self.operands),
            frozenset((t, d) for t, d, _ in self.results),
        )


@dataclass
class Comparison:
    """One published rule against another.

    Attributes:
        found: published claims we have, as they are or in a more general form.
        beyond: our claims that are not published.
        refuted: published claims that execution contradicts.
        missed: published claims that we do not have.
        wrong: our claims that execution contradicts.
    """

    found: list[Claim] = field(default_factory=list)
    beyond: list[Claim] = field(default_factory=list)
    refuted: list[Claim] = field(default_factory=list)
    missed: list[Claim] = field(default_factory=list)
    wrong: list[Claim] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """One word for the table."""
        if self.wrong:
            return "wrong"
        if self.missed:
            return "missing"
        if self.refuted:
            return "corrected"
        return "better" if self.beyond else "same"


@dataclass
class Case:
    """A function of the registry: the op under test and the published rule."""

    name: str
    op: ir.Operation
    module: ir.Module
    published: str | None


def cases(text: str) -> Iterator[Case]:
    """Read the registry."""
    starts = [m.end() for m in _LABEL.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        begin = part.index("func.func")
        expected = _EXPECTED.search(part)
        before = part[begin : expected.start()] if expected else ""
        source = given_rules(part[begin:])
        source = source.replace("sdy.constant", "stablehlo.constant")
        source = source.rpartition("\n}")[0] + "\n}\n"
        module = parse_module(source, make_context(), "registry.mlir")
        (function,) = stablehlo.functions(module)
        ops = [v.operation for v in function.regions[0].blocks[0].operations]
        name = _NAME.search(part)
        assert name is not None
        place = len(_RESULT.findall(before))
        yield Case(name.group(1), ops[place], module, expected.group(1) if expected else None)


def claims(rule: ShardingRule, results: list[tuple[int, ...]]) -> list[Claim]:
    """Return the claims of a rule that a partitioner can use; `results` are the results' shapes."""
    spots: list[tuple[set[Spot], set[Spot]]] = [(set(), set()) for _ in rule.factors]
    below: dict[int, set[int]] = {i: set() for i in range(len(rule.factors))}
    for side, tensors in enumerate((rule.operands, rule.results)):
        for tensor, dims in enumerate(tensors):
            for dim, factors in enumerate(dims):
                for at, factor in enumerate(factors):
                    pre = prod(rule.factors[f].size for f in factors[:at])
                    spots[factor][side].add((tensor, dim, pre))
                    below[factor] |= {f for f in factors[:at] if rule.factors[f].size > 1}
    usable = {
        i
        for i, f in enumerate(rule.factors)
        if f.kind not in (FactorKind.REPLICATE, FactorKind.OPEN) and f.size > 1
    }
    # A minor factor is cut only after all before it, so those must be of use by themselves.
    cut = {i for i in usable if rule.factors[i].kind not in _MOVED and spots[i][0]}
    while any(not below[i] <= cut for i in usable):
        usable = {i for i in usable if below[i] <= cut}
        cut &= usable
    found = []
    for i in sorted(usable):
        factor = rule.factors[i]
        sources, targets = map(frozenset, spots[i])
        if any(results[t][d] < 2 for t, d, _ in targets):
            continue
        if not targets and factor.kind not in (*REDUCING, FactorKind.COMBINE):
            continue
        found.append(Claim(sources, targets, factor.size, factor.kind in _MOVED))
    return found


def compare(published: list[Claim], ours: list[Claim]) -> Comparison:
    """Match claims; nothing is executed."""
    result = Comparison()
    used: set[Claim] = set()
    for claim in published:
        matching = _matching(claim, ours)
        used |= set(matching)
        (result.found if matching else result.missed).append(claim)
    result.beyond = [c for c in ours if c not in used]
    return result


def _matching(claim: Claim, ours: list[Claim]) -> list[Claim]:
    """Claims of ours that say what `claim` says, alone or together; none where they do not."""
    if not claim.moved:
        exact = [
            c for c in ours if (c.operands, c.results, c.size) == (
                claim.operands, claim.results, claim.size)
        ]  # fmt: skip
        if exact:
            return exact
        parts = [
            c
            for c in ours
            if c.size == claim.size
            and c.results
            and not c.moved
            and c.operands <= claim.operands
            and c.results <= claim.results
        ]
        if (
            parts
            and claim.operands == frozenset().union(*(c.operands for c in parts))
            and (claim.results == frozenset().union(*(c.results for c in parts)))
        ):
            return parts
    operands, results = claim.dims
    near = [c for c in ours if c.results and c.dims[1] <= results and c.dims[0] & operands]
    covered = frozenset().union(*(c.dims[0] for c in near)) if near else frozenset()
    reached = frozenset().union(*(c.dims[1] for c in near)) if near else frozenset()
    exchanged = claim.moved or any(c.moved for c in near)
    return near if exchanged and operands <= covered and results <= reached else []


class Referee:
    """Executes claims of one op."""

    def __init__(self, text: str) -> None:
        self.subject = Subject(text)
        places = self.subject.places()
        self.argument = {i: p for i, p in enumerate(places) if p is not None}

    def holds(self, claim: Claim) -> bool | None:
        """True or False by execution on shards, None where the claim cannot be executed."""
        prepared = self._prepared(claim)
        if prepared is None:
            return None
        trials, strategy = prepared
        if strategy.results.count(None) == len(strategy.results):
            return reduction(trials, strategy) is not None
        return accepted(trials, strategy) is not None

    def impossible(self, claim: Claim) -> bool:
        """True when no implementation can have the claim: shards need what lies outside them."""
        prepared = self._prepared(claim)
        return prepared is not None and not data_agrees(*prepared)

    def allows(self, claim: Claim) -> bool:
        """True when a claim without a halo holds for the data, though the op has no such shards."""
        prepared = self._prepared(replace(claim, moved=False))
        return prepared is not None and data_agrees(*prepared)

    def _prepared(self, claim: Claim) -> tuple[Trials, Strategy] | None:
        """Trials at sizes that can be run, and the claim there."""
        if claim.moved:
            return None
        strategy = self._strategy(claim)
        if strategy is None:
            return None
        written = (self.subject.operand_shapes, self.subject.result_shapes)
        sizes = written
        if elements(written) > _AT_ONCE:
            sizes = chosen(self.subject, SEARCH, keep=True)
            (moved,) = remapped([strategy], written, sizes)
            if moved is None:
                return None
            strategy = moved
        if not runs(self.subject, sizes):
            return None
        shards = tuple(n for n in _CONFIRM_SHARDS if n <= strategy.size)
        trials = Trials(self.subject, sizes, seed=99, shards=shards)
        look(trials)
        return trials, strategy

    def _strategy(self, claim: Claim) -> Strategy | None:
        operands: dict[int, Digit] = {}
        for tensor, dim, pre in claim.operands:
            at = self.argument.get(tensor)
            if at is None or at in operands:
                return None
            operands[at] = Digit(dim, pre, claim.size)
        results: dict[int, Digit] = {}
        for tensor, dim, pre in claim.results:
            if tensor in results:
                return None
            results[tensor] = Digit(dim, pre, claim.size)
        return Strategy(
            tuple(operands.get(i) for i in range(len(self.subject.operands))),
            tuple(results.get(i) for i in range(len(self.subject.results))),
        )


def data_agrees(trials: Trials, strategy: Strategy) -> bool:
    """True when shards embedded in arbitrary (or neutral) surroundings give the result's shards."""
    if any(d is not None for d in strategy.results):
        return is_local(trials, strategy)
    return is_embedded(trials, strategy)


@dataclass
class Row:
    """Everything about one registry function."""

    name: str
    published: str
    hand: Comparison
    hand_rule: str
    found: Comparison | None
    found_rule: str
    seconds: float | None
    status: str
    claimed: int
    note: str


class Judge:
    """Compares all functions; one sandbox and one cache for all."""

    def __init__(self, sandbox: Sandbox, cache: RuleCache | None) -> None:
        self.sandbox, self.cache = sandbox, cache

    def row(self, case: Case) -> Row:
        """Compare one function."""
        operands = [stablehlo.shape(v) for v in case.op.operands]
        results = [stablehlo.shape(v) for v in case.op.results]
        published = (
            claims(parse_rule(case.published, operands, results), results) if case.published else []
        )
        text = isolate(case.op)
        hand = rule_for(case.op)
        hand_compared = compare(published, claims(hand, results) if hand is not None else [])
        found: Discovered | None = None
        note = ""
        try:
            found = self._discover(text)
        except DistcError as error:
            note = error.message
        found_compared = (
            compare(published, claims(found.rule, results)) if found is not None else None
        )
        self._settle(text, hand_compared, found_compared)
        return Row(
            case.name,
            case.published or "none",
            hand_compared,
            str(hand) if hand is not None else "none",
            found_compared,
            str(found.rule) if found is not None else "none",
            found.seconds if found is not None else None,
            str(found.status) if found is not None else "",
            len(claims(found.rule, results)) if found is not None else 0,
            note,
        )

    def _discover(self, text: str) -> Discovered:
        key = key_of(text)
        found = self.cache.get(key) if self.cache is not None else None
        if found is None:
            found = self.sandbox.discover(text)
            if self.cache is not None:
                self.cache.put(key, found)
        return found

    def _settle(self, text: str, hand: Comparison, found: Comparison | None) -> None:
        """Execute what one side claims and the other does not.

        Rules written by hand have forms of their own; test/executable runs every factor of them.
        """
        compared = [c for c in (hand, found) if c is not None]
        if not any(c.missed or c.beyond for c in compared):
            return
        try:
            referee = Referee(text)
        except DistcError:
            return
        for claim in dict.fromkeys(c for x in compared for c in x.missed):
            idle = not claim.operands and referee.holds(claim) is not True
            held = idle or any(claim in x.found for x in compared) or referee.holds(claim) is True
            refuted = not held and referee.impossible(claim)
            for x in compared:
                if claim in x.missed and (idle or refuted):
                    x.missed.remove(claim)
                    # A result dimension that the op cannot make in part is a slice of the whole.
                    x.refuted += [claim] if refuted else []
        for x in compared:
            x.missed = [c for c in x.missed if not _is_below(c, x.found)]
        if found is not None:
            found.wrong = [c for c in found.beyond if referee.holds(c) is False]
            found.beyond = [c for c in found.beyond if c not in found.wrong]


def _is_below(claim: Claim, found: list[Claim]) -> bool:
    """True for an exchange along the minor part of dimensions whose major part we cut.

    It could only be cut where every rank has a single element of the major part.
    """
    if not claim.moved or not all(major > 1 for _, _, major in claim.operands):
        return False
    cut = {(tensor, dim) for c in found for tensor, dim, _ in c.operands}
    return all((tensor, dim) in cut for tensor, dim, _ in claim.operands)


def table(rows: list[Row]) -> str:
    """Return docs/rules-vs-shardy.md."""
    lines = [
        "# Our sharding rules and Shardy's",
        "",
        "Written by `make discovery`; do not edit. Published rules are those of Shardy's test",
        "`op_sharding_rule_registry.mlir`. Dimensions are `tensor.dimension` (`/p` where p",
        "elements of it are more major), `~>` needs an exchange with neighbours. *same*: the same",
        "claims up to the names of factors. *better*: we also cut what is listed. *corrected*: a",
        "published claim does not hold, execution contradicts it. *missing*: one that we lack.",
        "",
        "| op | rules | discovery | beyond the published rule | published, refuted | missing |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        both = [row.hand] + ([row.found] if row.found is not None else [])
        beyond = list(dict.fromkeys(c for x in both for c in x.beyond))
        refuted = list(dict.fromkeys(c for x in both for c in x.refuted))
        missed = [f"rules: {c}" for c in row.hand.missed]
        missed += [f"discovery: {c}" for c in (row.found.missed if row.found else ())]
        found = row.found.verdict if row.found is not None else "not executable"
        cells = [
            row.name,
            row.hand.verdict,
            f"{found}, {row.status}" if row.status else found,
            *("<br>".join(map(str, c)) for c in (beyond, refuted, missed)),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def summary(rows: list[Row]) -> tuple[str, str]:
    """Return the two last lines."""
    total = len(rows)
    verdicts = [r.hand.verdict for r in rows]
    matched = sum(v in ("same", "better") for v in verdicts)
    hand = (
        f"rules: {total} rules, {matched} matched ({verdicts.count('better')} better), "
        f"{verdicts.count('corrected')} refuted, {verdicts.count('missing')} missing, "
        f"{verdicts.count('wrong')} wrong"
    )
    claimed = sum(r.claimed for r in rows)
    wrong = sum(len(r.found.wrong) for r in rows if r.found is not None)
    precision = 100 * (claimed - wrong) / claimed if claimed else 0.0
    recalled = sum(r.found is not None and not r.found.missed for r in rows)
    seconds = [r.seconds for r in rows if r.seconds is not None]
    median = statistics.median(seconds) if seconds else 0.0
    return hand, (
        f"discovery: {total} rules, precision {precision:.1f} %, "
        f"recall {100 * recalled / total if total else 0.0:.1f} %, median {median:.1f} s"
    )


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="functions whose name holds this")
    parser.add_argument("--table", type=Path, help="write the table of docs/rules-vs-shardy.md")
    parser.add_argument("--json", type=Path, help="write all comparisons")
    parser.add_argument("--no-cache", action="store_true", help="discover every rule anew")
    arguments = parser.parse_args()
    path = arguments.folder / REGISTRY
    if not path.is_file():
        print(f"discovery: skipped, {path} is not there")
        return 0
    torch.set_num_threads(1)
    cache = None if arguments.no_cache else RuleCache()
    rows = []
    started = time.perf_counter()
    with Sandbox(seconds=60) as sandbox:
        judge = Judge(sandbox, cache)
        for case in cases(path.read_text(encoding="utf-8")):
            if arguments.only not in case.name:
                continue
            rows.append(judge.row(case))
            _show(rows[-1])
    if arguments.table:
        arguments.table.write_text(table(rows), encoding="utf-8")
    if arguments.json:
        body = [{"name": r.name, "hand": r.hand_rule, "found": r.found_rule} for r in rows]
        arguments.json.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
    if cache is not None:
        print(cache.report())
    print(f"took {time.perf_counter() - started:.0f} s")
    hand, found = summary(rows)
    print(hand)
    print(found)
    wrong = any(r.hand.wrong or (r.found is not None and r.found.wrong) for r in rows)
    return 1 if wrong else 0


def _show(row: Row) -> None:
    verdict = row.found.verdict if row.found is not None else f"not executable: {row.note}"
    print(f"{row.name}: rules {row.hand.verdict}, discovery {verdict}", flush=True)
    for label, one in (("rules", row.hand), ("discovery", row.found)):
        for what in ("missed", "refuted", "wrong") if one is not None else ():
            for claim in getattr(one, what):
                print(f"    {label} {what}: {claim}   published {row.published}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
