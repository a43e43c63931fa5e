"""The table of states for one training job: from options to rows, and rows as JSON.

Nothing here needs torch; where a model says how many parameters there are, the caller counts them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from distc.compiler.frontend.optimizer_names import moments, parse_settings
from distc.dialect.mesh import Mesh
from distc.runtime.errors import Infeasible, UsageError
from distc.solver.hardware import Hardware
from distc.solver.states.job import Job, micro_step_flops, micro_step_seconds
from distc.solver.states.levels import ALIASES
from distc.solver.states.links import Algorithm, HardwareLinks
from distc.solver.states.table import StateRow, check_group, group_sizes, state_table

GIB = 2**30
_MASTER_BYTES = 4
_VALUE_BYTES = MappingProxyType({"bf16": 2, "f16": 2, "f32": 4})
COMPUTE_TYPES = tuple(_VALUE_BYTES)


@dataclass(frozen=True, slots=True)
class StatesRequest:
    """What a table of states is asked for.

    Attributes:
        parameters, trainable: of the model.
        ranks: n.
        groups: sizes of groups, () for all that tile ranks and nodes.
        hardware: the machine.
        optimizer: as for --train.
        microbatches: s.
        limit_bytes: memory of a rank.
        activation_bytes: of a rank, the same under every state.
        tokens: of a micro-batch on one rank; None where communication alone is looked at.
        is_checkpointed: whether the backward pass runs the forward again.
        compute_type: what forward and backward compute in and send.
        algorithm: of collectives over all ranks.
        overlap: share of the shorter of computation and communication that is hidden.
    """

    parameters: int
    trainable: int
    ranks: int
    hardware: Hardware
    limit_bytes: int
    groups: tuple[int, ...] = ()
    optimizer: str = "adamw"
    microbatches: int = 1
    activation_bytes: int = 0
    tokens: int | None = None
    is_checkpointed: bool = False
    compute_type: str = "bf16"
    algorithm: Algorithm = Algorithm.FLAT
    overlap: float = 0.0

    @property
    def optimizer_bytes(self) -> int:
        """K: moments in f32, and a master copy where computation is narrower."""
        slots = moments(*parse_settings(self.optimizer))
        return 4 * slots + (_MASTER_BYTES if _VALUE_BYTES[self.compute_type] < 4 else 0)

    @property
    def job(self) -> Job:
        """What the solver is asked."""
        return Job(
            self.parameters,
            self.trainable,
            self.ranks,
            self.microbatches,
            _VALUE_BYTES[self.compute_type],
            self.optimizer_bytes,
            self._compute_seconds(),
            self.activation_bytes,
        )

    def _compute_seconds(self) -> float:
        if self.tokens is None:
            return 0.0
        flops = micro_step_flops(self.parameters, self.trainable, self.tokens, self.is_checkpointed)
        return micro_step_seconds(flops, self.hardware, self.compute_type)

    def rows(self) -> tuple[StateRow, ...]:
        """Return the table.

        Raises:
            UsageError: a group size that cannot be.
        """
        node = self.hardware.devices_per_node
        for group in self.groups:
            check_group(group, self.ranks, node)
        whole_node = node if self.ranks % node == 0 else self.ranks
        return state_table(
            self.job,
            self.groups or group_sizes(self.ranks, node),
            lambda group: HardwareLinks(self.hardware, self.ranks, group, self.algorithm),
            limit_bytes=self.limit_bytes,
            overlap=self.overlap,
            default_group=whole_node,
        )


def ranks_and_groups(
    mesh: str | None, devices: int | None, groups: tuple[int, ...]
) -> tuple[int, tuple[int, ...]]:
    """Return the ranks and group sizes that `--mesh`, or `--devices` and `--group`, ask for.

    Raises:
        UsageError: both or none of them, or a mesh of more than two axes.
        ConfigError: not a mesh.
    """
    if (mesh is None) == (devices is None):
        raise UsageError(
            "the ranks are given " + ("twice" if mesh is not None else "nowhere"),
            help="write --mesh inter=4,intra=8, or --devices 32 with or without --group 8",
        )
    if mesh is None:
        assert devices is not None
        return Mesh.of(data=devices).size, tuple(sorted(set(groups)))
    if groups:
        raise UsageError(
            "--group and --mesh both say how large a group is",
            help="the mesh's last axis is the group; or write --devices and --group",
        )
    axes = Mesh.parse(mesh).axes
    if len(axes) > 2:
        raise UsageError(
            f"the mesh {mesh} has {len(axes)} axes, state lies on two",
            help="write groups and ranks of a group: --mesh inter=4,intra=8",
        )
    return math.prod(a.size for a in axes), (axes[1].size,) if len(axes) == 2 else ()


def require_a_fit(rows: tuple[StateRow, ...]) -> None:
    """Refuse a table in which nothing fits.

    Raises:
        Infeasible: with the least that any state needs.
    """
    if any(row.is_feasible for row in rows):
        return
    least = min(rows, key=lambda row: row.memory.total)
    raise Infeasible(
        f"no state fits: {least.levels} needs least, {gib(least.memory.total)}, the limit is "
        f"{gib(least.limit_bytes)}",
        help="use more ranks, train fewer parameters, or raise --memory",
    )


def called(row: StateRow) -> str:
    """What other systems call a point."""
    return ", ".join(name for name, code in ALIASES.items() if code == str(row.levels))


def gib(bytes_: int) -> str:
    """Return bytes as `28.5 GiB`."""
    return f"{bytes_ / GIB:.1f} GiB"


def reason(row: StateRow) -> str:
    """Why a state cannot be used; empty where it can."""
    if row.is_feasible:
        return ""
    return f"needs {gib(row.memory.total)}, limit {gib(row.limit_bytes)}"


def as_json(request: StatesRequest, rows: tuple[StateRow, ...]) -> dict[str, Any]:
    """Return the table and what it was made for, as JSON values; bytes and seconds."""
    return {
        "parameters": request.parameters,
        "trainable": request.trainable,
        "ranks": request.ranks,
        "hardware": request.hardware.name,
        "optimizer": request.optimizer,
        "optimizer_bytes_per_parameter": request.optimizer_bytes,
        "microbatches": request.microbatches,
        "memory_limit": request.limit_bytes,
        "algorithm": str(request.algorithm),
        "overlap": request.overlap,
        "tokens": request.tokens,
        "states": [_row_json(row, rank) for rank, row in enumerate(rows, 1)],
    }


def _row_json(row: StateRow, rank: int) -> dict[str, Any]:
    memory, moved, seconds = row.memory, row.communication, row.seconds
    return {
        "rank": rank if row.is_feasible else None,
        "state": str(row.levels),
        "called": called(row),
        "group": row.group,
        "feasible": row.is_feasible,
        "reason": reason(row),
        "memory": {
            "parameter": memory.parameter,
            "gradient": memory.gradient,
            "optimizer": memory.optimizer,
            "activations": memory.activations,
            "total": memory.total,
        },
        "seconds": {
            "parameter": moved.parameter,
            "gradient": moved.gradient,
            "sync_gradient": moved.sync_gradient,
            "sync_parameter": moved.sync_parameter,
            "communication": moved.total,
            "computation": row.compute_seconds,
            "max": row.max_seconds,
            "sum": row.sum_seconds,
            "step": seconds,
        },
        "indicator": 1 / seconds if seconds else None,
        "log_indicator": -math.log10(seconds) if seconds else None,
    }
