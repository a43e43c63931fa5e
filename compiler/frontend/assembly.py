"""The entry points of a training program, built around forward and backward.

    draw       masks of dropout                               random_masks.py
    joint      parameters, batch → loss, gradients            PyTorch's graph, copied in
    widen      gradients in the type they are added up in     precision.py
    sum        over micro-batches, where there are several
    unscale    divided by the loss scale; all finite?         scaling.py
    clip       to the largest norm
    optimize   parameters and their state                     optimizers.py

All of it is one program, so a plan is chosen for the step as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch_mlir import ir

from distc.compiler.frontend.functions import (
    Slot,
    add_function,
    add_private,
    composite,
    inlined,
)
from distc.compiler.frontend.joint import TANGENT, JointGraph
from distc.compiler.frontend.optimizers import OptimizerGroup
from distc.compiler.frontend.random_masks import counters, kept_where, threefry_body
from distc.compiler.frontend.scaling import all_finite, next_scale, unscaled
from distc.compiler.frontend.training_options import TrainingOptions
from distc.compiler.frontend.training_slots import TrainingSlots
from distc.dialect import build, stablehlo
from distc.dialect.sharding import Reduction
from distc.runtime.kept import DRAWS, GOOD_STEPS, LOSS_SCALE, SEED, TAKEN_STEPS

if TYPE_CHECKING:
    from torch_mlir.ir import Value

STEP, ACCUMULATE, UPDATE = "step", "accumulate", "update"
Results = list[tuple[Slot, "Value"]]


class Assembly:
    """Builds the entry points around the joint function.

    Args:
        joint_module: the lowered joint graph.
        joint: its arguments.
        options: what a step does.
        own: the model's own dtypes of rounded parameters, by name.
        source: the SPEC, for messages.
    """

    def __init__(
        self,
        joint_module: ir.Module,
        joint: JointGraph,
        options: TrainingOptions,
        own: Mapping[str, torch.dtype],
        source: str,
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
            self.f32, self.i64 = ir.F32Type.get(), ir.IntegerType.get_signless(64)
        types = [a.type for a in self.main.regions[0].blocks[0].arguments]
        self.slots = TrainingSlots(joint, types, options, own, source)
        self.bodies: dict[tuple[object, ...], str] = {}

    def module(self) -> ir.Module:
        """Return the module with its entry points."""
        taken = [self.slots.held[a.name] for a in self.slots.of("parameter", "buffer", "constant")]
        batch = [self.slots.held[a.name] for a in self.slots.of("input")]
        kept = [s for name in self.joint.graded for s in self.slots.kept(name)]
        scale, steps, draws = self.slots.scale(), self.slots.steps(), self.slots.draws()
        if self.options.microbatches == 1:
            arguments = [*taken, *kept, *scale, *steps, *draws, *self.slots.filled(), *batch]
            add_function(self.made, STEP, arguments, self._step)
            return self.made
        sums = [self.slots.accumulator(name) for name in self.joint.graded]
        count = self.options.microbatches
        arguments = [*taken, *sums, *scale[:1], *draws, *batch]
        add_function(self.made, ACCUMULATE, arguments, self._accumulate, count)
        trained = [self.slots.held[name] for name in self.joint.graded]
        arguments = [*trained, *kept, *sums, *scale, *steps, *self.slots.filled()]
        add_function(self.made, UPDATE, arguments, self._update, 1)
        return self.made

    def first_values(self) -> dict[str, torch.Tensor]:
        """Return the first values of state that neither the model nor zero gives."""
        found = {SEED: torch.tensor(self.options.seed)} if self.joint.sites else {}
        scale = self.options.loss_scale
        if scale is not None and scale.dynamic:
            found[LOSS_SCALE] = torch.tensor(scale.initial, dtype=torch.float32)
        return found

    # Entry points

    def _step(self, values: Mapping[str, Value]) -> Results:
        loss, gradients, buffers = self._joint(values)
        return [self._loss(loss), *buffers, *self._optimized(values, gradients)]

    def _accumulate(self, values: Mapping[str, Value]) -> Results:
        loss, gradients, buffers = self._joint(values)
        results = [self._loss(loss), *buffers]
        for name, gradient in gradients.items():
            slot = self.slots.accumulator(name)
            part = _times(gradient, 1 / self.options.microbatches)
            results.append((slot.updated(), build.binary("add", values[slot.name], part)))
        return results

    def _update(self, values: Mapping[str, Value]) -> Results:
        sums = {name: self.slots.accumulator(name) for name in self.joint.graded}
        results = self._optimized(values, {n: values[s.name] for n, s in sums.items()})
        for slot in sums.values():
            kind = ir.RankedTensorType(slot.type)
            empty = build.splat(0, tuple(kind.shape), kind.element_type)
            results.append((slot.updated(), empty))
        return results

    def _joint(self, values: Mapping[str, Value]) -> tuple[Value, dict[str, Value], Results]:
        """Forward and backward: the loss, widened gradients by parameter, new buffers."""
        operands = dict(values)
        drawn = self._draw(operands)
        if TANGENT in self.slots.held:
            element = ir.RankedTensorType(self.slots.held[TANGENT].type).element_type
            operands[TANGENT] = build.convert(self._scale(values), element)
        outputs = inlined(self.main, [operands[a.name] for a in self.joint.arguments])
        loss, rest = outputs[0], outputs[1:]
        graded, updated = self.joint.graded, self.joint.updated
        gradients = {
            name: self._widened(name, gradient)
            for name, gradient in zip(graded, rest[: len(graded)], strict=True)
        }
        buffers = [
            (self.slots.held[name].updated(), value)
            for name, value in zip(updated, rest[len(graded) :], strict=True)
        ]
        return loss, gradients, [*buffers, *drawn]

    def _draw(self, values: dict[str, Value]) -> Results:
        """Add the masks of dropout to the operands; return the new count of draws."""
        if not self.joint.sites:
            return []
        key = self._threefry(values[DRAWS], values[SEED])
        for site in self.joint.sites:
            bits = self._threefry(counters(site, self.i64), key)
            values[site.name] = kept_where(bits, site)
        more = build.binary("add", values[DRAWS], build.splat(1, (), self.i64))
        return [(self.slots.draws()[1].updated(), more)]

    def _threefry(self, counter: Value, key: Value) -> Value:
        types = [counter.type, key.type]
        body = self._body(("threefry", str(counter.type)), "threefry", types, threefry_body)
        return composite("distc.threefry", body, [counter, key], [counter.type])[0]

    def _loss(self, loss: Value) -> tuple[Slot, Value]:
        return Slot(loss.type, {"dist.name": "loss"}), loss

    def _scale(self, values: Mapping[str, Value]) -> Value:
        scale = self.options.loss_scale
        assert scale is not None
        return values[LOSS_SCALE] if scale.dynamic else build.splat(scale.initial, (), self.f32)

    def _widened(self, parameter: str, gradient: Value) -> Value:
        """A gradient in the type in which it is added up; partial sums stay partial."""
        return build.convert(
            gradient, self.slots.wide_elements.get(parameter, stablehlo.element_type(gradient))
        )

    def _optimized(self, values: Mapping[str, Value], gradients: Mapping[str, Value]) -> Results:
        """New parameters and their state, as they were where a gradient is not finite."""
        step = values.get("step")
        finite: Value | None = None
        if self.options.loss_scale is not None:
            taken = values[TAKEN_STEPS]
            step = build.binary("add", taken, build.splat(1, (), self.i64))
            scale = self._scale(values)
            gradients = {name: unscaled(g, scale) for name, g in gradients.items()}
            finite = all_finite(gradients.values())
        if self.options.clip_norm is not None:
            gradients = _clipped(gradients, self.options.clip_norm)
        rates = self._rates(values["lr"])
        assert step is not None
        results: Results = []
        for name, gradient in gradients.items():
            scalars = [rates[self.slots.group_of[name]], step]
            results += self._parameter(name, values, gradient, scalars, finite)
        return [*results, *self._after(values, finite)]

    def _parameter(
        self,
        name: str,
        values: Mapping[str, Value],
        gradient: Value,
        scalars: Sequence[Value],
        finite: Value | None,
    ) -> Results:
        """The update of one parameter."""
        held, kept = self.slots.held[name], self.slots.kept(name)
        master = name in self.slots.wide_elements
        old = [values[(kept[-1] if master else held).name]]
        old += [values[s.name] for s in (kept[:-1] if master else kept)]
        new = self._optimizer(name, [old[0], gradient, *old[1:], *scalars])
        if finite is not None:
            new = [build.select(finite, n, o) for n, o in zip(new, old, strict=True)]
        if not master:
            updated = [held.updated(), *(s.updated() for s in kept)]
            return list(zip(updated, new, strict=True))
        narrow = build.convert(new[0], ir.RankedTensorType(held.type).element_type)
        updated = [held.updated(), kept[-1].updated(), *(s.updated() for s in kept[:-1])]
        return list(zip(updated, [narrow, *new], strict=True))

    def _after(self, values: Mapping[str, Value], finite: Value | None) -> Results:
        """The state of the loss scale after a step."""
        scale = self.options.loss_scale
        if scale is None or finite is None:
            return []
        (taken,) = self.slots.steps()
        more = build.binary("add", values[TAKEN_STEPS], build.convert(finite, self.i64))
        results: Results = [(taken.updated(), more)]
        if scale.dynamic:
            new = next_scale(scale, values[LOSS_SCALE], values[GOOD_STEPS], finite)
            results += zip([s.updated() for s in self.slots.scale()], new, strict=True)
        return results

    def _rates(self, rates: Value) -> list[Value]:
        count = len(self.options.groups)
        if count == 1:
            return [rates]
        return [build.reshape(build.slice_(rates, [i], [i + 1]), ()) for i in range(count)]

    def _optimizer(self, parameter: str, operands: Sequence[Value]) -> list[Value]:
        """One update as a composite; equal parameters share its body."""
        group = self.slots.group(parameter)
        types = [v.type for v in operands]
        key = (self.slots.group_of[parameter], *map(str, types))
        body = self._body(key, group.kind, types, _update_of(group))
        first, _, *kept, _, _ = types
        with ir.Location.name(parameter, context=first.context):
            return composite(f"distc.{group.kind}", body, operands, [first, *kept])

    def _body(
        self,
        key: tuple[object, ...],
        name: str,
        types: Sequence[ir.Type],
        emit: Callable[[Sequence[Value]], Sequence[Value]],
    ) -> str:
        """The name of the private function of a composite; equal ones are one."""
        if key not in self.bodies:
            self.bodies[key] = f"{name}_{len(self.bodies)}"
            add_private(self.made, self.bodies[key], types, emit)
        return self.bodies[key]


def _update_of(group: OptimizerGroup) -> Callable[[Sequence[Value]], Sequence[Value]]:
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
