"""One rank's run: load, make inputs, step, compare, report."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from distc.runtime import sim
from distc.runtime.artifact import EntryPoint, TensorRecord, program_member
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import ExitCode, InputError, MissingFile
from distc.runtime.launch import RunOptions
from distc.runtime.layout import DimLayout, TensorLayout
from distc.runtime.load import RankProgram, SimProgram, load
from distc.runtime.manifest import SOURCE_ENTRY
from distc.runtime.stored import closest
from distc.runtime.weights import WeightStore, read_box

DEFAULT_BOUND = (2, 100)
ABSOLUTE_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Report:
    """What rank 0 tells: a JSON body whose `text` is the lines for people."""

    rank: int
    body: dict[str, object] = field(default_factory=dict)
    exit_code: int = ExitCode.OK


def run_steps(options: RunOptions) -> Report:
    """Load, run `repeat` steps, write outputs, compare; the report is rank 0's.

    Raises:
        DistcError: anything that stops the run.
    """
    program = load(
        options.artifact,
        entry=options.entry,
        backend=options.backend,
        weights=options.weights,
        executor=options.executor,
        peer_timeout=options.peer_timeout,
        join_timeout=options.join_timeout,
    )
    inputs = make_inputs(program.point, options)
    seconds, outputs = _time_steps(program, inputs, options.repeat)
    report = Report(program.rank)
    if program.rank == 0:
        report = _report(program, inputs, outputs, seconds, options)
    program.close()
    return report


def _time_steps(
    program: RankProgram | SimProgram, inputs: Sequence[Tensor], repeat: int
) -> tuple[list[float], list[Tensor]]:
    seconds: list[float] = []
    result: Any = ()
    for _ in range(repeat):
        start = time.perf_counter()
        result = program(*inputs)
        seconds.append(time.perf_counter() - start)
    return seconds, list(result) if isinstance(result, tuple) else [result]


def make_inputs(entry: EntryPoint, options: RunOptions) -> list[Tensor]:
    """Return the global inputs in order: from the file, or random by name and seed.

    Raises:
        MissingFile, InputError: no such file, not safetensors, or a tensor is missing.
    """
    if options.input is None:
        return [random_input(r, options.random or 0) for r in entry.inputs]
    if not Path(options.input).is_file():
        raise MissingFile(
            f"there is no input file {options.input!r}", help="check --input, or use --random 0"
        )
    try:
        given = load_file(options.input)
    except SafetensorError as error:
        raise InputError(
            f"{options.input!r} is not a safetensors file: {error}",
            help="write the inputs with safetensors.torch.save_file",
        ) from None
    for record in entry.inputs:
        if record.name not in given:
            near = closest(record.name, given)
            hint = f"it has {near!r}; " if near else ""
            raise InputError(
                f"input {record.name!r} is not in {options.input!r}, which holds "
                f"{', '.join(sorted(given)[:8]) or 'nothing'}",
                help=f"{hint}name its tensors {', '.join(r.name for r in entry.inputs)}",
            )
    return [given[r.name] for r in entry.inputs]


def random_input(record: TensorRecord, seed: int) -> Tensor:
    """Return the random input of a name: the same whatever else the program takes."""
    digest = hashlib.sha256(f"{seed}:{record.name}".encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "little"))
    dtype = torch_dtype(record.dtype)
    if dtype.is_floating_point or dtype.is_complex:
        wide = torch.complex128 if dtype.is_complex else torch.float64
        return torch.randn(record.shape, generator=generator, dtype=wide).to(dtype)
    low, high = (0, 2) if dtype is torch.bool else record.bound or DEFAULT_BOUND
    return torch.randint(low, high, record.shape, generator=generator).to(dtype)


def _report(
    program: RankProgram | SimProgram,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    seconds: Sequence[float],
    options: RunOptions,
) -> Report:
    manifest = program.artifact.manifest
    read, total = program.weight_bytes.read, program.weight_bytes.total
    per_rank = bytes_per_rank(program.point, manifest.ranks)
    lines = [
        f"{manifest.ranks} rank(s), mesh {manifest.mesh_text}: {min(seconds):.3f} s a step, "
        f"rank 0 read {read} of {total} weight bytes, the largest rank holds {max(per_rank)}"
    ]
    lines += [
        f"{r.name}: {r.dtype}{list(r.shape)}{_summary(x)}"
        for r, x in zip(program.point.outputs, outputs, strict=True)
    ]
    body: dict[str, object] = {
        "mesh": manifest.mesh_text,
        "ranks": manifest.ranks,
        "seconds": list(seconds),
        "weight_bytes": {"read": read, "total": total, "per_rank": per_rank},
        "outputs": {r.name: [r.dtype, *r.shape] for r in program.point.outputs},
    }
    code = ExitCode.OK
    if options.output is not None:
        write_outputs(program.point, outputs, options.output)
        lines.append(f"wrote {options.output}")
    if options.check:
        rows = compare(program, inputs, outputs, options)
        lines += [_comparison_line(row) for row in rows]
        body["check"] = rows
        code = ExitCode.OK if all(row["equal"] for row in rows) else ExitCode.COMPARISON
    body["text"] = lines
    return Report(0, body, code)


def bytes_per_rank(entry: EntryPoint, ranks: int) -> list[int]:
    """Return the true weight bytes that each rank holds, padding not counted."""
    sizes = [(r.layout, torch_dtype(r.dtype).itemsize) for r in entry.weights]
    return [sum(layout.bytes_held(r, size) for layout, size in sizes) for r in range(ranks)]


def _summary(x: Tensor) -> str:
    if x.numel() == 0 or not (x.is_floating_point() or x.dtype is torch.int64):
        return ""
    wide = x.double()
    return f" mean {wide.mean().item():.6g}, max |x| {wide.abs().max().item():.6g}"


def write_outputs(entry: EntryPoint, outputs: Sequence[Tensor], path: str) -> None:
    """Write outputs by name as safetensors, whole or not at all."""
    named = {
        r.name: x.detach().cpu().contiguous().clone()
        for r, x in zip(entry.outputs, outputs, strict=True)
    }
    scratch = Path(f"{path}.part{os.getpid()}")
    scratch.parent.mkdir(parents=True, exist_ok=True)
    try:
        save_file(named, scratch)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def compare(
    program: RankProgram | SimProgram,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    options: RunOptions,
) -> list[dict[str, Any]]:
    """Run the source program on one rank with the whole weights and compare each output.

    Raises:
        InputError: the artifact holds no source program.
    """
    artifact = program.artifact
    if not artifact.has(program_member(SOURCE_ENTRY)) or options.entry != "main":
        raise InputError(
            f"the artifact holds no source program for entry {options.entry!r}",
            help="recompile it with this version, or run without --check",
        )
    source = artifact.program(SOURCE_ENTRY)
    store = WeightStore(artifact, options.weights)
    if program.point.donated:
        raise InputError(
            f"entry point {options.entry!r} changes its state, so its second run gives other "
            "results",
            help="compare an entry point that only computes, or run without --check",
        )
    taken = iter(inputs)
    arguments = [
        (next(taken) if r.kind == "input" else _whole_weight(store, r)).reshape(t.shape)
        for r, t in zip(program.point.arguments, source.inputs, strict=True)
    ]
    expected = sim.run_single(source, arguments)
    return [
        difference(record.name, got.cpu(), want.reshape(record.shape), options.tolerance)
        for record, got, want in zip(program.point.results, outputs, expected, strict=True)
    ]


def _whole_weight(store: WeightStore, record: TensorRecord) -> Tensor:
    layout = TensorLayout(record.shape, tuple(DimLayout(n) for n in record.shape))
    whole = TensorRecord(record.name, record.kind, record.dtype, layout)
    return read_box(store.find(whole), whole, 0)


def difference(name: str, got: Tensor, want: Tensor, tolerance: float) -> dict[str, Any]:
    """Return max |a-b|, that over max |b|, and whether it is within the tolerance."""
    if got.numel() == 0:
        return {"name": name, "absolute": 0.0, "relative": 0.0, "equal": got.shape == want.shape}
    wide = torch.complex128 if got.is_complex() else torch.float64
    a, b = got.to(wide), want.to(wide)
    same = (a == b) | (a.isnan() & b.isnan())
    gap = torch.where(same, torch.zeros((), dtype=wide), a - b).abs()
    finite = b.abs()[b.isfinite()]
    scale = finite.max().item() if finite.numel() else 0.0
    worst = float("inf") if bool(gap.isnan().any()) else gap.max().item()
    limit = tolerance * scale + ABSOLUTE_TOLERANCE
    return {
        "name": name,
        "absolute": worst,
        "relative": worst / scale if scale else worst,
        "equal": worst <= limit,
    }


def _comparison_line(row: Mapping[str, Any]) -> str:
    verdict = "equal" if row["equal"] else "DIFFERENT"
    return (
        f"check {row['name']}: {verdict}, max |a-b| {row['absolute']:.3g}, "
        f"relative {row['relative']:.3g}"
    )
