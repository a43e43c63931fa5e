"""Loss scaling: gradients of a scaled loss, updates that are skipped where one is not finite.

    S                      the scale, a number or the state `runtime.kept.LOSS_SCALE`
    g = ∂(S · loss) / S    so that small gradients survive a narrow type
    finite                 all elements of all gradients, over all ranks: one number, the same on
                           every rank, since it is a finished reduction of the program
    step taken             parameters, their state and the count of steps change only where finite

Dynamic, as torch.amp.GradScaler: after `interval` finite steps in a row S = growth · S, unless
that is infinite; after a step that was skipped S = backoff · S. -> implemented in `next_scale`
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.sharding import Reduction
from distc.runtime.errors import UsageError


@dataclass(frozen=True, slots=True)
class LossScale:
    """How the loss is scaled.

    Attributes:
        initial: the first scale, and the only one unless `dynamic`.
        dynamic: whether it grows and backs off.
        growth, backoff: its factors then.
        interval: finite steps until it grows.
    """

    initial: float
    dynamic: bool = False
    growth: float = 2.0
    backoff: float = 0.5
    interval: int = 2000

    def __post_init__(self) -> None:
        if not (math.isfinite(self.initial) and self.initial > 0):
            raise UsageError(
                f"the loss scale is {self.initial}, a positive number is needed",
                help="write 1024, or dynamic",
            )
        if not (self.growth >= 1 and 0 < self.backoff <= 1 and self.interval >= 1):
            raise UsageError(
                f"a loss scale cannot have growth {self.growth}, backoff {self.backoff}, "
                f"interval {self.interval}",
                help="growth is at least 1, backoff in (0, 1], interval at least 1",
            )


def parse_loss_scale(text: str) -> LossScale:
    """Return what `1024`, `dynamic` or `dynamic:initial=4096,interval=100` says.

    Raises:
        UsageError: neither a number nor `dynamic`, or an unknown setting.
    """
    name, _, rest = text.partition(":")
    if name != "dynamic":
        return LossScale(_number(text, "the loss scale"))
    settings = {"initial": 65536.0, "growth": 2.0, "backoff": 0.5, "interval": 2000.0}
    for part in (p.strip() for p in rest.split(",") if p.strip()):
        key, _, value = part.partition("=")
        if key not in settings:
            raise UsageError(
                f"a dynamic loss scale has no setting {key!r}", help=f"it has {', '.join(settings)}"
            )
        settings[key] = _number(value, f"{key} of the loss scale")
    interval = settings["interval"]
    if interval != int(interval):
        raise UsageError(f"interval is {interval}, a whole number is needed", help="write 2000")
    return LossScale(
        settings["initial"], True, settings["growth"], settings["backoff"], int(interval)
    )


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{what} is {text!r}, a number is needed", help="write 1024, or dynamic")
    return value


def unscaled(gradient: ir.Value, scale: ir.Value) -> ir.Value:
    """`gradient / scale`, by the reciprocal in f32 or wider, as torch.amp.GradScaler takes it.

    Args:
        gradient: any shape, f32 or f64.
        scale: f32 scalar.
    """
    element, shape = stablehlo.element_type(gradient), stablehlo.shape(gradient)
    double = ir.F64Type.get(scale.context)
    one = build.splat(1, (), double)
    inverse = build.binary("divide", one, build.convert(scale, double))
    inverse = build.convert(build.convert(inverse, stablehlo.element_type(scale)), element)
    spread = build.broadcast_in_dim(inverse, shape, ()) if shape else inverse
    return build.binary("multiply", gradient, spread)


def all_finite(gradients: Iterable[ir.Value]) -> ir.Value:
    """An i1 scalar: whether every element of every gradient is finite.

    The least of 0 and 1 over all elements: one reduction, whose parts on ranks are joined last.
    """
    total: ir.Value | None = None
    for gradient in gradients:
        integer = ir.IntegerType.get_signless(32, gradient.context)
        truth = ir.IntegerType.get_signless(1, gradient.context)
        shape = stablehlo.shape(gradient)
        is_finite = build.create("is_finite", [gradient], [build.tensor_type(shape, truth)]).result
        found = build.convert(is_finite, integer)
        least = build.reduce(found, range(len(shape)), Reduction.MIN)
        total = least if total is None else build.binary("minimum", total, least)
    assert total is not None
    return build.compare(total, build.splat(1, (), stablehlo.element_type(total)), "EQ")


def next_scale(
    options: LossScale, scale: ir.Value, good: ir.Value, finite: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """The scale and the count of finite steps after a step, GradScaler's.

    Args:
        options: factors and interval.
        scale, good: f32 and i64 scalars.
        finite: i1 scalar.
    """
    real, integer = stablehlo.element_type(scale), stablehlo.element_type(good)
    more = build.binary("add", good, build.splat(1, (), integer))
    due = build.compare(more, build.splat(options.interval, (), integer), "EQ")
    grown = build.binary("multiply", scale, build.splat(options.growth, (), real))
    truth = ir.IntegerType.get_signless(1, scale.context)
    holds = build.create("is_finite", [grown], [build.tensor_type((), truth)]).result
    grown = build.select(holds, grown, scale)
    less = build.binary("multiply", scale, build.splat(options.backoff, (), real))
    zero = build.splat(0, (), integer)
    after = build.select(finite, build.select(due, grown, scale), less)
    return after, build.select(finite, build.select(due, zero, more), zero)
