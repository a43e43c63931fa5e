"""What a StableHLO file written elsewhere may get wrong, beyond what MLIR's verifiers see.

Rules and kernels of `distc.*` composites rely on their operands and attributes; a source program
is one program, not that of one rank; artifacts hold tensors of bounded rank and size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.locations import where
from distc.runtime.errors import InputError, UnsupportedOp
from distc.runtime.manifest import MAX_ELEMENTS, MAX_RANK

RANK_OPS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "all_gather",
        "all_reduce",
        "all_to_all",
        "collective_broadcast",
        "collective_permute",
        "partition_id",
        "recv",
        "reduce_scatter",
        "replica_id",
        "send",
    )
)

Check = Callable[[object], bool]


def _boolean(value: object) -> bool:
    return isinstance(value, bool)


def _integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _one_of(*words: str) -> Check:
    return lambda value: value in words


@dataclass(frozen=True, slots=True)
class Form:
    """What a composite must look like: operand counts, their ranks, attributes.

    Attributes:
        operands: how many there may be.
        ranks: rank of each operand from the first on; None where any will do.
        attributes: name → check; each must be there.
        dimension: the attribute that names a dimension of the first operand, if any.
    """

    operands: tuple[int, ...]
    attributes: Mapping[str, Check]
    ranks: tuple[int | None, ...] = ()
    dimension: str | None = None


_SOFTMAX = Form((1,), {"dim": _integer}, dimension="dim")
FORMS: dict[str, Form] = {
    "distc.attention": Form((3, 4), {"is_causal": _boolean, "scale": _number}, (4, 4, 4, 4)),
    "distc.cross_entropy": Form(
        (2,),
        {
            "reduction": _one_of("mean", "sum", "none"),
            "ignore_index": _integer,
            "label_smoothing": _number,
        },
        (2, 1),
    ),
    "distc.embedding": Form((2,), {}, (2,)),
    "distc.gelu": Form((1,), {"approximate": _one_of("none", "tanh")}),
    "distc.layer_norm": Form(
        (1, 2, 3),
        {
            "normalized_rank": _integer,
            "eps": _number,
            "has_weight": _boolean,
            "has_bias": _boolean,
        },
    ),
    "distc.log_softmax": _SOFTMAX,
    "distc.rms_norm": Form(
        (1, 2), {"normalized_rank": _integer, "eps": _number, "has_weight": _boolean}
    ),
    "distc.silu": Form((1,), {}),
    "distc.softmax": _SOFTMAX,
}


def check_source_op(op: ir.Operation) -> None:
    """Check one operation of a source program.

    Raises:
        UnsupportedOp: it speaks of single ranks.
        InputError: a composite without the operands or attributes of its name, or a tensor of
            too many dimensions or elements.
    """
    if op.name in RANK_OPS:
        raise UnsupportedOp(
            f"operation {op.name} speaks of single ranks; a source program is the same for all",
            where=where(op),
            help="give the program before it was partitioned",
        )
    for result in op.results:
        _check_size(result, op)
    if op.name == "stablehlo.composite":
        _check_composite(op)


def check_arguments(func: ir.Operation) -> None:
    """Check the sizes of a function's arguments.

    Raises:
        InputError: too many dimensions or elements.
    """
    for argument in func.regions[0].blocks[0].arguments:
        _check_size(argument, func)


def _check_size(value: ir.Value, op: ir.Operation) -> None:
    if not stablehlo.is_tensor(value):
        return
    shape = stablehlo.shape(value)
    if len(shape) > MAX_RANK or prod(shape) > MAX_ELEMENTS:
        raise InputError(
            f"a tensor of shape {list(shape)} is over the limits of {MAX_RANK} dimensions and "
            f"{MAX_ELEMENTS} elements",
            where=where(op),
            help="use fewer dimensions or elements",
        )


def _check_composite(op: ir.Operation) -> None:
    composite = stablehlo.composite(op)
    form = FORMS.get(composite.name)
    if form is None:
        return
    found = _fault(op, form, composite.attributes)
    if found is not None:
        raise InputError(
            f"composite {composite.name} {found}",
            where=where(op),
            help="docs/dialect.md says what it takes; another name makes it an ordinary composite",
        )


def _fault(op: ir.Operation, form: Form, attributes: Mapping[str, object]) -> str | None:
    count = len(op.operands)
    if count not in form.operands:
        return f"has {count} operands, it takes {' or '.join(map(str, form.operands))}"
    if not all(stablehlo.is_tensor(v) for v in (*op.operands, *op.results)):
        return "has an operand that is no tensor of fixed shape"
    for index, (operand, rank) in enumerate(zip(op.operands, form.ranks, strict=False)):
        if rank is not None and len(stablehlo.shape(operand)) != rank:
            return f"operand {index} is {list(stablehlo.shape(operand))}, {rank} dimensions wanted"
    for name, check in form.attributes.items():
        if name not in attributes:
            return f"has no attribute {name}"
        if not check(attributes[name]):
            return f"has {name} = {attributes[name]!r}"
    return _fault_of_dimensions(op, form, attributes)


def _fault_of_dimensions(
    op: ir.Operation, form: Form, attributes: Mapping[str, object]
) -> str | None:
    rank = len(stablehlo.shape(op.operands[0]))
    if form.dimension is not None:
        dim = attributes[form.dimension]
        assert isinstance(dim, int)
        if not 0 <= dim < rank:
            return f"has {form.dimension} = {dim} for an operand of {rank} dimensions"
    normalized = attributes.get("normalized_rank") if "normalized_rank" in form.attributes else 1
    assert isinstance(normalized, int)
    if not 1 <= normalized <= max(rank, 1):
        return f"has normalized_rank = {normalized} for an operand of {rank} dimensions"
    wanted = 1 + sum(bool(attributes.get(n)) for n in ("has_weight", "has_bias"))
    if "has_weight" in form.attributes and len(op.operands) != wanted:
        return f"has {len(op.operands)} operands, its flags say {wanted}"
    return None
