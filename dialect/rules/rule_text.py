"""Rules as people write them: `[i, k], [k, j] -> [i, j] reduction={k}`.

    rule     := tensors '->' tensors [sizes] kind*
    tensors  := ['('] tensor (',' tensor)* [')']         tensor := '[' [dim (',' dim)*] ']'
    dim      := factor+ | '_'                            factor := letter | letter '_' number
    sizes    := '{' factor '=' number, … '}'
    kind     := word '={' factor, … '}'
    word     := reduction | need_replication | permutation | sum | max | min | prod | and | or

A factor of the operands only must say how it combines; otherwise it stays whole. Sizes may be
left out where a dimension is one factor. Words that distc has no use for are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from distc.dialect.rules.rule import Dims, Factor, FactorKind, ShardingRule
from distc.dialect.sharding import Reduction
from distc.runtime.errors import InputError

Shapes = Sequence[tuple[int, ...]]
_TENSOR = re.compile(r"\[([^\]]*)\]")
_FACTOR = re.compile(r"[a-z](?:_\d+)?")
_SET = re.compile(r"(\w+)\s*=\s*\{([^}]*)\}")
_SIZE = re.compile(r"([a-z](?:_\d+)?)\s*=\s*(\d+)")
_KINDS: dict[str, FactorKind] = {
    "need_replication": FactorKind.REPLICATE,
    "permutation": FactorKind.PERMUTATION,
    "reduction": FactorKind.REDUCTION,
    **{str(kind): FactorKind.REDUCTION for kind in Reduction},
}


def parse_rule(text: str, operands: Shapes, results: Shapes) -> ShardingRule:
    """Return the rule that `text` says for tensors of these shapes.

    Raises:
        InputError: the text is no rule, or does not fit the shapes.
    """
    left, arrow, right = text.partition("->")
    tail = right[right.rfind("]") + 1 :]
    sides = [
        [_dims(t) for t in _TENSOR.findall(side)]
        for side in (left, right[: len(right) - len(tail)])
    ]
    for what, tensors, shapes in zip(
        ("operand", "result"), sides, (operands, results), strict=True
    ):
        if not arrow or len(tensors) != len(shapes):
            raise _wrong(text, f"has {len(tensors)} {what}s, the op {len(shapes)}")
        for tensor, shape in zip(tensors, shapes, strict=True):
            if len(tensor) != len(shape):
                raise _wrong(text, f"gives a {what} {len(tensor)} dimensions, it is {list(shape)}")
    names = list(dict.fromkeys(f for side in (1, 0) for t in sides[side] for d in t for f in d))
    sizes = _sizes(text, tail, sides, (operands, results))
    kinds = _kinds(tail)
    in_results = {f for t in sides[1] for d in t for f in d}
    factors = []
    for name in names:
        kind, reduction = kinds.get(name, (FactorKind.PASS, None))
        if kind is FactorKind.PASS and name not in in_results:
            kind = FactorKind.REPLICATE
        factors.append(Factor(sizes[name], kind, reduction))
    number = {name: i for i, name in enumerate(names)}

    def numbered(tensors: list[list[list[str]]]) -> tuple[Dims, ...]:
        return tuple(tuple(tuple(number[f] for f in d) for d in t) for t in tensors)

    return ShardingRule(tuple(factors), numbered(sides[0]), numbered(sides[1]))


def _dims(text: str) -> list[list[str]]:
    return [_FACTOR.findall(d) for d in text.split(",")] if text.strip() else []


def _kinds(tail: str) -> dict[str, tuple[FactorKind, Reduction | None]]:
    found: dict[str, tuple[FactorKind, Reduction | None]] = {}
    for word, members in _SET.findall(tail):
        if word not in _KINDS:
            continue
        kind = _KINDS[word]
        reduction = None
        if kind is FactorKind.REDUCTION:
            reduction = Reduction.SUM if word == "reduction" else Reduction(word)
        found |= dict.fromkeys(_FACTOR.findall(members), (kind, reduction))
    return found


def _sizes(
    text: str, tail: str, sides: list[list[list[list[str]]]], shapes: tuple[Shapes, Shapes]
) -> dict[str, int]:
    sizes = {name: int(n) for name, n in _SIZE.findall(tail)}
    pairs = [
        (dim, size)
        for tensors, all_sizes in zip(sides, shapes, strict=True)
        for tensor, shape in zip(tensors, all_sizes, strict=True)
        for dim, size in zip(tensor, shape, strict=True)
    ]
    given = set(sizes)
    for dim, size in pairs:
        if len(dim) == 1 and sizes.setdefault(dim[0], size) != size and dim[0] not in given:
            raise _wrong(text, f"gives {dim[0]} the sizes {sizes[dim[0]]} and {size}")
    for dim, size in pairs:
        unknown = [f for f in dim if f not in sizes]
        known = prod(sizes[f] for f in dim if f in sizes)
        if len(unknown) == 1 and known and size % known == 0:
            sizes[unknown[0]] = size // known
    missing = [f for dim, _ in pairs for f in dim if f not in sizes]
    if missing:
        raise _wrong(text, f"does not say how large {missing[0]} is")
    return sizes


def _wrong(text: str, why: str) -> InputError:
    return InputError(
        f"sharding rule {text!r} {why}", help="write it like [i, k], [k, j] -> [i, j] reduction={k}"
    )
