"""Lower plain StableHLO of static shapes to the runtime's program.

Needs: one public function `entry` of builtin, func and stablehlo operations, static shapes; after
`partition` its types are local and collectives name partition ids. Leaves the module as it is and
returns a flat list of calls, one meaning per operation: StableHLO's. Fails with UnsupportedOp
naming the operation and its source line.

Example:
    Input IR:  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
    Output:    permute = aten.permute(w, [1, 0]); mm = aten.mm(x, permute)

An operator runs as an aten overload where that means the same, so that torch, `torch.compile` and
profilers see familiar names; everything else is a `distc.` kernel of the runtime.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect import locations
from distc.dialect import stablehlo as hlo
from distc.runtime.errors import InputError, UnsupportedOp
from distc.runtime.program import Program, Ref
from distc.transforms.lower import (  # noqa: F401 - families register their lowerings
    collectives,
    composite,
    contraction,
    control,
    convolution,
    elementwise,
    indexing,
    members,
    narrow,
    normalization,
    reduction,
    shape,
)
from distc.transforms.lower.builder import (
    Builder,
    Bundle,
    Item,
    is_token,
    narrow_type,
    value_type,
)
from distc.transforms.lower.dead_calls import drop_dead_calls
from distc.transforms.lower.refusals import REFUSALS
from distc.transforms.lower.registry import LOWERINGS


def lower(module: ir.Module, entry: str = "main") -> Program:
    """Return the program of function `entry`.

    Raises:
        InputError: no such function.
        UnsupportedOp: an operation or type that cannot run.
    """
    functions = {hlo.symbol(f): f for f in hlo.functions(module)}
    if entry not in functions:
        known = ", ".join(n for n, f in functions.items() if hlo.is_public(f)) or "none"
        raise InputError(
            f"the module has no function @{entry}", help=f"its public functions are: {known}"
        )
    builder = Builder(lower_operation, module)
    block = functions[entry].regions[0].blocks[0]
    _refuse_tokens(functions[entry], block)
    for argument in block.arguments:
        builder.define(argument, builder.add_input(value_type(argument, functions[entry])))
    for argument in block.arguments:
        kind = narrow_type(argument)
        if kind is not None:
            builder.define(argument, builder.narrow(builder.ref(argument), kind))
    outputs = builder.block(block)
    return drop_dead_calls(builder.program(outputs, entry))


def _refuse_tokens(func: ir.Operation, block: ir.Block) -> None:
    returned = block.operations[len(block.operations) - 1].operands
    if any(map(is_token, (*block.arguments, *returned))):
        raise UnsupportedOp(
            f"function @{hlo.symbol(func)} takes or returns a token, which no caller can hold",
            where=locations.where(func),
            help="make tokens inside, with stablehlo.after_all",
        )


def lower_operation(builder: Builder, op: ir.Operation) -> None:
    """Lower one operation and bind its results, those of narrow types brought back to them.

    Raises:
        UnsupportedOp: no lowering is registered for it, or it is refused.
    """
    function = LOWERINGS.get(op.name)
    if function is None:
        refusal = REFUSALS.get(op.name)
        if refusal is not None:
            message = f"operation {op.name} cannot run: {refusal.reason}"
            raise builder.unsupported(message, help=refusal.help)
        raise builder.unsupported(
            f"operation {op.name} has no run-time lowering",
            help="rewrite the model without it, or add a lowering under transforms/lower",
        )
    found = function(builder, op)
    results: Sequence[Item] = [found] if isinstance(found, Ref | Bundle) else found
    for value, item in zip(op.results, results, strict=True):
        kind = narrow_type(value)
        if kind is not None and isinstance(item, Ref) and op.name not in narrow.EXACT:
            item = builder.narrow(item, kind)
        builder.define(value, item)
