"""Optimizers as elementwise StableHLO: one body per kind, shape and setting, kept as a composite.

With parameter p, gradient g, learning rate η, step t from 1, and what each keeps per parameter:

    sgd     g += w p    b = μ b + (1 − d) g   (b = g where t = 1)    g = g + μ b or b    p −= η g
    adam    g += w p    m = β₁ m + (1 − β₁) g    v = β₂ v + (1 − β₂) g²
            p −= η / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)
    adamw   p *= 1 − η w, then as adam without w in g
    lion    p *= 1 − η w    p −= η sign(β₁ m + (1 − β₁) g)    m = β₂ m + (1 − β₂) g
    adafactor  in `adafactor.py`: its second moment is a product of rows and columns

Source: torch.optim's SGD, Adam, AdamW; Chen et al., Symbolic Discovery of Optimization Algorithms
(Lion), 2023, algorithm 2. -> implemented in `OptimizerGroup.update`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import torch
from torch_mlir import ir

from distc.compiler.frontend.adafactor import adafactor, adafactor_state
from distc.compiler.frontend.optimizer_math import Math
from distc.compiler.frontend.optimizer_names import DEFAULTS, OptimizerKind, parse_settings
from distc.dialect import build
from distc.runtime.errors import UsageError

if TYPE_CHECKING:
    from torch import nn
    from torch.optim import Optimizer


@dataclass(frozen=True, slots=True)
class OptimizerGroup:
    """An optimizer with its settings, and the parameters it trains: None for all others."""

    kind: OptimizerKind
    settings: Mapping[str, float]
    parameters: frozenset[str] | None = None

    def state(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        """Return shapes by slot, named as in torch.optim, of what is kept of a parameter."""
        match self.kind:
            case OptimizerKind.SGD:
                return {"momentum_buffer": shape} if self.settings["momentum"] else {}
            case OptimizerKind.LION:
                return {"exp_avg": shape}
            case OptimizerKind.ADAFACTOR:
                return adafactor_state(shape)
            case _:
                return {"exp_avg": shape, "exp_avg_sq": shape}

    def update(
        self,
        parameter: ir.Value,
        gradient: ir.Value,
        kept: Sequence[ir.Value],
        rate: ir.Value,
        step: ir.Value,
    ) -> tuple[ir.Value, ...]:
        """Emit one update; return the new parameter and what is kept.

        Args:
            parameter, gradient: of one shape and element type.
            kept: in the order of `state`.
            rate: f64 scalar.
            step: i64 scalar, 1 in the first step.
        """
        math_ = Math(parameter, rate, step)
        match self.kind:
            case OptimizerKind.SGD:
                return self._sgd(math_, parameter, gradient, kept)
            case OptimizerKind.LION:
                return self._lion(math_, parameter, gradient, kept[0])
            case OptimizerKind.ADAFACTOR:
                return adafactor(self.settings, math_, parameter, gradient, kept)
            case _:
                return self._adam(math_, parameter, gradient, kept[0], kept[1])

    def _sgd(
        self, m: Math, p: ir.Value, g: ir.Value, kept: Sequence[ir.Value]
    ) -> tuple[ir.Value, ...]:
        s = self.settings
        if s["weight_decay"]:
            g = m.add(g, m.times(p, s["weight_decay"]))
        new: tuple[ir.Value, ...] = ()
        if kept:
            moved = m.add(m.times(kept[0], s["momentum"]), m.times(g, 1 - s["dampening"]))
            buffer = build.select(m.is_first, g, moved) if s["dampening"] else moved
            new = (buffer,)
            g = m.add(g, m.times(buffer, s["momentum"])) if s["nesterov"] else buffer
        return m.sub(p, m.mul(m.spread(m.rate), g)), *new

    def _adam(
        self, m: Math, p: ir.Value, g: ir.Value, average: ir.Value, square: ir.Value
    ) -> tuple[ir.Value, ...]:
        s = self.settings
        if s["weight_decay"] and self.kind is OptimizerKind.ADAM:
            g = m.add(g, m.times(p, s["weight_decay"]))
        elif s["weight_decay"]:
            p = m.mul(p, m.spread(m.decayed(s["weight_decay"])))
        average = m.add(m.times(average, s["beta1"]), m.times(g, 1 - s["beta1"]))
        square = m.add(m.times(square, s["beta2"]), m.times(m.mul(g, g), 1 - s["beta2"]))
        first, second = m.correction(s["beta1"]), m.correction(s["beta2"])
        root = build.binary("divide", build.unary("sqrt", square), m.spread(m.root(second)))
        root = m.add(root, m.number(s["eps"]))
        length = m.spread(build.binary("divide", m.rate, first))
        return m.sub(p, build.binary("divide", m.mul(length, average), root)), average, square

    def _lion(self, m: Math, p: ir.Value, g: ir.Value, average: ir.Value) -> tuple[ir.Value, ...]:
        s = self.settings
        if s["weight_decay"]:
            p = m.mul(p, m.spread(m.decayed(s["weight_decay"])))
        mixed = m.add(m.times(average, s["beta1"]), m.times(g, 1 - s["beta1"]))
        new = m.sub(p, m.mul(m.spread(m.rate), build.unary("sign", mixed)))
        return new, m.add(m.times(average, s["beta2"]), m.times(g, 1 - s["beta2"]))


def parse_optimizer(text: str) -> OptimizerGroup:
    """Return the optimizer that `adamw` or `sgd:momentum=0.9,weight_decay=1e-4` names.

    Raises:
        UsageError: an unknown optimizer or setting, or a value that is no number.
    """
    kind, settings = parse_settings(text)
    return OptimizerGroup(kind, settings)


def from_torch(optimizer: Optimizer, model: nn.Module) -> tuple[OptimizerGroup, ...]:
    """Return the groups of a torch.optim optimizer of the model's parameters.

    The class itself counts, not its name or its base: a derived one may step differently.

    Raises:
        UsageError: a class or an option that distc does not have, or a parameter that is not the
            model's.
    """
    kinds = {
        torch.optim.SGD: OptimizerKind.SGD,
        torch.optim.Adam: OptimizerKind.ADAM,
        torch.optim.AdamW: OptimizerKind.ADAMW,
        torch.optim.Adafactor: OptimizerKind.ADAFACTOR,
    }
    made = type(optimizer)
    kind = kinds.get(made)
    if kind is None:
        known = ", ".join(k.__name__ for k in kinds)
        raise UsageError(
            f"optimizer {made.__module__}.{made.__qualname__} is not known",
            help=f"use torch.optim's {known}, or a text such as lion:weight_decay=0.1",
        )
    names = {id(p): n for n, p in model.named_parameters()}
    return tuple(_group(kind, options, names) for options in optimizer.param_groups)


_IGNORED = frozenset(
    ("params", "lr", "foreach", "fused", "capturable", "differentiable", "initial_lr",
     "decoupled_weight_decay", "param_names")
)  # fmt: skip


def _group(
    kind: OptimizerKind, options: Mapping[str, Any], names: Mapping[int, str]
) -> OptimizerGroup:
    if kind is OptimizerKind.ADAM and options.get("decoupled_weight_decay"):
        kind = OptimizerKind.ADAMW  # torch writes AdamW as Adam with this option
    settings = dict(DEFAULTS[kind])
    for key, value in options.items():
        if key in _IGNORED:
            continue
        if key == "betas":
            settings |= {"beta1": float(value[0]), "beta2": float(value[1])}
        elif key == "eps" and kind is OptimizerKind.ADAFACTOR:
            settings |= {"eps1": -1 if value[0] is None else value[0], "eps2": float(value[1])}
        elif key in settings:
            settings[key] = float(value)
        elif value:
            raise UsageError(
                f"option {key}={value!r} of {kind} is not known",
                help="leave it out, or at its default",
            )
    unknown = [p for p in options["params"] if id(p) not in names]
    if unknown:
        raise UsageError(
            f"the optimizer has a parameter {list(unknown[0].shape)} that the model has not",
            help="make the optimizer of model.parameters()",
        )
    members = frozenset(names[id(p)] for p in options["params"])
    return OptimizerGroup(kind, MappingProxyType(settings), members)
