"""SPEC: how a user names a model on the command line.

    file.py:function    module.path:function    a Hugging Face model folder    program.mlir

Importing this module needs no torch; a StableHLO file is handled without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from torch_mlir import ir

from distc.compiler.frontend.exported import Exported
from distc.runtime.errors import InputError, MissingFile, UsageError

if TYPE_CHECKING:
    from torch import Tensor

_FORMS = (
    "a SPEC is file.py:function, module.path:function, a Hugging Face model folder, or program.mlir"
)
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")


class SpecKind(StrEnum):
    """The four forms of a SPEC."""

    FILE = "file"
    MODULE = "module"
    FOLDER = "folder"
    STABLEHLO = "stablehlo"


@dataclass(frozen=True, slots=True)
class Spec:
    """A SPEC, parsed: `target` is a path or a dotted module, `function` a name in it."""

    kind: SpecKind
    target: str
    function: str = ""

    def __str__(self) -> str:
        return f"{self.target}:{self.function}" if self.function else self.target


@dataclass(frozen=True)
class Loaded:
    """A SPEC, exported.

    Attributes:
        exported: the module and its record.
        tensors: reads the model's real weights, by name; nothing was read before it is called.
        weights: the folder or file whose safetensors hold them, where the SPEC names one.
    """

    exported: Exported
    tensors: Callable[[], Mapping[str, Tensor]]
    weights: Path | None = None


def parse_spec(text: str) -> Spec:
    """Parse a SPEC and check that what it names is there.

    Raises:
        MissingFile: no such file or folder.
        UsageError: none of the four forms.
    """
    if not text.strip():
        raise UsageError("the SPEC is empty", help=_FORMS)
    head, colon, function = text.rpartition(":")
    if colon and head.endswith(".py"):
        _require_file(head)
        return Spec(SpecKind.FILE, head, _function_name(function, text))
    path = Path(text)
    if path.is_dir():
        return Spec(SpecKind.FOLDER, text)
    if text.endswith(".mlir"):
        _require_file(text)
        return Spec(SpecKind.STABLEHLO, text)
    if colon and _DOTTED.match(head):
        return Spec(SpecKind.MODULE, head, _function_name(function, text))
    if text.endswith(".py"):
        _require_file(text)
        raise UsageError(
            f"{text!r} names no function",
            help=f"write {text}:FUNCTION; it returns (model, example_args)",
        )
    if "/" in text and not colon and not path.exists():
        raise MissingFile(f"no such file or folder: {text}", help=_FORMS)
    if path.is_file():
        raise UsageError(f"{text!r} is a file of an unknown kind", help=_FORMS)
    raise UsageError(f"{text!r} is not a SPEC", help=_FORMS)


def load(
    spec: str | Spec,
    *,
    context: ir.Context,
    batch: int | None = None,
    seq: int | None = None,
    generate: int | None = None,
) -> Loaded:
    """Export what a SPEC names.

    Args:
        spec: text or parsed.
        context: from `dialect.context.make_context`.
        batch: batch size of a Hugging Face folder's input, needed there.
        seq: sequence length of a Hugging Face folder's input, needed there.
        generate: tokens of a prefill chunk: export a folder for generation.

    Raises:
        MissingFile: no such file, folder or module.
        UsageError: not a SPEC; a folder without batch and seq.
        InputError: the function, the model or the module is not what it must be.
        UnsupportedOp: an operator that cannot be compiled.
        Unavailable: a folder, and transformers is not installed.
    """
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    _check_sizes(parsed, batch, seq)
    if generate is not None and parsed.kind != SpecKind.FOLDER:
        raise UsageError(
            f"--generate is given, and {parsed} is no model folder",
            help="write the entry points of another model in a StableHLO file",
        )
    match parsed.kind:
        case SpecKind.STABLEHLO:
            from distc.compiler.frontend.stablehlo_file import load_file

            return Loaded(load_file(Path(parsed.target), context), _no_tensors)
        case SpecKind.FOLDER:
            from distc.compiler.frontend.huggingface import load_folder

            assert batch is not None and seq is not None
            folder = Path(parsed.target)
            exported, tensors = load_folder(folder, context, batch, seq, generate)
            return Loaded(exported, tensors, folder)
        case SpecKind.FILE | SpecKind.MODULE:
            from distc.compiler.frontend.function import load_function

            return Loaded(*load_function(parsed, context))


def _check_sizes(spec: Spec, batch: int | None, seq: int | None) -> None:
    """A folder needs --batch and --seq, anything else brings its own example inputs."""
    sizes = {"--batch": batch, "--seq": seq}
    given = [name for name, value in sizes.items() if value is not None]
    if spec.kind != SpecKind.FOLDER:
        if given:
            raise UsageError(
                f"{' and '.join(given)} is given, and {spec} is no model folder",
                help="the example inputs of the function, or the file, fix the sizes",
            )
        return
    if not (Path(spec.target) / "config.json").is_file():
        raise InputError(
            f"{spec} is not a Hugging Face model folder: it has no config.json",
            help="give a folder that save_pretrained wrote, or file.py:function",
        )
    if len(given) < len(sizes):
        missing = " and ".join(name for name in sizes if name not in given)
        raise UsageError(
            f"{spec} is a model folder and {missing} is not given",
            help="give the fixed input size: --batch 1 --seq 128",
        )


def load_real_weights(spec: str | Spec) -> Mapping[str, Tensor]:
    """Return the weights of a SPEC by name: the function run for real, or the folder's files.

    Raises:
        DistcError: as `load`.
    """
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    match parsed.kind:
        case SpecKind.STABLEHLO:
            return {}
        case SpecKind.FOLDER:
            from distc.compiler.frontend.huggingface import folder_tensors

            return folder_tensors(Path(parsed.target))
        case SpecKind.FILE | SpecKind.MODULE:
            from distc.compiler.frontend.function import real_tensors

            return real_tensors(parsed)


def _no_tensors() -> Mapping[str, Tensor]:
    raise InputError(
        "a StableHLO program names its weights and holds none",
        help="say where they are with --weights",
    )


def _require_file(name: str) -> None:
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{name} is a folder, not a file", help=_FORMS)
    if not path.is_file():
        raise MissingFile(f"no such file: {name}", help="check the path; " + _FORMS)


def _function_name(name: str, text: str) -> str:
    if not _NAME.match(name):
        raise UsageError(f"{text!r} names no function: {name!r} is not a name", help=_FORMS)
    return name
