"""Shardy's meshes and shardings as values, read from the text of their attributes.

    mesh     := '<' '[' ('"' name '"' '=' size),* ']' [',' 'device_ids' '=' '[' id,* ']'] '>'
    sharding := '<' place ',' '[' dim,* ']' (',' ('replicated' | 'unreduced') '=' axes)* '>'
    place    := '@' symbol | 'mesh' mesh
    dim      := axes-with-'?'  ['p' priority]
    axes     := '{' axis,* '}'
    axis     := '"' name '"' [':' '(' pre ')' size]

The prefixes `#sdy.sharding`, `#sdy.sharding_per_value` and `#sdy.mesh` are optional. These are the
words of openxla/shardy; nothing here knows MLIR or our own shardings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TypeVar

from distc.runtime.errors import InputError

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<symbol>@(?:[\w$.-]+|\"(?:[^\"\\]|\\.)*\"))"
    r"|(?P<word>#?[A-Za-z_][\w.]*)|(?P<number>\d+)|(?P<mark>[\[\]{}()<>,:=?]))"
)
_T = TypeVar("_T")
_HELP = 'the grammar is that of openxla/shardy: #sdy.sharding<@mesh, [{"x"}, {?}]>'


@dataclass(frozen=True, slots=True)
class SdyMesh:
    """Axes with sizes, outermost first, and the device at each place (row-major), if given."""

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of devices of its axes: one where there are none."""
        return prod(size for _, size in self.axes)

    @property
    def single_device(self) -> int | None:
        """The one device of a maximal mesh, None for any other."""
        return self.device_ids[0] if not self.axes and len(self.device_ids) == 1 else None


@dataclass(frozen=True, slots=True)
class SdyAxis:
    """An axis, or with `size` the part of it written `"x":(pre)size`."""

    name: str
    pre: int = 1
    size: int = 0


@dataclass(frozen=True, slots=True)
class SdyDim:
    """Axes of a dimension; `open` where propagation may add more; priority, lower first."""

    axes: tuple[SdyAxis, ...] = ()
    open: bool = False
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class SdySharding:
    """A sharding on a mesh, given by its symbol or spelled out."""

    mesh: str | SdyMesh
    dims: tuple[SdyDim, ...]
    replicated: tuple[SdyAxis, ...] = ()
    unreduced: tuple[SdyAxis, ...] = ()

    @property
    def says_nothing(self) -> bool:
        """True when every dimension is open and nothing is named."""
        return not self.replicated and not self.unreduced and all(
            d.open and not d.axes for d in self.dims
        )  # fmt: skip


def parse_mesh(text: str, where: str = "") -> SdyMesh:
    """Read `#sdy.mesh<["x"=2, "y"=4], device_ids=[…]>`.

    Raises:
        InputError: the text does not follow the grammar, or device ids are not those of a mesh.
    """
    parser = _Parser(text, where)
    parser.skip_word("#sdy.mesh")
    mesh = parser.mesh()
    parser.end()
    return mesh


def parse_sharding(text: str, where: str = "") -> SdySharding:
    """Read `#sdy.sharding<@mesh, [{"x"}, {}]>`.

    Raises:
        InputError: the text does not follow the grammar.
    """
    parser = _Parser(text, where)
    sharding = parser.sharding()
    parser.end()
    return sharding


def parse_per_value(text: str, where: str = "") -> tuple[SdySharding, ...]:
    """Read `#sdy.sharding_per_value<[<@mesh, …>, …]>`.

    Raises:
        InputError: the text does not follow the grammar.
    """
    parser = _Parser(text, where)
    parser.skip_word("#sdy.sharding_per_value")
    parser.take("<")
    found = parser.listed("[", "]", parser.sharding)
    parser.take(">")
    parser.end()
    return found


def parse_axes(text: str, where: str = "") -> tuple[SdyAxis, ...]:
    """Read `#sdy.manual_axes<{"x", "y"}>` or `#sdy<manual_axes{"x"}>`.

    Raises:
        InputError: the text does not follow the grammar.
    """
    inner = text[text.find("{") : text.rfind("}") + 1]
    parser = _Parser(inner, where)
    axes = parser.listed("{", "}", parser.axis)
    parser.end()
    return axes


class _Parser:
    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where
        self.tokens: list[str] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._error(f"unexpected {text[position:].strip()[0]!r}")
            self.tokens.append(match.group().strip())
            position = match.end()
        self.next = 0

    def _error(self, what: str) -> InputError:
        return InputError(
            f"{what} in the Shardy attribute {self.text!r}", where=self.where or None, help=_HELP
        )

    def peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            found = repr(token) if token else "the end"
            raise self._error(f"expected {expected!r}, found {found}" if expected else "it ends")
        self.next += 1
        return token

    def skip_word(self, word: str) -> None:
        if self.peek() == word:
            self.next += 1

    def end(self) -> None:
        if self.peek():
            raise self._error(f"unexpected {self.peek()!r} after the end")

    def listed(self, opening: str, closing: str, item: Callable[[], _T]) -> tuple[_T, ...]:
        self.take(opening)
        found: list[_T] = []
        while self.peek() != closing:
            found.append(item())
            if self.peek() != closing:
                self.take(",")
        self.take(closing)
        return tuple(found)

    def number(self) -> int:
        token = self.take()
        if not token.isdigit():
            raise self._error(f"expected a number, found {token!r}")
        return int(token)

    def string(self) -> str:
        token = self.take()
        if not token.startswith('"'):
            raise self._error(f"expected an axis name in quotes, found {token!r}")
        return token[1:-1]

    def mesh(self) -> SdyMesh:
        self.take("<")
        axes = self.listed("[", "]", self._sized_axis)
        ids: tuple[int, ...] = ()
        if self.peek() == ",":
            self.take()
            self.take("device_ids")
            self.take("=")
            ids = self.listed("[", "]", self.number)
        self.take(">")
        mesh = SdyMesh(axes, ids)
        if ids and axes and sorted(ids) != list(range(mesh.size)):
            raise self._error(f"device_ids are not those of {mesh.size} devices, each once,")
        if ids and not axes and len(ids) != 1:
            raise self._error(f"a mesh without axes has {len(ids)} device_ids, one is meant,")
        return mesh

    def _sized_axis(self) -> tuple[str, int]:
        name = self.string()
        self.take("=")
        size = self.number()
        if size < 1:
            raise self._error(f"axis {name!r} has size {size}")
        return name, size

    def axis(self) -> SdyAxis:
        name = self.string()
        if self.peek() != ":":
            return SdyAxis(name)
        self.take(":")
        self.take("(")
        pre = self.number()
        self.take(")")
        return SdyAxis(name, pre, self.number())

    def sharding(self) -> SdySharding:
        self.skip_word("#sdy.sharding")
        self.take("<")
        mesh = self._place()
        self.take(",")
        dims = self.listed("[", "]", self._dim)
        axes: dict[str, tuple[SdyAxis, ...]] = {"replicated": (), "unreduced": ()}
        while self.peek() == ",":
            self.take()
            label = self.take()
            if label not in axes:
                raise self._error(f"unknown part {label!r}")
            self.take("=")
            axes[label] = self.listed("{", "}", self.axis)
        self.take(">")
        return SdySharding(mesh, dims, axes["replicated"], axes["unreduced"])

    def _place(self) -> str | SdyMesh:
        if self.peek() == "mesh":
            self.take()
            return self.mesh()
        token = self.take()
        if not token.startswith("@"):
            raise self._error(f"expected a mesh symbol, found {token!r}")
        return token[1:].strip('"')

    def _dim(self) -> SdyDim:
        self.take("{")
        axes: list[SdyAxis] = []
        is_open = False
        while self.peek() != "}":
            if self.peek() == "?":
                self.take()
                is_open = True
                break
            axes.append(self.axis())
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        match = re.fullmatch(r"p(\d+)", self.peek())
        if match is None:
            return SdyDim(tuple(axes), is_open)
        self.take()
        return SdyDim(tuple(axes), is_open, int(match.group(1)))
