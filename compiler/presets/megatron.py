"""Tensor parallelism after Megatron-LM: what one linear layer makes, the next contracts.

Columns are cut on the dimension they make, rows on the one they contract; one sum over the tensor
axis follows each row. Attention is cut in whole key/value groups, a fused q/k/v weight under a
view, tables and heads by vocabulary, convolutions by channels. The batch goes over the other axes.

Ref: Shoeybi et al., Megatron-LM (2019), section 3; Korthikanti et al. (2022) for the sequence.
"""

from __future__ import annotations

from distc.compiler.constraint_file import Constraints, Pin
from distc.compiler.presets.pins import batch_pins, cut_pin, folded
from distc.compiler.roles import Cut, Embedding, Roles
from distc.dialect.mesh import Mesh
from distc.runtime.errors import UsageError

TENSOR_AXES = ("tensor", "tp", "model", "gpu")


def tensor_axis(mesh: Mesh) -> str:
    """Return the axis called tensor, tp, model or gpu, else the last one."""
    names = [a.name for a in mesh.axes]
    return next((n for n in TENSOR_AXES if n in names), names[-1])


def megatron(roles: Roles, mesh: Mesh, name: str = "megatron") -> Constraints:
    """Cut pairs, heads and vocabularies over the tensor axis, the batch over the other axes.

    Raises:
        UsageError: the program has no pair, head or vocabulary to cut.
    """
    axis, source = tensor_axis(mesh), f"preset {name}"
    cuts: dict[str, Cut] = {c.argument: c for p in roles.pairs for c in p.cuts}
    for head in roles.heads:
        cuts |= {c.argument: c for c in head.cuts}
    for table in roles.embeddings:
        if table.argument not in cuts and _is_vocabulary(table, roles):
            cuts[table.argument] = Cut(table.argument, 0, table.rows, 1, table.rows)
    pins: list[Pin] = [
        cut_pin(cuts[argument], roles.shapes[argument], (axis,), source)
        for argument in roles.state
        if argument in cuts
    ]
    if not pins:
        raise UsageError(
            f"preset {name} finds nothing to shard: no linear layer or convolution feeds another "
            "one, and there is no vocabulary",
            help="use --preset data-parallel or fsdp, or pin parameters with --constraints",
        )
    others = tuple(a.name for a in mesh.axes if a.name != axis)
    return Constraints((*folded(pins, roles.state), *batch_pins(roles, others, source)))


def megatron_sp(roles: Roles, mesh: Mesh) -> Constraints:
    """As `megatron`, and what lies between blocks is cut along the sequence over the same axis.

    Raises:
        UsageError: the program has no pair, head or vocabulary to cut.
    """
    return megatron(roles, mesh, "megatron-sp") + Constraints(sequence=tensor_axis(mesh))


def _is_vocabulary(table: Embedding, roles: Roles) -> bool:
    """True for a table read at tokens or tied to the head; positions and types stay whole."""
    rows, width = roles.shapes[table.argument]
    return table.is_head or (table.by_input and rows >= width)
