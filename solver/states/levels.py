"""Where a step keeps parameters, gradients and optimizer state: N, I or G for each of them.

    level   parameter, optimizer state        gradient between micro-batches
    N       [R, …]                            [R, …] P(sum: inter,intra)
    I       [S(intra), …]                     [S(intra), …] P(sum: inter)
    G       [S(intra,inter), …]               [S(intra,inter), …]

A point `PGO` names the levels of parameter, gradient, optimizer state, as in PaRO (arXiv
2310.06003, section 3). Optimizer state must be cut at least as fine as the other two: a rank
updates only what it has a finished gradient for, and publishes to coarser parameters. 14 points
remain. Intra comes first, so a rank's G shard is a slice of its I shard: I ↔ G copies nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from distc.runtime.errors import UsageError


class Level(StrEnum):
    """How far one kind of state is cut: not, within a group, over all ranks."""

    NONE = "N"
    INTRA = "I"
    GLOBAL = "G"

    @property
    def depth(self) -> int:
        """0, 1, 2 from coarse to fine."""
        return "NIG".index(self.value)


@dataclass(frozen=True, slots=True)
class StateLevels:
    """One point of the space."""

    parameter: Level
    gradient: Level
    optimizer: Level

    @property
    def is_legal(self) -> bool:
        """True when optimizer state is at least as fine as parameters and gradients."""
        return self.optimizer.depth >= max(self.parameter.depth, self.gradient.depth)

    def __str__(self) -> str:
        return f"{self.parameter}{self.gradient}{self.optimizer}"


POINTS: tuple[StateLevels, ...] = tuple(
    point for p in Level for g in Level for o in Level if (point := StateLevels(p, g, o)).is_legal
)
"""All legal points, coarse parameters first."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "ddp": "NNN",
        "zero1": "NNG",
        "zero2": "NGG",
        "zero3": "GGG",
        "mics": "III",
        "hsdp": "III",
        "hsdp-zero2": "NII",
    }
)
"""Names other systems give to points."""

NAMES: tuple[str, ...] = (*ALIASES, *(str(p) for p in POINTS))


def parse_levels(name: str) -> StateLevels:
    """Return the point called `name`: a code such as NIG, or an alias such as zero1.

    Raises:
        UsageError: no such point, or one that is not legal.
    """
    code = ALIASES.get(name.lower(), name.upper())
    if len(code) != 3 or set(code) - set("NIG"):
        raise UsageError(f"unknown state preset {name!r}", help=f"use one of {', '.join(NAMES)}")
    levels = StateLevels(*(Level(c) for c in code))
    if not levels.is_legal:
        raise UsageError(
            f"{code} cuts optimizer state ({levels.optimizer}) less than parameters "
            f"({levels.parameter}) or gradients ({levels.gradient})",
            help=f"use one of {', '.join(str(p) for p in POINTS)}",
        )
    return levels
