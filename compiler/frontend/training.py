"""A training program: `step`, or `accumulate` and `update`, and `evaluate`, in one module.

    step        loss, gradients, update: one micro-batch
    accumulate  k times per step: gradients / k are added to accumulators
    update      once per step: the accumulators are used and set to zero
    evaluate    the loss in evaluation mode, exported as any program

The joint graph comes from PyTorch; everything after the gradients is built here. Attributes follow
docs/adr/0018-state-in-the-ir.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch_mlir import ir

from distc.compiler.frontend.assembly import ACCUMULATE, STEP, UPDATE, Assembly
from distc.compiler.frontend.entries import join_entries
from distc.compiler.frontend.export import export, trace
from distc.compiler.frontend.exported import Exported, TensorInfo, WeightInfo
from distc.compiler.frontend.importer import dtype_name
from distc.compiler.frontend.joint import BUILT, JointGraph, joint_graph
from distc.compiler.frontend.losses import Batch, Loss, loss_as_forward
from distc.compiler.frontend.lower import to_stablehlo
from distc.compiler.frontend.precision import rounded_parameters, rounding
from distc.compiler.frontend.training_options import TrainingOptions
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr, update_arg_attrs
from distc.runtime.errors import InputError

__all__ = ["ACCUMULATE", "EVALUATE", "STEP", "UPDATE", "TrainingOptions", "export_training"]

EVALUATE = "evaluate"


def export_training(
    model: nn.Module,
    batch: Batch,
    loss: Loss,
    options: TrainingOptions,
    *,
    context: ir.Context,
    source: str,
) -> Exported:
    """Export a training program; parameters may be fake.

    Args:
        model: its `requires_grad` says what is trained.
        batch: an example micro-batch, a tuple or a mapping of tensors.
        loss: loss(model, *batch) → scalar; None where the model returns its loss.
        options: optimizers, micro-batches, clipping, precision.
        context: from `dialect.context.make_context`.
        source: the SPEC, for messages.

    Raises:
        InputError: no scalar loss, nothing to train, a model that cannot be traced.
        UnsupportedOp: an operator of the joint graph has no lowering.
    """
    with rounded_parameters(model, options.compute) as own:
        try:
            exported = _exported(model, batch, loss, options, own, context, source)
        except InputError as error:
            if not own:
                raise
            raise InputError(
                error.message,
                where=error.where,
                help=f"{error.help}; parameters and inputs are {options.compute} here, buffers are "
                "as the model has them: give both sides of an operator one type, .to(x.dtype)",
                code=error.code,
            ) from None
    return _as_stored(exported, own)


def _exported(
    model: nn.Module,
    batch: Batch,
    loss: Loss,
    options: TrainingOptions,
    own: Mapping[str, torch.dtype],
    context: ir.Context,
    source: str,
) -> Exported:
    args, kwargs = _call(batch)
    wrap = rounding(options.compute, own)
    scaled = options.loss_scale is not None
    with loss_as_forward(model, loss, training=True, wrap=wrap):
        program = trace(model, args, kwargs, source)
        joint = joint_graph(program, model, source, scaled=scaled)
    module = to_stablehlo(joint.graph, context)
    assembly = Assembly(module, joint, options, own, source)
    exported = _record(joint, assembly.module(), source)
    exported = replace(exported, values={**exported.values, **assembly.first_values()})
    if not options.evaluate:
        return exported
    with loss_as_forward(model, loss, training=False, wrap=wrap):
        evaluated = export(model, args, kwargs, context=context, source=source)
    return _with_evaluate(exported, evaluated, context)


def _call(batch: Batch) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(batch, Mapping):
        return (), dict(batch)
    return tuple(batch), {}


def _as_stored(exported: Exported, own: Mapping[str, torch.dtype]) -> Exported:
    """Say on rounded parameters, of all entry points, in which type the weight files have them."""
    for func in stablehlo.functions(exported.module):
        if not stablehlo.is_public(func):
            continue
        count = len(func.regions[0].blocks[0].arguments)
        names = [arg_attr(func, index, "dist.name") for index in range(count)]
        changes = {
            index: {"dist.stored": ir.StringAttr.get(dtype_name(own[name.value]), func.context)}
            for index, name in enumerate(names)
            if name is not None and name.value in own
        }
        if changes:
            update_arg_attrs(func, changes)
    weights = tuple(
        replace(w, dtype=dtype_name(own[w.name])) if w.name in own else w for w in exported.weights
    )
    return replace(exported, weights=weights)


def _record(joint: JointGraph, module: ir.Module, source: str) -> Exported:
    weights = [a for a in joint.arguments if a.kind not in ("input", BUILT)]
    results: Any = joint.graph.output_node().args[0]
    loss = results[0]
    return Exported(
        module=module,
        weights=tuple(
            WeightInfo(a.name, a.aliases, a.shape, dtype_name(a.dtype), a.kind)
            for a in weights
            if a.value is None
        ),
        values={a.name: a.value for a in weights if a.value is not None},
        inputs=tuple(
            TensorInfo(a.name, a.shape, dtype_name(a.dtype))
            for a in joint.arguments
            if a.kind == "input"
        ),
        outputs=(TensorInfo("loss", (), dtype_name(loss.meta["val"].dtype)),),
        source=source,
    )


def _with_evaluate(training: Exported, evaluated: Exported, context: ir.Context) -> Exported:
    """Join both programs; what only one of them reads is a weight of both."""
    extra = join_entries({EVALUATE: evaluated.module}, context)
    for func in stablehlo.functions(extra):
        func.clone(ip=ir.InsertionPoint(training.module.body))
    known = {w.name for w in training.weights}
    weights = (*training.weights, *(w for w in evaluated.weights if w.name not in known))
    values = {**evaluated.values, **training.values}
    return replace(training, weights=weights, values=values, notices=evaluated.notices)
