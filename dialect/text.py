"""The text form of shardings, one everywhere: `[S(node,gpu), R] P(sum: tensor)`.

sharding := '[' [dim (',' dim)*] ']' [partial ('+' partial)*]
dim      := 'R' | 'S(' axis (',' axis)* ')' ['/' block]
partial  := 'P(' kind ':' axis (',' axis)* ')'
axis     := name | name ':(' pre ')' size
"""

from __future__ import annotations

import re

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.runtime.errors import IllegalSharding

_TOKEN = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*|\d+|[\[\](),:/+])")
_HELP = "the form is [S(axis,…)/block, R, …] P(sum: axis,…), sub-axes are axis:(pre)size"


def print_sharding(sharding: Sharding) -> str:
    """Return the text form."""
    dims = ", ".join(_print_dim(d) for d in sharding.dims)
    kinds = dict.fromkeys(k for _, k in sharding.partial)
    parts = [
        f"P({kind}: {','.join(str(a) for a, k in sharding.partial if k is kind)})" for kind in kinds
    ]
    return f"[{dims}]" + (" " + " + ".join(parts) if parts else "")


def _print_dim(dim: DimSharding) -> str:
    if not dim.axes:
        return "R"
    block = f"/{dim.block}" if dim.block != 1 else ""
    return f"S({','.join(map(str, dim.axes))}){block}"


def parse_sharding(text: str, mesh: Mesh) -> Sharding:
    """Parse the text form.

    Raises:
        IllegalSharding: the text does not follow the grammar or an axis is used twice.
        ConfigError: an axis is not in the mesh.
    """
    return _Parser(text, mesh).sharding()


class _Parser:
    def __init__(self, text: str, mesh: Mesh) -> None:
        self.text, self.mesh = text, mesh
        self.tokens: list[tuple[str, int]] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._error(f"unexpected character {text[position]!r}", position)
            self.tokens.append((match.group(1), match.start(1)))
            position = match.end()
        self.next = 0

    def _error(self, what: str, position: int) -> IllegalSharding:
        return IllegalSharding(
            f"{what} at column {position + 1} of sharding {self.text!r}", help=_HELP
        )

    def _peek(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else ""

    def _take(self, expected: str | None = None) -> str:
        token, position = (
            self.tokens[self.next] if self.next < len(self.tokens) else ("", len(self.text))
        )
        if token == "" or (expected is not None and token != expected):
            found = repr(token) if token else "the end"
            raise self._error(f"expected {expected or 'more'!r}, found {found}", position)
        self.next += 1
        return token

    def _number(self) -> int:
        position = self.tokens[self.next][1] if self.next < len(self.tokens) else len(self.text)
        token = self._take()
        if not token.isdigit() or int(token) < 1:
            raise self._error(f"expected a positive number, found {token!r}", position)
        return int(token)

    def sharding(self) -> Sharding:
        self._take("[")
        dims: list[DimSharding] = []
        while self._peek() != "]":
            dims.append(self._dim())
            if self._peek() != "]":
                self._take(",")
        self._take("]")
        partial: list[tuple[AxisRef, Reduction]] = []
        while self._peek():
            if partial:
                self._take("+")
            partial += self._partial()
        return Sharding(self.mesh, tuple(dims), tuple(partial))

    def _dim(self) -> DimSharding:
        if self._peek() == "R":
            self._take()
            return DimSharding()
        self._take("S")
        axes = self._axes()
        if self._peek() != "/":
            return DimSharding(axes)
        self._take("/")
        return DimSharding(axes, self._number())

    def _partial(self) -> list[tuple[AxisRef, Reduction]]:
        self._take("P")
        self._take("(")
        position = self.tokens[self.next][1] if self.next < len(self.tokens) else len(self.text)
        kind = self._take()
        if kind not in Reduction.__members__.values():
            raise self._error(
                f"unknown reduction {kind!r}, one of {', '.join(Reduction)}", position
            )
        self._take(":")
        return [(a, Reduction(kind)) for a in self._axis_list()]

    def _axes(self) -> tuple[AxisRef, ...]:
        self._take("(")
        return self._axis_list()

    def _axis_list(self) -> tuple[AxisRef, ...]:
        """axis (',' axis)* ')'"""
        axes = [self._axis()]
        while self._peek() == ",":
            self._take()
            axes.append(self._axis())
        self._take(")")
        return tuple(axes)

    def _axis(self) -> AxisRef:
        name = self._take()
        if self._peek() != ":":
            self.mesh.split(AxisRef(name))
            return AxisRef(name)
        self._take(":")
        self._take("(")
        pre = self._number()
        self._take(")")
        ref = AxisRef(name, pre, self._number())
        self.mesh.split(ref)
        return ref
