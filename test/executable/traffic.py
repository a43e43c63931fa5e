"""What the collectives of a rank program move, and joint graphs to measure it on."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from math import prod

import torch
from fuzzing.joint import _table
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch_mlir import ir

from distc.compiler.frontend.decompose import decompose
from distc.compiler.frontend.lower import to_stablehlo
from distc.compiler.frontend.tidy import tidy
from distc.dialect import stablehlo
from distc.dialect.attrs import update_arg_attrs
from distc.dialect.context import make_context
from distc.transforms.cleanup import run_cleanup
from distc.transforms.verify_partitioned import COLLECTIVES

KIND = "dist.kind"
Function = Callable[..., Tensor]


def joint(function: Function, arguments: Sequence[Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    """Return a function that gives the value and the gradients of all float arguments."""
    places = [i for i, a in enumerate(arguments) if a.is_floating_point()]

    def both(*args: Tensor) -> tuple[Tensor, ...]:
        def of_floats(*floats: Tensor) -> Tensor:
            given = list(args)
            for place, x in zip(places, floats, strict=True):
                given[place] = x
            return function(*given)

        value, back = torch.func.vjp(of_floats, *(args[i] for i in places))
        return (value, *back(torch.ones_like(value)))

    return both


def joint_text(function: Function, arguments: Sequence[Tensor], weights: Sequence[int] = ()) -> str:
    """The joint graph of a function as StableHLO, through the front end's own lowering.

    Arguments whose numbers are in `weights` are parameters: gathered before use where their axes
    cut the data too.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.backends.mkldnn.flags(enabled=False), sdpa_kernel(SDPBackend.MATH):
            traced = make_fx(
                torch.func.functionalize(joint(function, arguments), remove="mutations"),
                tracing_mode="fake",
                decomposition_table=_table(),
            )(*arguments)
        decompose(traced.graph)
        tidy(traced.graph, {})
        module = to_stablehlo(traced.graph, make_context())
        run_cleanup(module)
        parameter = {KIND: ir.StringAttr.get("parameter", module.context)}
        main = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
        update_arg_attrs(main, {i: parameter for i in weights})
        return str(module)


def moved(module: ir.Module) -> Counter[str]:
    """Collective → bytes of its operands on one rank, over the whole rank program."""
    found: Counter[str] = Counter()
    for func in stablehlo.functions(module):
        for op in stablehlo.walk(func):
            if op.name in COLLECTIVES:
                bytes_ = sum(prod(stablehlo.shape(v)) * _itemsize(v) for v in op.operands)
                found[op.name.removeprefix("stablehlo.")] += bytes_
    return found


def counted(module: ir.Module) -> Counter[str]:
    """Collective → how many of it a rank runs."""
    return Counter(
        op.name.removeprefix("stablehlo.")
        for func in stablehlo.functions(module)
        for op in stablehlo.walk(func)
        if op.name in COLLECTIVES
    )


def largest(module: ir.Module) -> int:
    """Bytes of the largest operand of a collective."""
    sizes = [
        prod(stablehlo.shape(v)) * _itemsize(v)
        for func in stablehlo.functions(module)
        for op in stablehlo.walk(func)
        if op.name in COLLECTIVES
        for v in op.operands
    ]
    return max(sizes, default=0)


def _itemsize(value: ir.Value) -> int:
    return max(1, int(stablehlo.element_type(value).width) // 8)
