"""Arguments of a training program: those of the joint graph, what is kept, what is filled in.

Their attributes follow docs/adr/0018-state-in-the-ir.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch_mlir import ir

from distc.compiler.frontend.arguments import Argument
from distc.compiler.frontend.functions import Slot
from distc.compiler.frontend.importer import dtype_name
from distc.compiler.frontend.joint import JointGraph
from distc.compiler.frontend.optimizers import OptimizerGroup
from distc.compiler.frontend.training_options import TrainingOptions
from distc.dialect import build
from distc.runtime.errors import InputError
from distc.runtime.kept import DRAWS, GOOD_STEPS, LOSS_SCALE, MASTER, SEED, TAKEN_STEPS


class TrainingSlots:
    """The arguments of the entry points.

    Args:
        joint: the joint graph.
        types: of its arguments.
        options: what a step does.
        own: the model's own dtypes of rounded parameters, by name.
        source: the SPEC, for messages.

    Attributes:
        held: arguments of the joint graph by name.
        wide_elements: the own element types of trained parameters that are rounded, by name.
        group_of: the number of the optimizer's group, by parameter.

    Raises:
        InputError: a parameter gets a gradient, and no group trains it.
    """

    def __init__(
        self,
        joint: JointGraph,
        types: Sequence[ir.Type],
        options: TrainingOptions,
        own: Mapping[str, torch.dtype],
        source: str,
    ) -> None:
        self.joint, self.options, self.source = joint, options, source
        self.held = {
            a.name: Slot(t, {"dist.name": a.name, "dist.kind": a.kind})
            for a, t in zip(joint.arguments, types, strict=True)
        }
        context = types[0].context
        self.f32, self.f64 = ir.F32Type.get(context), ir.F64Type.get(context)
        self.i64 = ir.IntegerType.get_signless(64, context)
        self.wide_elements = {
            name: ir.Type.parse(dtype_name(own[name]), context)
            for name in joint.graded
            if name in own
        }
        self.group_of = self._groups()

    def of(self, *kinds: str) -> list[Argument]:
        """Return the arguments of some kinds."""
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

    def group(self, parameter: str) -> OptimizerGroup:
        """Return the optimizer of a parameter."""
        return self.options.groups[self.group_of[parameter]]

    def filled(self) -> list[Slot]:
        """Return what the trainer fills in: the learning rate, one per group, the step from 1."""
        groups = len(self.options.groups)
        shape = () if groups == 1 else (groups,)
        rate = Slot(build.tensor_type(shape, self.f64), {"dist.name": "lr", "dist.kind": "input"})
        step = Slot(build.tensor_type((), self.i64), {"dist.name": "step", "dist.kind": "input"})
        return [rate] if self.options.loss_scale is not None else [rate, step]

    def scale(self) -> list[Slot]:
        """Return the state of a dynamic loss scale; the scale comes first."""
        scale = self.options.loss_scale
        if scale is None or not scale.dynamic:
            return []
        return [self._number(LOSS_SCALE, self.f32, ""), self._number(GOOD_STEPS, self.i64)]

    def steps(self) -> list[Slot]:
        """Return the count of steps that were not skipped, where some may be."""
        return [] if self.options.loss_scale is None else [self._number(TAKEN_STEPS, self.i64)]

    def draws(self) -> list[Slot]:
        """Return seed and count of draws of a model that drops elements."""
        if not self.joint.sites:
            return []
        return [self._number(SEED, self.i64, ""), self._number(DRAWS, self.i64)]

    def _number(self, name: str, element: ir.Type, initial: str = "zeros") -> Slot:
        texts = {"dist.name": name, "dist.kind": "state"}
        if initial:
            texts["dist.initial"] = initial
        return Slot(build.tensor_type((), element), texts)

    def wide(self, parameter: str) -> ir.RankedTensorType:
        """Return the type of a parameter in which its gradients are added up and it is updated."""
        held = ir.RankedTensorType(self.held[parameter].type)
        element = self.wide_elements.get(parameter, held.element_type)
        return build.tensor_type(tuple(held.shape), element)

    def kept(self, parameter: str) -> list[Slot]:
        """Return a parameter's state: of its optimizer, then its master where it has one."""
        shape = tuple(ir.RankedTensorType(self.held[parameter].type).shape)
        kept = [
            self._owned(parameter, slot, "optimizer", "zeros", size)
            for slot, size in self.group(parameter).state(shape).items()
        ]
        if parameter in self.wide_elements:
            kept.append(self._owned(parameter, MASTER, "optimizer", "parameter"))
        return kept

    def accumulator(self, parameter: str) -> Slot:
        """Return where gradients of micro-batches are added up."""
        return self._owned(parameter, "grad", "gradient", "zeros")

    def _owned(
        self,
        parameter: str,
        slot: str,
        kind: str,
        initial: str,
        shape: tuple[int, ...] | None = None,
    ) -> Slot:
        whole = self.wide(parameter)
        held = whole if shape is None else build.tensor_type(shape, whole.element_type)
        return Slot(
            held,
            {
                "dist.name": f"{parameter}@{slot}",
                "dist.kind": kind,
                "dist.parameter": parameter,
                "dist.slot": slot,
                "dist.initial": initial,
            },
        )
