"""Where in the user's own code a graph node or an exception comes from."""

from __future__ import annotations

import linecache
import os
import re
import site
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import fx
from torch_mlir import ir
from torch_mlir.extras.fx_importer import ContextCache

_FRAME = re.compile(r'File "([^"]+)", line ([0-9]+)')
_TORCH = str(Path(torch.__file__).parent) + os.sep
_OWN = (str(Path(__file__).parent) + os.sep, str(Path(__file__).resolve().parent) + os.sep)
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
_PACKAGES = tuple({*site.getsitepackages(), sysconfig.get_paths()["purelib"]})


def readable_path(filename: str) -> str:
    """Return a path that means the same on another machine.

    Relative to the working folder or to the package folder it lies in, else the bare name.
    """
    path = Path(filename)
    for root in (*_PACKAGES, str(Path.cwd())):
        if path.is_absolute() and path.is_relative_to(root):
            return str(path.relative_to(root))
    return path.name if path.is_absolute() else filename


def node_frame(node: fx.Node) -> tuple[str, int, int] | None:
    """Return (file, line, column) of the innermost frame outside PyTorch, or None."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    for filename, line in reversed(frames):
        if not _is_internal(filename):
            return readable_path(filename), int(line), _column(filename, int(line))
    return None


def module_path(node: fx.Node) -> str:
    """Return the path of the module whose forward made the node, `""` for the model itself.

    What differentiates a module's forward is `path#bwd`.
    """
    stack = node.meta.get("nn_module_stack")
    if stack:
        return str(list(stack.values())[-1][0])
    differentiated = node.meta.get("custom", {}).get("module")
    return f"{differentiated}#bwd" if differentiated else ""


def node_place(node: fx.Node) -> str | None:
    """Return `file:line:col (module path)` for messages."""
    frame, path = node_frame(node), module_path(node)
    if frame is None:
        return path or None
    text = ":".join(map(str, frame))
    return f"{text} (in {path})" if path else text


def exception_place(error: BaseException) -> str | None:
    """Return `file:line:col` of the last frame of the traceback that is the user's own code.

    An error inside PyTorch while a fake tensor is traced carries the frames too.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{readable_path(error.filename)}:{error.lineno}:{error.offset or 1}"
    frames = list(_frames(error.__traceback__))
    chosen = [f for f in frames if not _is_internal(f[0])] or frames[-1:]
    if not chosen:
        return None
    filename, line = chosen[-1]
    return f"{readable_path(filename)}:{line}:{_column(filename, line)}"


def _frames(trace: TracebackType | None) -> list[tuple[str, int]]:
    return [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(trace)]


def _is_internal(filename: str) -> bool:
    if filename.startswith("<") or filename.startswith((_TORCH, *_OWN)):
        return True
    return filename.startswith(_STDLIB) and not filename.startswith(_PACKAGES)


def _column(filename: str, line: int) -> int:
    text = linecache.getline(filename, line)
    return len(text) - len(text.lstrip()) + 1 if text.strip() else 1


class LocationCache(ContextCache):
    """Gives imported ops `NameLoc(module path)(FileLineColLoc)`."""

    def get_node_location(self, node: fx.Node) -> ir.Location | None:
        """Return the location of a node; None (keep the previous one) where nothing is known."""
        if node.op != "call_function":
            return None
        fixed: Any = node.meta.get("place")
        if isinstance(fixed, str):
            return ir.Location.name(fixed, context=self._c)
        frame, path = node_frame(node), module_path(node)
        if frame is None:
            return ir.Location.name(path, context=self._c) if path else None
        place = ir.Location.file(*frame, context=self._c)
        return ir.Location.name(path or "model", childLoc=place, context=self._c)


def last_line(error: BaseException) -> str:
    """Return the first line of an exception's text, without PyTorch's hints."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
