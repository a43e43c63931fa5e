"""Import from plain PyTorch: each rank takes its slices; files are mapped, pickles only as data."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from distc.runtime import shards
from distc.runtime.artifact import TensorRecord
from distc.runtime.checkpoint.held import Held, together
from distc.runtime.checkpoint.plain import MODEL_KINDS, PICKLED
from distc.runtime.dtypes import dtype_name, torch_dtype
from distc.runtime.errors import InputError, MissingFile
from distc.runtime.kept import MASTER, TAKEN_STEPS
from distc.runtime.stored import closest
from distc.runtime.weights import WeightStore, read_box

_LISTED = 10
Piece = Callable[[TensorRecord, int], Tensor]
"""Cuts the padded piece of a rank, in the dtype of what is read."""


def import_weights(held: Held, path: str | Path) -> None:
    """Replace parameters and buffers by those of a state dict; every rank calls this.

    State that starts as a copy of its parameter (master weights) becomes one again.

    Args:
        held: the program.
        path: `.safetensors`, a Hugging Face folder, or `.pt` as `torch.save` wrote it.

    Raises:
        MissingFile: there is nothing.
        InputError: not a state dict, or tensors are missing or of another shape or dtype. The
            state is as before then.
    """
    records = {n: r for n, r in held.store.records.items() if r.kind in MODEL_KINDS}
    copies = [r for r in held.store.records.values() if r.initial == "parameter"]
    where = Path(path)

    def open_source() -> dict[str, Piece]:
        if where.suffix in PICKLED:
            return _from_pickle(held, records, where)
        store = WeightStore(held.artifact, where)
        places = {n: store.find(r, given_only=True) for n, r in records.items()}
        return {n: lambda r, rank, n=n: read_box(places[n], r, rank) for n in records}  # type: ignore[misc]

    pieces = together(held, open_source)
    with held.store.writing(f"importing {str(where)!r}"):
        own = [(r, pieces[n], r.file_dtype) for n, r in records.items()]
        together(held, lambda: _fill(held, own))
        derived = [(r, pieces[r.parameter], records[r.parameter].file_dtype) for r in copies]
        together(held, lambda: _fill(held, derived))


def import_optimizer(held: Held, path: str | Path, parameters: Sequence[str] | None = None) -> int:
    """Replace optimizer state by that of a `torch.optim` state dict; every rank calls this.

    Args:
        held: the program.
        path: what `torch.save(optimizer.state_dict(), path)` wrote.
        parameters: names in the order of torch's numbers, where the file holds no `param_names`;
            default the program's parameters that have state, in its order.

    Returns:
        The number of steps that the optimizer has taken.

    Raises:
        MissingFile: there is nothing.
        InputError: not an optimizer's state dict, or state is missing or of another shape.
    """
    where = Path(path)
    kept = [r for r in held.store.records.values() if r.kind == "optimizer"]
    owned = [r for r in kept if r.slot != MASTER]
    order = list(parameters or dict.fromkeys(r.parameter for r in owned))
    state, steps = together(held, lambda: _optimizer(where, order))
    found: dict[str, Tensor] = {
        r.name: state[r.parameter][r.slot] for r in owned if r.slot in state.get(r.parameter, {})
    }
    needed = [r for r in owned if r.name in found or r.initial != "parameter"]
    together(held, lambda: _check({r.name: r for r in needed}, found, where))
    rows = [(r, _cutter(found[r.name]), r.dtype) for r in needed]
    with held.store.writing(f"importing {str(where)!r}"):
        together(held, lambda: _fill(held, rows))
        for rank in held.store.ranks:
            if TAKEN_STEPS in held.store.records:
                held.store.tensors[rank][TAKEN_STEPS].fill_(steps)
    return steps


@torch.no_grad()
def _fill(held: Held, rows: Sequence[tuple[TensorRecord, Piece, str]]) -> None:
    for rank in held.store.ranks:
        for record, piece, dtype in rows:
            read = piece(replace(record, dtype=dtype, stored=""), rank)
            held.store.tensors[rank][record.name].copy_(read)


def _cutter(tensor: Tensor) -> Piece:
    return lambda record, rank: shards.local_piece(tensor.contiguous(), record.layout, rank)


def read_pickle(path: Path) -> Any:
    """Return what `torch.save` wrote, its tensors mapped; only plain data is accepted.

    Raises:
        MissingFile: there is no such file.
        InputError: it holds more than tensors and plain values, or is damaged.
    """
    if not path.is_file():
        raise MissingFile(f"there is no file {str(path)!r}", help="check the path")
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except (pickle.UnpicklingError, RuntimeError, ValueError, EOFError) as error:
        text = str(error).strip().splitlines()
        raise InputError(
            f"{path.name} is no state dict of plain tensors: {text[0] if text else 'damaged'}",
            where=str(path),
            help="save it with torch.save(model.state_dict(), path)",
        ) from None


def _from_pickle(held: Held, records: Mapping[str, TensorRecord], where: Path) -> dict[str, Piece]:
    body = read_pickle(where)
    for key in ("state_dict", "model"):
        if isinstance(body, dict) and isinstance(body.get(key), dict):
            body = body[key]
    if not isinstance(body, dict):
        raise InputError(
            f"{where.name} holds a {type(body).__name__}",
            where=str(where),
            help="save it with torch.save(model.state_dict(), path)",
        )
    tensors = {str(k): v for k, v in body.items() if isinstance(v, Tensor)}
    aliases = held.artifact.manifest.weights.aliases
    found: dict[str, Tensor] = {}
    for name in records:
        others = sorted(alias for alias, target in aliases.items() if target == name)
        known = next((n for n in (name, *others) if n in tensors), None)
        if known is not None:
            found[name] = tensors[known]
    _check(records, found, where, tensors)
    return {name: _cutter(tensor) for name, tensor in found.items()}


def _check(
    records: Mapping[str, TensorRecord],
    found: Mapping[str, Tensor],
    where: Path,
    near: Mapping[str, Tensor] | None = None,
) -> None:
    wrong: list[str] = []
    for name, record in records.items():
        tensor = found.get(name)
        if tensor is None:
            other = closest(name, near or {})
            wrong.append(f"{name} is not there" + (f" (the nearest is {other})" if other else ""))
        elif tensor.dtype != torch_dtype(record.file_dtype) or tuple(tensor.shape) != record.shape:
            wrong.append(
                f"{name} is {dtype_name(tensor.dtype)}{list(tensor.shape)} in the file, "
                f"{record.file_dtype}{list(record.shape)} in the program"
            )
    if wrong:
        raise InputError(
            "; ".join(wrong[:_LISTED]) + ("; …" if len(wrong) > _LISTED else ""),
            where=str(where),
            help="give the state of the model that was compiled",
            code="E-CHECKPOINT-TENSOR",
        )


def _optimizer(where: Path, order: Sequence[str]) -> tuple[dict[str, dict[str, Tensor]], int]:
    """Return parameter → slot → tensor, and the steps taken."""
    body = read_pickle(where)
    groups = body.get("param_groups") if isinstance(body, dict) else None
    if not isinstance(groups, list) or not isinstance(body.get("state"), dict):
        raise InputError(
            f"{where.name} is no optimizer's state dict",
            where=str(where),
            help="save it with torch.save(optimizer.state_dict(), path)",
        )
    numbers = [n for g in groups for n in g["params"]]
    named = [n for g in groups for n in g.get("param_names", ())]
    names = named if len(named) == len(numbers) else list(order)
    if len(names) != len(numbers):
        raise InputError(
            f"{where.name} numbers {len(numbers)} parameters, the program trains {len(names)}",
            where=str(where),
            help="name the parameters in the order the optimizer was given them",
        )
    state: dict[str, dict[str, Tensor]] = {}
    steps = 0
    for number, name in zip(numbers, names, strict=True):
        slots = body["state"].get(number, {})
        state[name] = {k: v for k, v in slots.items() if isinstance(v, Tensor)}
        steps = max(steps, int(slots.get("step", 0)))
    return state, steps
