"""Equations of `stablehlo.einsum` and `unary_einsum`: what each letter of them means."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect.stablehlo import DotDims, Ints

CONFIG = "einsum_config"


@dataclass(frozen=True, slots=True)
class Einsum:
    """Sum each operand over `summed`; contract by `dims`; then order dimensions by `order`.

    Without a right operand only the first of `summed` is not empty, and `dims` names nothing.
    Result dimension i is dimension `order[i]` of the contraction.
    """

    summed: tuple[Ints, Ints]
    dims: DotDims
    order: Ints


def einsum(op: ir.Operation) -> Einsum | None:
    """Read `ab,bc->ac` or `ab->ba`; None for ellipses, diagonals and what is no equation."""
    left, arrow, result = str(ir.StringAttr(op.attributes[CONFIG]).value).partition("->")
    operands = [part.strip() for part in left.split(",")]
    result = result.strip()
    words = (*operands, result)
    if not arrow or len(operands) != len(op.operands):
        return None
    if any(len(set(w)) != len(w) or not w.isalpha() for w in words if w):
        return None
    if not set(result) <= set("".join(operands)):
        return None
    a, b = operands[0], operands[1] if len(operands) > 1 else ""
    summed = [
        tuple(i for i, letter in enumerate(word) if letter not in other + result)
        for word, other in ((a, b), (b, a))
    ]
    a, b = (
        "".join(letter for letter in word if letter in other + result)
        for word, other in ((a, b), (b, a))
    )
    batch = [letter for letter in a if letter in b and letter in result]
    inner = [letter for letter in a if letter in b and letter not in result]
    dims = DotDims(
        tuple(map(a.index, batch)),
        tuple(map(b.index, batch)),
        tuple(map(a.index, inner)),
        tuple(map(b.index, inner)),
    )
    free = [letter for letter in a + b if letter not in batch and letter not in inner]
    made = [*batch, *free]
    return Einsum((summed[0], summed[1]), dims, tuple(map(made.index, result)))
