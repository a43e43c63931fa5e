"""What is needed to repeat a failure inside distc, kept while a command runs.

A reproducer is a folder `distc-repro-<command>-<n>/` in the current directory (or the temporary
one) with `options.json`, `versions.json`, `traceback.txt`, `stage.txt` and, where a module was at
hand, `input.mlir`: the module as it was before the pass that failed.
"""

from __future__ import annotations

import json
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import distc

PACKAGES = ("torch", "torch-mlir", "z3-solver", "numpy", "safetensors", "click", "rich", "msgspec")


@dataclass
class Recorder:
    """The state of the command that runs.

    Attributes:
        command: its name.
        options: its options as given, JSON values.
        stage: what it does now, such as `pass 4 propagate`.
        module_text: returns the module at the start of the stage, when there is one.
    """

    command: str = "distc"
    options: dict[str, object] = field(default_factory=dict)
    stage: str = ""
    module_text: Callable[[], str] | None = None

    def write(self, cause: BaseException) -> Path | None:
        """Write the reproducer and return its folder, or None where nothing can be written."""
        for parent in (Path.cwd(), Path(tempfile.gettempdir())):
            try:
                return self._write_in(parent, cause)
            except OSError:
                continue
        return None

    def _write_in(self, parent: Path, cause: BaseException) -> Path:
        folder = _new_folder(parent, self.command)
        lines = traceback.format_exception(cause)
        (folder / "traceback.txt").write_text("".join(lines), encoding="utf-8")
        (folder / "stage.txt").write_text(f"{self.stage}\n", encoding="utf-8")
        _write_json(folder / "options.json", {"argv": sys.argv, **self.options})
        _write_json(folder / "versions.json", versions())
        if self.module_text is not None:
            (folder / "input.mlir").write_text(self._text(), encoding="utf-8")
        return folder

    def _text(self) -> str:
        assert self.module_text is not None
        try:
            return self.module_text()
        except Exception as error:
            return f"// the module could not be printed: {error}\n"


_current: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


def current_recorder() -> Recorder:
    """Return the recorder of the running command."""
    recorder = _current.get()
    if recorder is None:
        recorder = Recorder()
        _current.set(recorder)
    return recorder


def start_recorder(command: str, options: dict[str, object]) -> Recorder:
    """Begin a command: a fresh recorder becomes the current one."""
    recorder = Recorder(command, options)
    _current.set(recorder)
    return recorder


def versions() -> dict[str, str]:
    """Return the versions of Python, distc and the packages it stands on."""
    found = {"python": platform.python_version(), "distc": distc.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


def _new_folder(parent: Path, command: str) -> Path:
    for number in range(1, 1000):
        folder = parent / f"distc-repro-{command}-{number}"
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise OSError(f"{parent} already holds 999 reproducers")


def _write_json(path: Path, body: object) -> None:
    path.write_text(
        json.dumps(body, indent=2, sort_keys=True, default=str) + "\n", encoding="utf-8"
    )
