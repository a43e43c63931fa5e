"""Z3 proofs that cutting a factor and recombining changes nothing.

For an op `result[e] = ⊕ over ρ of g(x_o[φ_o(e, ρ)], …)` let a shard hold positions b … b+len-1 of
the factor, and let G_t map local positions of tensor t to global ones: G_t adds b in the factor's
digit where t is cut and is the identity elsewhere.

    reads     ∀ e, ρ local:  φ_o(G(e), G(ρ)) = G_o(φ_o(e, ρ))       for every operand o
    bounds    ∀ e, ρ local:  φ_o(e, ρ) lies in the local operand
    covers    ∀ x < F: exactly one shard has b ≤ x < b+len          F the size of the factor

`reads` says that each shard computes with the elements it should; `covers`, that every result
element, or every term of ⊕, is computed once. ⊕ is associative and commutative (sum, product,
maximum, minimum, and, or), so terms may be grouped by shard. Sizes, b and len are symbols. A
dimension that g reads as a whole is whole in every shard: cutting its loop is never proved.
    -> implemented in `_maps_agree`, `_covers`

A reshape keeps the row-major position of every element:

    order     ∀ x, y local:  flat(x) = flat(y) ⇒ flat(G(x)) = flat(G(y))

with the sizes as written and the shards of every count from 2 to 8 that the factor has.
    -> implemented in `_order_kept`
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import prod

import z3
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.solver.discovery.index_maps import IndexMap, index_map
from distc.solver.discovery.trial import Digit, Strategy, bounds

TIMEOUT_MS = 2_000
_COUNTS = range(2, 9)


def prove_strategy(op: ir.Operation, strategy: Strategy) -> bool:
    """True when Z3 proves one strategy; False when it does not or the op has no index map."""
    if strategy.seeds or strategy.shift is not None or strategy.groups:
        return False
    if op.name in ("stablehlo.constant", "stablehlo.iota"):
        return True  # a rank makes its part of the one global value: nothing to recombine
    if op.name == "stablehlo.reshape":
        return _order_kept(op, strategy)
    found = index_map(op)
    digits = [d for d in (*strategy.operands, *strategy.results) if d is not None]
    if found is None or any(d.pre != 1 for d in digits) or not _whole_dims(op, strategy):
        return False
    return _maps_agree(found, strategy) and _covers()


def _whole_dims(op: ir.Operation, strategy: Strategy) -> bool:
    """Whether every digit is its whole dimension."""
    pairs = [
        (v, d)
        for values, digits in (
            (op.operands, strategy.operands),
            (op.results, strategy.results),
        )
        for v, d in zip(values, digits, strict=True)
        if d is not None
    ]
    return all(stablehlo.shape(v)[d.dim] == d.size for v, d in pairs)


def _holds(claim: z3.BoolRef) -> bool:
    """True when no assignment contradicts the claim, within the time limit."""
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(z3.Not(claim))
    return bool(solver.check() == z3.unsat)


def _maps_agree(form: IndexMap, strategy: Strategy) -> bool:
    """`reads` and `bounds` for symbolic sizes."""
    cut = _cut_loops(form, strategy)
    if cut is None or cut & form.fixed:
        return False
    size = [z3.Int(f"size{i}") for i in range(form.loops)]
    local = [z3.Int(f"local{i}") for i in range(form.loops)]
    start, length = z3.Ints("b len")
    extent = [length if i in cut else size[i] for i in range(form.loops)]
    inside = [z3.And(0 <= v, v < n) for v, n in zip(local, extent, strict=True)]
    spans = [z3.And(start >= 0, length > 0, start + length <= size[i]) for i in cut]
    everywhere = [v + start if i in cut else v for i, v in enumerate(local)]
    goals = []
    for dims, digit in zip(form.operands, strategy.operands, strict=True):
        for dim, loop in enumerate(dims):
            here = local[loop] if loop is not None else z3.IntVal(0)
            wanted = everywhere[loop] if loop is not None else z3.IntVal(0)
            is_cut = digit is not None and digit.dim == dim
            held = length if is_cut else (size[loop] if loop is not None else z3.IntVal(1))
            goals.append((here + start if is_cut else here) == wanted)
            goals.append(z3.And(0 <= here, here < held))
    return _holds(
        z3.Implies(z3.And(*inside, *spans), z3.And(*goals) if goals else z3.BoolVal(True))
    )


def _cut_loops(form: IndexMap, strategy: Strategy) -> set[int] | None:
    """The loops a strategy cuts; None where it does not recombine as the op combines."""
    results = {d.dim for d in strategy.results if d is not None}
    if strategy.kind is None:
        whole = any(d is None for d in strategy.results)
        return None if whole or len(results) != 1 else results
    loops = {
        dims[digit.dim]
        for dims, digit in zip(form.operands, strategy.operands, strict=True)
        if digit is not None
    }
    if results or strategy.kind is not form.reduction or len(loops) != 1:
        return None
    (loop,) = loops
    return {loop} if loop is not None and loop >= form.rank else None


@cache
def _covers() -> bool:
    """`covers` for any size F = count * base + more, the shards as `bounds` makes them."""
    position, base, more = z3.Ints("x base more")
    for count in _COUNTS:
        ends = [i * base + z3.If(more < i, more, z3.IntVal(i)) for i in range(count + 1)]
        owners = [z3.If(z3.And(a <= position, position < b), 1, 0) for a, b in pairwise(ends)]
        inside = z3.And(
            base >= 0, more >= 0, more < count, position >= 0, position < count * base + more
        )
        if not _holds(z3.Implies(inside, z3.Sum(owners) == 1)):
            return False
    return True


def _order_kept(op: ir.Operation, strategy: Strategy) -> bool:
    """`order` and `covers` at the written sizes."""
    source, target = strategy.operands[0], strategy.results[0]
    if source is None or target is None:
        return False
    shapes = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    for count in _COUNTS:
        if count > strategy.size:
            break
        for low, high in bounds(strategy.size, count):
            ends = [
                _positions(shape, digit, low, high, side)
                for shape, digit, side in zip(shapes, (source, target), "xy", strict=True)
            ]
            inside = z3.And(*(c for e in ends for c in e[2]))
            same = z3.Implies(ends[0][0] == ends[1][0], ends[0][1] == ends[1][1])
            if not _holds(z3.Implies(inside, same)):
                return False
    return _covers()


def _positions(
    shape: tuple[int, ...], digit: Digit, low: int, high: int, name: str
) -> tuple[z3.ArithRef, z3.ArithRef, list[z3.BoolRef]]:
    """Local and global row-major position of an element, and the bounds of its indices."""
    length = high - low
    here: list[tuple[z3.ArithRef, int]] = []
    there: list[tuple[z3.ArithRef, int]] = []
    inside = []
    for dim, size in enumerate(shape):
        if dim != digit.dim:
            index = z3.Int(f"{name}{dim}")
            inside.append(z3.And(0 <= index, index < size))
            here.append((index, size))
            there.append((index, size))
            continue
        post = size // (digit.pre * digit.size)
        outer, inner, rest = z3.Ints(f"{name}_outer {name}_inner {name}_rest")
        limits = ((outer, digit.pre), (inner, length), (rest, post))
        inside += [z3.And(0 <= v, v < n) for v, n in limits]
        here += limits
        there += ((outer, digit.pre), (inner + low, digit.size), (rest, post))
    return _row_major(here), _row_major(there), inside


def _row_major(digits: list[tuple[z3.ArithRef, int]]) -> z3.ArithRef:
    total: z3.ArithRef = z3.IntVal(0)
    for i, (value, _) in enumerate(digits):
        total = total + value * prod(n for _, n in digits[i + 1 :])
    return total
