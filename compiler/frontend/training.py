"""A training program: `step`, or `accumulate` and `update`, and `evaluate`, in one module.

    step        loss, gradients, update: one micro-batch
    accumulate  k times per step: gradients / k are added to accumulators
    update      once per step: the accumulators are used and set to zero
    evaluate    the loss in evaluation mode, exported as any program

The joint graph comes from PyTorch; everything after the gradients is built here. Attributes follow
docs/adr/0018-state-in-the-ir.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from torch import nn
from torch_mlir import ir

from distc.compiler.frontend.arguments import Argument
from distc.compiler.frontend.entries import join_entries
from distc.compiler.frontend.export import export, trace
from distc.compiler.frontend.exported import Exported, TensorInfo, WeightInfo
from distc.compiler.frontend.functions import (
    Slot,
    add_function,
    add_private,
    composite,
    inlined,
)
from distc.compiler.frontend.importer import dtype_name
from distc.compiler.frontend.joint import JointGraph, joint_graph
from distc.compiler.frontend.losses import Batch, Loss, loss_as_forward
from distc.compiler.frontend.lower import to_stablehlo
from distc.compiler.frontend.optimizers import OptimizerGroup
from distc.dialect import build, stablehlo
from distc.dialect.sharding import Reduction
from distc.runtime.errors import InputError, UsageError

if TYPE_CHECKING:
    from torch_mlir.ir import Value

STEP, ACCUMULATE, UPDATE, EVALUATE = "step", "accumulate", "update", "evaluate"


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What a step does beside forward and backward.

    Attributes:
        groups: optimizers with the parameters they train; None for the rest.
        microbatches: into how many parts a batch is cut.
        clip_norm: the largest norm of all gradients together, None for any.
        evaluate: whether to add the entry point `evaluate`.
    """

    groups: tuple[OptimizerGroup, ...]
    microbatches: int = 1
    clip_norm: float | None = None
    evaluate: bool = True

    def __post_init__(self) -> None:
        if self.microbatches < 1:
            raise UsageError(
                f"{self.microbatches} micro-batches are asked for, the least is 1",
                help="write --microbatches 1",
            )
        if self.clip_norm is not None and not self.clip_norm > 0:
            raise UsageError(
                f"clip_norm is {self.clip_norm}, a positive number is needed",
                help="leave it out to clip nothing",
            )


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
        options: optimizers, micro-batches, clipping.
        context: from `dialect.context.make_context`.
        source: the SPEC, for messages.

    Raises:
        InputError: no scalar loss, nothing to train, a model that cannot be traced.
        UnsupportedOp: an operator of the joint graph has no lowering.
    """
    args, kwargs = _call(batch)
    with loss_as_forward(model, loss, training=True):
        program = trace(model, args, kwargs, source)
        joint = joint_graph(program, model, source)
    module = to_stablehlo(joint.graph, context)
    assembled = _Assembly(module, joint, options, source).module()
    exported = _record(joint, assembled, source)
    if not options.evaluate:
        return exported
    with loss_as_forward(model, loss, training=False):
        evaluated = export(model, args, kwargs, context=context, source=source)
    return _with_evaluate(exported, evaluated, context)


def _call(batch: Batch) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(batch, Mapping):
        return (), dict(batch)
    return tuple(batch), {}


def _record(joint: JointGraph, module: ir.Module, source: str) -> Exported:
    weights = [a for a in joint.arguments if a.kind != "input"]
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


class _Assembly:
    """Builds the entry points around the joint function."""

    def __init__(
        self, joint_module: ir.Module, joint: JointGraph, options: TrainingOptions, source: str
    ) -> None:
        self.joint, self.options, self.source = joint, options, source
        self.context = joint_module.context
        functions = stablehlo.functions(joint_module)
        self.main = next(f for f in functions if stablehlo.is_public(f))
        with self.context, ir.Location.unknown(self.context):
            self.made = ir.Module.create()
            for func in functions:
                if not stablehlo.is_public(func):
                    func.clone(ip=ir.InsertionPoint(self.made.body))
            self.f64 = ir.F64Type.get()
            self.i64 = ir.IntegerType.get_signless(64)
        types = [a.type for a in self.main.regions[0].blocks[0].arguments]
        self.slots = {
            a.name: Slot(t, {"dist.name": a.name, "dist.kind": a.kind})
            for a, t in zip(joint.arguments, types, strict=True)
        }
        self.bodies: dict[tuple[object, ...], str] = {}
        self.group_of = self._groups()

    def module(self) -> ir.Module:
        """Return the module with its entry points."""
        taken = [self.slots[a.name] for a in self._of("parameter", "buffer", "constant")]
        batch = [self.slots[a.name] for a in self._of("input")]
        kept = [s for name in self.joint.graded for s in self._kept(name)]
        filled = self._filled()
        if self.options.microbatches == 1:
            add_function(self.made, STEP, [*taken, *kept, *filled, *batch], self._step)
            return self.made
        sums = [self._accumulator(name) for name in self.joint.graded]
        count = self.options.microbatches
        add_function(self.made, ACCUMULATE, [*taken, *sums, *batch], self._accumulate, count)
        trained = [self.slots[name] for name in self.joint.graded]
        add_function(self.made, UPDATE, [*trained, *kept, *sums, *filled], self._update, 1)
        return self.made

    def _of(self, *kinds: str) -> list[Argument]:
        return [a for a in self.joint.arguments if a.kind in kinds]

    def _groups(self) -> dict[str, int]:
        """Parameter → the number of its group."""
        found: dict[str, int] = {}
        for number, group in enumerate(self.options.groups):
            given = group.parameters
            members = frozenset(self.joint.graded) if given is None else given
            found |= {n: number for n in self.joint.graded if n in members and n not in found}
        missing = [n for n in self.joint.graded if n not in found]
        if missing:
            raise InputError(
                f"parameter {missing[0]} gets a gradient, and no optimizer trains it",
                where=self.source,
                help="give it to the optimizer, or set its requires_grad to False",
            )
        return found

    def _group(self, parameter: str) -> OptimizerGroup:
        return self.options.groups[self.group_of[parameter]]

    def _filled(self) -> list[Slot]:
        """What the trainer fills in: the learning rate, one per group, and the step from 1."""
        groups = len(self.options.groups)
        shape = () if groups == 1 else (groups,)
        rate = Slot(build.tensor_type(shape, self.f64), {"dist.name": "lr", "dist.kind": "input"})
        step = Slot(build.tensor_type((), self.i64), {"dist.name": "step", "dist.kind": "input"})
        return [rate, step]

    def _kept(self, parameter: str) -> list[Slot]:
        held = self.slots[parameter].type
        return [
            Slot(
                held,
                {
                    "dist.name": f"{parameter}@{slot}",
                    "dist.kind": "optimizer",
                    "dist.parameter": parameter,
                    "dist.slot": slot,
                    "dist.initial": "zeros",
                },
            )
            for slot in self._group(parameter).slots
        ]

    def _accumulator(self, parameter: str) -> Slot:
        return Slot(
            self.slots[parameter].type,
            {
                "dist.name": f"{parameter}@grad",
                "dist.kind": "gradient",
                "dist.parameter": parameter,
                "dist.slot": "grad",
                "dist.initial": "zeros",
            },
        )

    # Entry points

    def _step(self, values: Mapping[str, Value]) -> list[tuple[Slot, Value]]:
        loss, gradients, buffers = self._joint(values)
        return [self._loss(loss), *buffers, *self._optimized(values, gradients)]

    def _accumulate(self, values: Mapping[str, Value]) -> list[tuple[Slot, Value]]:
        loss, gradients, buffers = self._joint(values)
        results = [self._loss(loss), *buffers]
        for name, gradient in gradients.items():
            slot = self._accumulator(name)
            part = _times(gradient, 1 / self.options.microbatches)
            results.append((slot.updated(), build.binary("add", values[slot.name], part)))
        return results

    def _update(self, values: Mapping[str, Value]) -> list[tuple[Slot, Value]]:
        sums = {name: self._accumulator(name) for name in self.joint.graded}
        results = self._optimized(values, {n: values[s.name] for n, s in sums.items()})
        for slot in sums.values():
            kind = ir.RankedTensorType(slot.type)
            empty = build.splat(0, tuple(kind.shape), kind.element_type)
            results.append((slot.updated(), empty))
        return results

    def _joint(
        self, values: Mapping[str, Value]
    ) -> tuple[Value, dict[str, Value], list[tuple[Slot, Value]]]:
        """Forward and backward: the loss, gradients by parameter, new buffers."""
        outputs = inlined(self.main, [values[a.name] for a in self.joint.arguments])
        loss, rest = outputs[0], outputs[1:]
        graded, updated = self.joint.graded, self.joint.updated
        gradients = dict(zip(graded, rest[: len(graded)], strict=True))
        buffers = [
            (self.slots[name].updated(), value)
            for name, value in zip(updated, rest[len(graded) :], strict=True)
        ]
        return loss, gradients, buffers

    def _loss(self, loss: Value) -> tuple[Slot, Value]:
        return Slot(loss.type, {"dist.name": "loss"}), loss

    def _optimized(
        self, values: Mapping[str, Value], gradients: Mapping[str, Value]
    ) -> list[tuple[Slot, Value]]:
        if self.options.clip_norm is not None:
            gradients = _clipped(gradients, self.options.clip_norm)
        rates = self._rates(values["lr"])
        results: list[tuple[Slot, Value]] = []
        for name, gradient in gradients.items():
            slots = self._kept(name)
            operands = [values[name], gradient, *(values[s.name] for s in slots)]
            scalars = [rates[self.group_of[name]], values["step"]]
            new = self._optimizer(name, [*operands, *scalars], 1 + len(slots))
            updated = [self.slots[name].updated(), *(s.updated() for s in slots)]
            results += zip(updated, new, strict=True)
        return results

    def _rates(self, rates: Value) -> list[Value]:
        count = len(self.options.groups)
        if count == 1:
            return [rates]
        return [build.reshape(build.slice_(rates, [i], [i + 1]), ()) for i in range(count)]

    def _optimizer(self, parameter: str, operands: Sequence[Value], results: int) -> list[Value]:
        """One update as a composite; equal parameters share its body."""
        group = self._group(parameter)
        types = [v.type for v in operands]
        key = (self.group_of[parameter], *map(str, types))
        if key not in self.bodies:
            self.bodies[key] = f"{group.kind}_{len(self.bodies)}"
            add_private(self.made, self.bodies[key], types, _body(group))
        kinds = [types[0]] * results
        with ir.Location.name(parameter, context=types[0].context):
            return composite(f"distc.{group.kind}", self.bodies[key], operands, kinds)


def _body(group: OptimizerGroup) -> Callable[[Sequence[Value]], Sequence[Value]]:
    def emit(values: Sequence[Value]) -> Sequence[Value]:
        parameter, gradient, *kept, rate, step = values
        return group.update(parameter, gradient, kept, rate, step)

    return emit


def _times(x: Value, factor: float) -> Value:
    if factor == 1:
        return x
    element = stablehlo.element_type(x)
    return build.binary("multiply", x, build.splat(factor, stablehlo.shape(x), element))


def _clipped(gradients: Mapping[str, Value], most: float) -> dict[str, Value]:
    """Scale all gradients so that their common norm is at most `most`, as clip_grad_norm_ does."""
    squares = [
        build.reduce(build.binary("multiply", g, g), range(len(stablehlo.shape(g))), Reduction.SUM)
        for g in gradients.values()
    ]
    total = squares[0]
    for square in squares[1:]:
        total = build.binary("add", total, build.convert(square, stablehlo.element_type(total)))
    norm = build.unary("sqrt", total)
    element = stablehlo.element_type(norm)
    shifted = build.binary("add", norm, build.splat(1e-6, (), element))
    factor = build.binary("divide", build.splat(most, (), element), shifted)
    factor = build.binary("minimum", factor, build.splat(1, (), element))
    return {name: _scaled(g, factor) for name, g in gradients.items()}


def _scaled(x: Value, factor: Value) -> Value:
    factor = build.convert(factor, stablehlo.element_type(x))
    shape = stablehlo.shape(x)
    return build.binary(
        "multiply", x, build.broadcast_in_dim(factor, shape, ()) if shape else factor
    )
