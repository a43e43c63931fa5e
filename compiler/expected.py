"""Expected diagnostics in comments, as mlir-opt's `--verify-diagnostics` reads them.

    // expected-error @+1 {{unknown mesh axis}}      an error on the next line
    // expected-error @-2 {{…}}   @above   @below    two lines up, one up, one down
    // expected-error @unknown {{…}}                 an error without a line
    // expected-note {{…}}                           a further diagnostic of the same error

The text in braces must occur in the diagnostic; `{{…}}` with `-re` is a regular expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from distc.runtime.errors import DistcError

_EXPECTED = re.compile(
    r"expected-(error|note|warning|remark)(-re)?(?:\s+@(\+\d+|-\d+|above|below|unknown))?"
    r"\s*\{\{(.*?)\}\}"
)
_LINE = re.compile(r"^(?:error\[[^\]]*\]|also): (?P<text>.*)$")
_PLACE = re.compile(r"(?::(\d+):\d+)(?:[ ,].*)?$")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One reported line: the text and the source line, None where it has none."""

    text: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Expectation:
    """One comment: the pattern and the source line it speaks of, None for `@unknown`."""

    pattern: str
    is_regex: bool
    line: int | None
    written: int

    def matches(self, diagnostic: Diagnostic) -> bool:
        """True where the diagnostic is the expected one."""
        if diagnostic.line != self.line:
            return False
        if self.is_regex:
            return re.search(self.pattern, diagnostic.text) is not None
        return self.pattern in diagnostic.text


def diagnostics_of(error: DistcError) -> list[Diagnostic]:
    """Return what an error reports, one entry per line with a place."""
    found = []
    for line in str(error).split("\n"):
        match = _LINE.match(line)
        if match is None:
            continue
        place = _PLACE.search(match["text"])
        found.append(Diagnostic(line, int(place[1]) if place else None))
    return found


def expectations_in(text: str) -> list[Expectation]:
    """Return the expectations written in a source text, lines counted from 1."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        for _, regex, offset, pattern in _EXPECTED.findall(line):
            target = _target(number, offset)
            found.append(Expectation(pattern, bool(regex), target, number))
    return found


def _target(number: int, offset: str) -> int | None:
    match offset:
        case "unknown":
            return None
        case "above":
            return number - 1
        case "below":
            return number + 1
        case "":
            return number
        case _:
            return number + int(offset)


def mismatches(expected: list[Expectation], found: list[Diagnostic], filename: str) -> list[str]:
    """Return one line per expectation not met and per diagnostic not expected."""
    left, lines = list(found), []
    for expectation in expected:
        hit = next((d for d in left if expectation.matches(d)), None)
        if hit is None:
            lines.append(
                f"{filename}:{expectation.written}: expected diagnostic "
                f"{expectation.pattern!r} was not produced"
            )
            continue
        left.remove(hit)
    lines += [f"{filename}:{d.line or 0}: unexpected diagnostic: {d.text}" for d in left]
    return lines
