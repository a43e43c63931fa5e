"""Constraint files: the shardings a user, or a preset, pins.

    [[pin]]
    parameter = "h.*.attn.c_attn.weight"     # or module, input, output: exactly one, a glob
    sharding = "[R, R, S(tensor), R]"
    view = [768, 3, 12, 64]                  # optional: pin a view of the original shape
    state = "parameter"                      # optional: parameter, gradient or optimizer

`sequence = "tensor"` before the first pin cuts what lies between the blocks of an axis along the
sequence (`transforms/shard_sequence.py`).

Globs are those of fnmatch over dotted names (`*` crosses dots). A `module` pin holds for every
parameter below the module that has as many dimensions as the sharding. The last pin that matches
wins; a pin that matches nothing is an error. This module knows files, `constraints` knows IR.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from distc.runtime.errors import ConfigError, MissingFile

MAX_BYTES = 4 << 20
_HEADER = re.compile(r"""\s*\[\[\s*["']?pin["']?\s*\]\]""")
_KEY = re.compile(r"""\s*["']?([A-Za-z_]+)["']?\s*=""")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_MSGSPEC_PLACE = re.compile(r" - at `\$(.*)`\Z")
_HELP = (
    'a pin is [[pin]] with parameter, module, input or output = "glob" '
    'and sharding = "[S(axis), R]"'
)


class Target(StrEnum):
    """What a pin's pattern names."""

    PARAMETER = "parameter"
    MODULE = "module"
    INPUT = "input"
    OUTPUT = "output"


class State(StrEnum):
    """Which state of a parameter a pin is about."""

    PARAMETER = "parameter"
    GRADIENT = "gradient"
    OPTIMIZER = "optimizer"


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned sharding.

    Attributes:
        target: what `pattern` names.
        pattern: a glob over dotted names.
        sharding: the text form, of the view where one is given.
        view: shape under which the parameter is held, or None for its own.
        state: which state of the parameter.
        source: the file, or what made the pin.
        lines: line of the pin (key "") and of each of its keys, where it came from a file.
    """

    target: Target
    pattern: str
    sharding: str
    view: tuple[int, ...] | None = None
    state: State = State.PARAMETER
    source: str = field(default="", compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)

    def where(self, key: str = "") -> str | None:
        """Return `plan.toml:12`, the line of `key` or of the pin, None where there is no file."""
        line = self.lines.get(key, self.lines.get(""))
        if line is None:
            return self.source or None
        return f"{self.source}:{line}"

    def __str__(self) -> str:
        return f"{self.target} {self.pattern!r}"


@dataclass(frozen=True, slots=True)
class Constraints:
    """Pins in the order they are heard: the last that matches wins.

    Attributes:
        pins: the pins.
        sequence: the axis over which activations between blocks are cut along the sequence.
    """

    pins: tuple[Pin, ...] = ()
    sequence: str | None = None

    def to_toml(self) -> str:
        """Return the constraint file that says the same; equal pins give equal text."""
        cut = [] if self.sequence is None else [f"sequence = {_quoted(self.sequence)}\n"]
        return "\n".join((*cut, *(_pin_toml(p) for p in self.pins)))

    def __add__(self, other: Constraints) -> Constraints:
        """Return these pins followed by the others, which win."""
        return Constraints(self.pins + other.pins, other.sequence or self.sequence)


def _pin_toml(pin: Pin) -> str:
    lines = ["[[pin]]", f"{pin.target} = {_quoted(pin.pattern)}"]
    lines.append(f"sharding = {_quoted(pin.sharding)}")
    if pin.view is not None:
        lines.append(f"view = [{', '.join(map(str, pin.view))}]")
    if pin.state is not State.PARAMETER:
        lines.append(f"state = {_quoted(pin.state)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML basic string: JSON's escapes, and DEL, which JSON leaves bare."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class _PinEntry(msgspec.Struct, forbid_unknown_fields=True):
    sharding: str
    parameter: str | None = None
    module: str | None = None
    input: str | None = None
    output: str | None = None
    view: list[int] | None = None
    state: State = State.PARAMETER


class _File(msgspec.Struct, forbid_unknown_fields=True):
    pin: list[_PinEntry] = []
    sequence: str | None = None


def load_constraints(path: str | Path) -> Constraints:
    """Read a constraint file.

    Raises:
        MissingFile: there is no such file.
        ConfigError: not a readable TOML file, an unknown key, a pin that is not well formed; the
            error's `where` is `file:line`.
    """
    return parse_constraints(_read(Path(path)), str(path))


def _read(path: Path) -> str:
    if not path.exists():
        raise MissingFile(f"there is no constraint file {path}", help="check --constraints")
    if not path.is_file():
        raise ConfigError(f"{path} is not a file", help="--constraints takes a TOML file")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"cannot read constraint file {path}: {error.strerror}", help="check its permissions"
        ) from None
    if len(data) > MAX_BYTES:
        raise ConfigError(
            f"constraint file {path} is larger than {MAX_BYTES} bytes",
            help="use globs instead of one pin per parameter",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"constraint file {path} is not UTF-8 text: byte {error.start} is "
            f"{data[error.start]:#x}",
            help="a constraint file is TOML text",
        ) from None


def parse_constraints(text: str, source: str) -> Constraints:
    """Parse the text of a constraint file; `source` names it in errors.

    Raises:
        ConfigError: as `load_constraints`.
    """
    lines = _pin_lines(text)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, source) from None
    except RecursionError:
        raise ConfigError(f"{source} nests too deep to be read as TOML", help=_HELP) from None
    try:
        file = msgspec.convert(raw, _File)
    except msgspec.ValidationError as error:
        raise _schema_error(str(error), lines, text, source) from None
    if not file.pin and file.sequence is None:
        raise ConfigError("the constraint file has no [[pin]]", where=source, help=_HELP)
    return Constraints(
        tuple(
            _pin(entry, source, lines[i] if i < len(lines) else {})
            for i, entry in enumerate(file.pin)
        ),
        file.sequence,
    )


def _pin_lines(text: str) -> list[dict[str, int]]:
    """Per `[[pin]]`, the line of its header (key "") and of its keys; tomllib does not say."""
    pins: list[dict[str, int]] = []
    current: dict[str, int] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if _HEADER.match(line):
            current = {"": number}
            pins.append(current)
        elif line.lstrip().startswith("["):
            current = None
        elif current is not None and (key := _KEY.match(line)):
            current.setdefault(key.group(1), number)
    return pins


def _syntax_error(message: str, text: str, source: str) -> ConfigError:
    place = _TOML_PLACE.search(message)
    what = message[: place.start()] if place else message
    if place is None:
        return ConfigError(f"not TOML: {what}", where=source, help=_HELP)
    line = int(place.group(1)) if place.group(1) else max(1, len(text.splitlines()))
    column = f":{place.group(2)}" if place.group(2) else ""
    return ConfigError(f"not TOML: {what}", where=f"{source}:{line}{column}", help=_HELP)


def _schema_error(message: str, lines: list[dict[str, int]], text: str, source: str) -> ConfigError:
    place = _MSGSPEC_PLACE.search(message)
    what = message[: place.start()] if place else message
    path = place.group(1) if place else ""
    found = re.match(r"\.pin\[(\d+)\](?:\.([a-z]+))?", path)
    index = int(found.group(1)) if found else -1
    known = lines[index] if 0 <= index < len(lines) else {}
    unknown = re.search(r"unknown field `([^`]*)`", what)
    key = unknown.group(1) if unknown else (found.group(2) or "" if found else "")
    line = known.get(key, known.get(""))
    if line is None and unknown:
        line = _line_of(text, key)
    where = source if line is None else f"{source}:{line}"
    keys = ", ".join((*Target, "sharding", "view", "state"))
    of = f" ({path.removeprefix('.')})" if path else ""
    return ConfigError(f"{what}{of}", where=where, help=f"{_HELP}; its keys are {keys}")


def _line_of(text: str, key: str) -> int | None:
    """First line that sets `key` or opens it as a table."""
    opens = re.compile(rf"""\s*\[*\s*["']?{re.escape(key)}["']?\s*[]=.]""")
    lines = enumerate(text.splitlines(), start=1)
    return next((number for number, line in lines if opens.match(line)), None)


def _pin(entry: _PinEntry, source: str, lines: Mapping[str, int]) -> Pin:
    given: dict[Target, Any] = {t: getattr(entry, t) for t in Target}
    named = {t: p for t, p in given.items() if p is not None}
    where = f"{source}:{lines['']}" if "" in lines else source
    if len(named) != 1:
        found = " and ".join(named) or "none"
        raise ConfigError(
            f"a pin names exactly one of {', '.join(Target)}; this one has {found}",
            where=where,
            help="write one pin per pattern",
        )
    ((target, pattern),) = named.items()
    view = None if entry.view is None else tuple(entry.view)
    pin = Pin(target, pattern, entry.sharding, view, entry.state, source, lines)
    _check(pin)
    return pin


def _check(pin: Pin) -> None:
    if not pin.pattern.strip():
        raise ConfigError(
            f"the {pin.target} pattern is empty",
            where=pin.where(pin.target),
            help="write * to match everything",
        )
    if pin.view is not None and (not pin.view or min(pin.view) < 1):
        raise ConfigError(
            f"view {list(pin.view)} is not a list of positive sizes",
            where=pin.where("view"),
            help="write the original shape with dimensions split: view = [768, 3, 12, 64]",
        )
    if pin.target in (Target.PARAMETER, Target.MODULE):
        return
    extra = "view" if pin.view is not None else "state" if "state" in pin.lines else None
    if extra is not None:
        raise ConfigError(
            f"{extra} does not apply to {pin}",
            where=pin.where(extra),
            help=f"{extra} belongs to parameter and module pins; leave it out",
        )
