"""Run an annotated program on all ranks and on one, on whole numbers of our own."""

from __future__ import annotations

import torch
from torch import Tensor

from distc.compiler.frontend.sdy import import_shardy
from distc.compiler.frontend.sdy_layout import flat_layout
from distc.dialect.context import make_context
from distc.runtime import sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.transforms.lower import lower
from peer.compare import difference
from peer.executables import PartitionedProgram, plain_text
from peer.programs import parse
from peer.sharded import assembled, poisoned_piece


def check_annotated(text: str, entry: str = "main", seed: int = 0) -> str:
    """Return what differs between all ranks and one, "" where nothing does.

    Inputs and results are exchanged per device in Shardy's layout, padding poisoned.
    """
    program = import_shardy(text, make_context(), entry=entry)
    alone = lower(parse(plain_text(program.module, entry, "main")), "main")
    generator = torch.Generator().manual_seed(seed)
    inputs = [_numbers(tuple(t.shape), BOUNDARY[t.dtype], generator) for t in alone.inputs]
    expected = sim.run_single(alone, inputs)
    size = program.common.mesh.size
    partitioned = PartitionedProgram(text, entry, size)
    order = program.device_ids or tuple(range(size))
    devices: list[list[Tensor]] = [[] for _ in order]
    for rank, device in enumerate(order):
        for x, sharding in zip(inputs, program.arguments[entry], strict=True):
            layout = flat_layout(program.common, sharding, tuple(x.shape))
            devices[device].append(poisoned_piece(x, layout, rank))
    shapes = [tuple(x.shape) for x in expected]
    outputs = partitioned.run(devices, shapes)
    for index, want in enumerate(expected):
        layout = flat_layout(program.common, program.results[entry][index], shapes[index])
        pieces = [outputs[device][index] for device in order]
        wrong = difference(assembled(pieces, layout), want)
        if wrong:
            return f"result {index}: {wrong}"
    return ""


def _numbers(shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> Tensor:
    values = torch.randint(-9, 10, shape, generator=generator)
    if dtype is torch.bool:
        return values > 0
    if dtype.is_complex:
        return torch.complex(values.double(), values.flip(0).double()).to(dtype)
    return (values if dtype.is_signed else values.abs()).to(dtype)
