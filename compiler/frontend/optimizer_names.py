"""Optimizers by name: their settings, and how much they keep. Needs no torch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from distc.runtime.errors import UsageError


class OptimizerKind(StrEnum):
    """The optimizers there are."""

    SGD = "sgd"
    ADAM = "adam"
    ADAMW = "adamw"
    LION = "lion"
    ADAFACTOR = "adafactor"


DEFAULTS: Mapping[OptimizerKind, Mapping[str, float]] = MappingProxyType(
    {
        OptimizerKind.SGD: {"momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": 0},
        OptimizerKind.ADAM: {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0},
        OptimizerKind.ADAMW: {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.01},
        OptimizerKind.LION: {"beta1": 0.9, "beta2": 0.99, "weight_decay": 0},
        OptimizerKind.ADAFACTOR: {
            "beta2_decay": -0.8, "eps1": -1, "eps2": 1e-3, "d": 1, "weight_decay": 0,
        },
    }
)  # fmt: skip
"""Settings and their values, those of torch.optim; the learning rate is an input of the program.

Adafactor's eps1 is the epsilon of the parameter's type where it is negative, torch's None.
"""


def parse_settings(text: str) -> tuple[OptimizerKind, Mapping[str, float]]:
    """Return the kind and all settings that `adamw` or `sgd:momentum=0.9,weight_decay=1e-4` names.

    Raises:
        UsageError: an unknown optimizer or setting, or a value that is no number.
    """
    name, _, rest = text.partition(":")
    kinds = {str(k): k for k in OptimizerKind}
    if name not in kinds:
        raise UsageError(f"unknown optimizer {name!r}", help=f"use one of {', '.join(kinds)}")
    settings = dict(DEFAULTS[kinds[name]])
    for part in (p for p in rest.split(",") if p.strip()):
        key, equals, value = part.strip().partition("=")
        if key not in settings:
            raise UsageError(
                f"{name} has no setting {key!r}",
                help=f"it has {', '.join(settings)}; the learning rate is an input of the run",
            )
        try:
            settings[key] = float(value) if equals else 1.0
        except ValueError:
            raise UsageError(
                f"{key} of {name} is {value!r}, a number is needed", help=f"write {key}=0.1"
            ) from None
    if not all(map(math.isfinite, settings.values())):
        raise UsageError(f"a setting of {text!r} is not finite", help="write a finite number")
    return kinds[name], MappingProxyType(settings)


def moments(kind: OptimizerKind, settings: Mapping[str, float]) -> int:
    """Return how many values an elementwise optimizer keeps of each parameter.

    Raises:
        UsageError: Adafactor, which keeps rows and columns of a matrix, not so many per parameter.
    """
    match kind:
        case OptimizerKind.SGD:
            return int(settings["momentum"] != 0)
        case OptimizerKind.LION:
            return 1
        case OptimizerKind.ADAM | OptimizerKind.ADAMW:
            return 2
        case OptimizerKind.ADAFACTOR:
            raise UsageError(
                "what adafactor keeps depends on the shape of each weight, not on their number",
                help="name an elementwise optimizer: adamw, adam, lion, sgd:momentum=0.9",
            )
