"""The options of a compile, shared by the command line and `distc.compile`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from distc.compiler.duration import parse_duration
from distc.dialect.mesh import Mesh
from distc.runtime.errors import MissingFile, UsageError
from distc.solver.byte_size import parse_bytes
from distc.solver.search.method import Method
from distc.solver.states.levels import NAMES

SOLVERS = tuple(map(str, Method))
PRESETS = ("data-parallel", "megatron", "megatron-sp", "fsdp")
STATE_PRESETS = tuple(n.lower() for n in NAMES)


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What is asked of one compile.

    Attributes:
        mesh: the ranks.
        preset: `data-parallel`, `megatron`, `megatron-sp`, `fsdp` or `fsdp:AXIS,…`.
        constraints: a constraint file; its pins come after the preset's and win over them.
        weights: a safetensors file or a folder of them.
        batch, seq: the static sizes of a Hugging Face model's input.
        generate: tokens of a prefill chunk; makes `prefill` and `decode` of a folder.
        train: the optimizer of a training program, `adamw:weight_decay=0.1`.
        microbatches: into how many parts a training batch is cut.
        clip_norm: the largest norm of all gradients together.
        solver: how the cheapest plan is searched, `exact` as a rule; None follows the pins.
        budget: the longest a search may take, `60s`, `2m`, `500ms`.
        hardware: the machine that prices a searched plan: a shipped name or a file.
        memory: what a rank may hold under a searched plan, `60GiB`; None: the machine's memory.
        compute_dtype: what a training step computes in, `bf16` or `f16`.
        loss_scale: a number, `dynamic` or `dynamic:initial=4096,interval=100`.
        seed: what a training step draws masks of dropout from.
        verify: check shardings after every pass and the partitioned module at the end.
        dump_folder: where the module after each pass is written.
    """

    mesh: Mesh
    preset: str | None = None
    constraints: Path | None = None
    weights: Path | None = None
    batch: int | None = None
    seq: int | None = None
    generate: int | None = None
    train: str | None = None
    microbatches: int = 1
    clip_norm: float | None = None
    solver: str | None = None
    budget: str | None = None
    hardware: str | None = None
    memory: str | None = None
    compute_dtype: str | None = None
    loss_scale: str | None = None
    seed: int | None = None
    verify: bool = True
    dump_folder: Path | None = None

    def __post_init__(self) -> None:
        if self.preset is not None:
            check_preset(self.preset)
        given = {
            "--microbatches": self.microbatches != 1,
            "--clip-norm": self.clip_norm is not None,
            "--compute-dtype": self.compute_dtype is not None,
            "--loss-scale": self.loss_scale is not None,
            "--seed": self.seed is not None,
        }
        if self.train is None and any(given.values()):
            names = " and ".join(name for name, is_given in given.items() if is_given)
            raise UsageError(
                f"{names}: for a training program alone", help="add --train adamw, or leave it out"
            )
        if self.solver is not None and self.solver not in SOLVERS:
            raise UsageError(
                f"unknown solver {self.solver!r}, there is {', '.join(SOLVERS)}",
                help=f"write --solver {SOLVERS[0]}",
            )
        if self.budget is not None:
            parse_duration(self.budget, "--budget")
        if self.budget is not None and self.solver is None:
            raise UsageError("--budget ends a search, and none is made", help="add --solver exact")
        if self.hardware is not None and self.solver is None:
            raise UsageError(
                "--hardware prices a search, and none is made", help="add --solver exact"
            )
        if self.memory is not None and self.solver is None:
            raise UsageError(
                "--memory limits a search, and none is made", help="add --solver exact"
            )
        if self.memory is not None:
            parse_bytes(self.memory)
        if self.train is not None and self.generate is not None:
            raise UsageError(
                "--train and --generate make different programs", help="leave one of them out"
            )
        for name, value in (
            ("microbatches", self.microbatches),
            ("batch", self.batch),
            ("seq", self.seq),
            ("generate", self.generate),
        ):
            if value is not None and value < 1:
                raise UsageError(f"--{name} is {value}, the least is 1", help=f"write --{name} 1")

    @property
    def budget_seconds(self) -> float | None:
        """The longest a search may take, None for as long as it takes."""
        return None if self.budget is None else parse_duration(self.budget, "--budget")


def check_preset(text: str) -> None:
    """Refuse a preset that does not exist.

    Args:
        text: preset names joined by `+`.

    Raises:
        UsageError: unknown name, axes on a preset that takes none, or two presets for state.
    """
    parts = [p.strip() for p in text.split("+")]
    for part in parts:
        _check_part(part)
    states = [p for p in parts if p.partition(":")[0] not in PRESETS]
    if len(states) > 1:
        raise UsageError(
            f"preset {text!r} places state twice: {' and '.join(states)}", help="keep one of them"
        )


def _check_part(text: str) -> None:
    name, colon, axes = text.partition(":")
    if name not in PRESETS and name.lower() not in STATE_PRESETS:
        raise UsageError(
            f"unknown preset {name!r}, there are {', '.join((*PRESETS, *STATE_PRESETS))}",
            help="fsdp and the presets for state take axes: fsdp:data,tensor; presets are joined "
            "by +: megatron+zero1; for anything else write --constraints",
        )
    takes_axes = name == "fsdp" or name not in PRESETS
    if colon and (not takes_axes or not axes.strip()):
        raise UsageError(
            f"preset {text!r}: {name} {'names no axis' if takes_axes else 'takes no axes'}",
            help=f"write {name if takes_axes else 'fsdp'}:AXIS,… or the name alone",
        )


def check_output(path: Path) -> None:
    """Refuse an output path that cannot become an artifact, before any work is done.

    Raises:
        MissingFile: its folder does not exist.
        UsageError: its folder cannot be written, or it is something that is not
            an artifact and would be overwritten.
    """
    check_folder(path)
    what = _in_the_way(path)
    if what is not None:
        raise UsageError(
            f"{path} is {what}, it is not overwritten",
            help="name another path, or remove it",
            code="E-FILE",
        )


def check_output_file(path: Path) -> None:
    """Refuse a path that cannot become a plain file.

    Raises:
        MissingFile: its folder does not exist.
        UsageError: its folder cannot be written, or a folder, a device or a pipe is there.
    """
    check_folder(path)
    if path.exists() and not path.is_file():
        raise UsageError(
            f"{path} is not a plain file, it is not overwritten",
            help="name another path",
            code="E-FILE",
        )


def _in_the_way(path: Path) -> str | None:
    """Say what is at `path` if it is neither nothing, nor empty, nor an artifact."""
    if path.is_dir():
        empty = not any(path.iterdir())
        is_artifact = (path / "manifest.json").is_file()
        return None if empty or is_artifact else "a folder that is not an artifact"
    if path.is_file():
        return None if _starts_like_zip(path) else "a file that is not an artifact"
    return "a device or a pipe" if path.exists() else None


def check_folder(path: Path) -> None:
    """Refuse a path whose folder cannot take a new file.

    Raises:
        MissingFile: its folder does not exist.
        UsageError: its folder cannot be written.
    """
    parent = path.absolute().parent
    if not parent.is_dir():
        raise MissingFile(f"the folder of {path} does not exist", help=f"make {path.parent} first")
    if not os.access(parent, os.W_OK):
        raise UsageError(
            f"the folder of {path} cannot be written", help="name another path", code="E-FILE"
        )


def _starts_like_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) in (b"PK", b"")
