"""Export to what plain PyTorch and Hugging Face read: one tensor at a time, nothing held whole."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from distc.runtime.checkpoint.sources import Source, WithMasters, names_of, taken_steps
from distc.runtime.checkpoint.stream import SafetensorsWriter
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import DistcError, MissingFile, UsageError
from distc.runtime.kept import MASTER
from distc.runtime.stored import INDEX_FILE, SINGLE_FILE, read_header
from distc.runtime.weights import mapped_row

MODEL_KINDS = ("parameter", "buffer")
PICKLED = (".pt", ".pth", ".bin")
SHARD_BYTES = 5_000_000_000
_METADATA = {"format": "pt"}
# What a model's folder holds besides its weights.
_COMPANIONS = (".json", ".txt", ".model", ".jinja", ".md", ".py")


def export_weights(
    source: Source,
    out: str | Path,
    *,
    config: str | Path | None = None,
    shard_bytes: int = SHARD_BYTES,
) -> None:
    """Write parameters and buffers as a state dict; every rank calls this, one writes.

    Of a parameter with a master weight that one is written.

    Args:
        source: where the tensors come from.
        out: `.safetensors`, `.pt` (what `torch.save` writes), or a folder as Hugging Face has it.
        config: a model folder whose configuration and tokenizer the new folder gets.
        shard_bytes: size at which a folder's weights are split into several files.

    Raises:
        MissingFile: there is no folder `config`.
        UsageError: `out` is a file where a folder is meant, or ends in something else.
    """
    where, source = Path(out), WithMasters(source)
    names = names_of(source, MODEL_KINDS)
    if where.suffix == ".safetensors":
        _write(source, names, where)
    elif where.suffix in PICKLED:
        with _mapped(source, names, where) as tensors:
            for alias, name in source.aliases.items():
                if name in tensors:
                    tensors[alias] = tensors[name]
            _pickle(source, tensors, where)
    elif where.suffix or where.is_file():
        raise UsageError(
            f"{str(where)!r} is neither a folder nor .safetensors nor .pt", help="name one of them"
        )
    else:
        _write_folder(source, names, where, None if config is None else Path(config), shard_bytes)


def export_optimizer(
    source: Source, out: str | Path, parameters: Sequence[str] | None = None
) -> None:
    """Write the optimizer's state as `torch.save(optimizer.state_dict(), out)` does.

    Master weights are no part of it: `export_weights` writes them.

    Args:
        source: where the tensors come from.
        out: the file, `.pt`.
        parameters: names in the order in which torch numbers them; default those of the program
            that have state, in its order. They are kept as `param_names` too.

    Raises:
        UsageError: a parameter of `parameters` is not there.
    """
    names = names_of(source, ("optimizer",))
    owned = {n: source.tensors[n] for n in names if source.tensors[n].slot != MASTER}
    step = float(taken_steps(source))
    order = list(parameters or dict.fromkeys(t.parameter for t in owned.values()))
    lost = [n for n in order if n not in source.tensors]
    if lost:
        raise UsageError(f"there is no parameter {lost[0]!r}", help="name the model's parameters")
    with _mapped(source, list(owned), Path(out)) as tensors:
        state: dict[int, dict[str, Tensor]] = {}
        for index, name in enumerate(order):
            slots = {t.slot: tensors.get(n) for n, t in owned.items() if t.parameter == name}
            if slots:
                state[index] = {"step": torch.tensor(step), **slots}  # type: ignore[dict-item]
        group = {"params": list(range(len(order))), "param_names": order}
        _pickle(source, {"state": state, "param_groups": [group]}, Path(out))


def _write(source: Source, names: Sequence[str], where: Path) -> None:
    """Write one safetensors file, whole or not at all."""
    scratch = where.with_name(f".{where.name}.part")
    writer: SafetensorsWriter | None = None
    problem: Exception | None = None
    try:
        if source.writes:
            where.parent.mkdir(parents=True, exist_ok=True)
            scratch.unlink(missing_ok=True)
            shapes = {n: (source.tensors[n].dtype, source.tensors[n].shape) for n in names}
            writer = SafetensorsWriter(scratch, shapes, _METADATA)
    except (OSError, DistcError) as error:
        problem = error
    for name in names:
        tensor = source.whole(name)  # on all ranks: none may leave this loop
        try:
            if writer is not None and problem is None:
                writer.add(name, tensor)
        except (OSError, DistcError) as error:
            problem = error
    try:
        if writer is not None and problem is None:
            writer.close()
            scratch.replace(where)
    except OSError as error:
        problem = error
    if writer is not None:
        writer.abandon()
        scratch.unlink(missing_ok=True)
    source.agree(problem)


@contextlib.contextmanager
def _mapped(source: Source, names: Sequence[str], out: Path) -> Iterator[dict[str, Tensor]]:
    """Yield whole tensors by name that lie in a mapped scratch file, not in memory."""
    scratch = out.with_name(f".{out.name}.safetensors")
    _write(source, names, scratch)
    if not source.writes:
        yield {}
        return
    try:
        places = read_header(scratch)
        yield {
            n: (
                mapped_row(places[n], torch_dtype(places[n].dtype))
                if places[n].bytes_
                else torch.zeros(0, dtype=torch_dtype(places[n].dtype))
            ).view(places[n].shape)
            for n in names
        }
    finally:
        scratch.unlink(missing_ok=True)


def _pickle(source: Source, body: Any, where: Path) -> None:
    part = where.with_name(f".{where.name}.part")
    problem: Exception | None = None
    try:
        if source.writes:
            torch.save(body, part)
            part.replace(where)
    except (OSError, RuntimeError) as error:
        problem = error if isinstance(error, OSError) else OSError(0, str(error), str(where))
        part.unlink(missing_ok=True)
    source.agree(problem)


def _write_folder(
    source: Source, names: Sequence[str], folder: Path, config: Path | None, shard_bytes: int
) -> None:
    if config is not None and not config.is_dir():
        raise MissingFile(
            f"there is no model folder {str(config)!r}", help="name a folder with config.json"
        )
    shards = _shards(source, names, shard_bytes)
    files = [SINGLE_FILE]
    if len(shards) > 1:
        files = [f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors" for i in range(len(shards))]
    for file, held in zip(files, shards, strict=True):
        _write(source, held, folder / file)
    if not source.writes:
        return
    if len(shards) > 1:
        total = sum(_bytes(source, n) for n in names)
        weight_map = {n: file for file, held in zip(files, shards, strict=True) for n in held}
        body = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
        (folder / INDEX_FILE).write_text(json.dumps(body, indent=2) + "\n", "utf-8")
    for found in sorted(config.iterdir()) if config is not None else ():
        of_weights = found.name.endswith(".index.json")
        if found.is_file() and found.suffix in _COMPANIONS and not of_weights:
            shutil.copyfile(found, folder / found.name)


def _bytes(source: Source, name: str) -> int:
    tensor = source.tensors[name]
    elements = 1
    for size in tensor.shape:
        elements *= size
    return elements * torch_dtype(tensor.dtype).itemsize


def _shards(source: Source, names: Sequence[str], shard_bytes: int) -> list[list[str]]:
    """Split names into files of at most `shard_bytes`, in order."""
    shards: list[list[str]] = [[]]
    filled = 0
    for name in names:
        bytes_ = _bytes(source, name)
        if shards[-1] and filled + bytes_ > shard_bytes:
            shards.append([])
            filled = 0
        shards[-1].append(name)
        filled += bytes_
    return shards
