"""Shardy's operations in their own syntax rewritten to MLIR's generic form.

The dialect is not in our MLIR, so only the generic form parses (as operations nobody registered);
its attributes parse as they are. Line breaks stay, so errors name the lines of the file.

    %1 = sdy.reshard %0 <@m, [{}]> : tensor<8xf32>
    %1 = "sdy.reshard"(%0) {sharding = #sdy.sharding<@m, [{}]>} : (tensor<8xf32>) -> tensor<8xf32>
"""

from __future__ import annotations

import re
from collections.abc import Callable

from distc.dialect.custom_ops import RULE
from distc.runtime.errors import InputError

UNARY = (
    "all_gather", "all_reduce", "all_slice", "all_to_all", "collective_permute", "data_flow_edge",
    "propagation_barrier", "reduce_scatter", "replicated_to_unreduced", "reshard",
    "sharded_to_unreduced", "sharding_constraint", "sharding_group",
)  # fmt: skip
_REGION = ("manual_computation", "named_computation")
_OTHER = ("constant", "mesh", "return")
_OPERATION = re.compile(
    r"(?P<skip>\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*)"
    rf"|(?<![#\w.$\"])sdy\.(?P<name>{'|'.join((*UNARY, *_REGION, *_OTHER))})(?![\w.])(?!\s*=)"
    r"|(?<![#\w.$\"%@])sdy\.(?P<unknown>[a-z_]\w*)\b(?=\s*(?:%|\(\s*%|@))"
)
_MENTION = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|\bsdy\.")
_SPACE = re.compile(r"(?:\s|//[^\n]*)+")
_OPERAND = re.compile(r"%[\w$.-]+(?:#\d+)?")
_KEY = re.compile(r"([A-Za-z_]\w*)\s*=")
_ALIAS = re.compile(r"#[\w.$-]+")
_TYPE_NAME = re.compile(r"!?[A-Za-z_][\w.]*")
_WORD = re.compile(r"[\w.+-]+")
_SYMBOL = re.compile(r"@(?:[\w$.-]+|\"[^\"\n]*\")")
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_GROUP_PART = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|->|[()\[\]{}<>]")


_GIVEN_RULE = re.compile(r"\bsdy\.sharding_rule\s*=\s*#sdy\.op_sharding_rule<((?:->|[^<>])*)>")


def given_rules(text: str) -> str:
    """Write the rules that ops bring along as distc reads them: `dist.rule = "([i])->([i])"`."""
    return _GIVEN_RULE.sub(lambda m: f'{RULE} = "{m.group(1)}"', text)


def mentions_shardy(text: str) -> bool:
    """True when the text has an operation or attribute of Shardy's."""
    return '"sdy.' in text or any(m.group() == "sdy." for m in _MENTION.finditer(text))


def to_generic(text: str, filename: str = "-") -> str:
    """Rewrite every Shardy operation of a module.

    Raises:
        InputError: an operation is malformed or unknown; located.
    """
    return _Rewriter(given_rules(text), filename, 0).run()


class _Rewriter:
    def __init__(self, text: str, filename: str, first_line: int) -> None:
        self.text, self.filename, self.first_line = text, filename, first_line
        self.position = 0

    def run(self) -> str:
        pieces: list[str] = []
        done = 0
        for match in iter(lambda: _OPERATION.search(self.text, self.position), None):
            self.position = match.end()
            if match["skip"]:
                continue
            if match["unknown"]:
                raise self._error(f"unknown operation sdy.{match['unknown']}", match.start())
            pieces.append(self.text[done : match.start()])
            start = self.position
            replacement = self._operation(match["name"])
            lines = self.text.count("\n", start, self.position) - replacement.count("\n")
            pieces.append(replacement + "\n" * max(0, lines))
            done = self.position
        return "".join([*pieces, self.text[done:]])

    def _operation(self, name: str) -> str:
        forms: dict[str, Callable[[], str]] = {
            "constant": lambda: "stablehlo.constant",
            "mesh": self._mesh,
            "return": self._return,
        }
        if name in forms:
            return forms[name]()
        return self._with_region(name) if name in _REGION else self._unary(name)

    # Forms

    def _mesh(self) -> str:
        symbol = self._match(_SYMBOL, "a mesh symbol")
        self._expect("=")
        return (
            f'"sdy.mesh"() {{sym_name = "{symbol[1:].strip(chr(34))}", '
            f"mesh = #sdy.mesh{self._group('<')}}} : () -> ()"
        )

    def _return(self) -> str:
        operands = self._operands()
        types = self._types() if self._peek() == ":" else []
        return f'"sdy.return"({", ".join(operands)}) : ({", ".join(types)}) -> ()'

    def _unary(self, name: str) -> str:
        operand, attributes = "", []
        while (mark := self._peek()) != ":":
            if not mark:
                raise self._error(f"sdy.{name} does not end", self.position)
            if mark == "%" and not operand:
                operand = self._match(_OPERAND, "an operand")
            elif mark == "<":
                attributes.append(f"sharding = #sdy.sharding{self._group('<')}")
            elif mark in "[{(":
                self._group(mark)  # which axes move follows from the shardings
            elif mark == "#":
                attributes.append(f"sharding = {self._match(_ALIAS, 'an alias')}")
            else:
                self._keyword(name)
        types = self._types()
        if not operand or len(types) != 1:
            raise self._error(f"sdy.{name} takes one operand and names one type", self.position)
        results = "()" if name == "sharding_group" else types[0]
        listed = ", ".join(attributes[:1])
        return f'"sdy.{name}"({operand}) {{{listed}}} : ({types[0]}) -> {results}'

    def _keyword(self, name: str) -> None:
        """`out_sharding=` before a sharding; other words and their value say nothing we need."""
        key = self._match(_KEY, f"an operand, a sharding or the type of sdy.{name}")
        if self._peek() not in ("<", "#", "[", "{", "("):
            self._match(_WORD, f"the value of {key}")

    def _with_region(self, name: str) -> str:
        if name == "named_computation":
            self._group("<")
        operands = self._operands(self._group("("))
        attributes = []
        while _KEY.match(self.text, self._skip_space()):
            key = self._match(_KEY, "a key").partition("=")[0].strip()
            if key == "manual_axes":
                attributes.append(f"{key} = #sdy.manual_axes<{self._group('{')}>")
            else:
                attributes.append(f"{key} = #sdy.sharding_per_value<{self._group('[')}>")
        arguments = self._group("(")[1:-1] if self._peek() == "(" else ""
        line = self.first_line + self.text.count("\n", 0, self._skip_space())
        body = _Rewriter(self._group("{")[1:-1], self.filename, line).run()
        if _KEY.match(self.text, self._skip_space()) is None and self._peek() == "{":
            self._group("{")
        self._expect(":")
        takes = self._group("(")
        self._expect("->")
        gives = self._group("(") if self._peek() == "(" else self._type()
        label = f"^bb0({arguments}):" if arguments.strip() else ""
        return (
            f'"sdy.{name}"({", ".join(operands)}) ({{ {label}{body}}}) '
            f"{{{', '.join(attributes)}}} : {takes} -> {gives}"
        )

    # Pieces

    def _operands(self, text: str | None = None) -> list[str]:
        if text is not None:
            return _OPERAND.findall(text)
        found = []
        while self._peek() == "%":
            found.append(self._match(_OPERAND, "an operand"))
            if self._peek() == ",":
                self._expect(",")
        return found

    def _types(self) -> list[str]:
        self._expect(":")
        found = [self._type()]
        while self._peek() == ",":
            self._expect(",")
            found.append(self._type())
        return found

    def _type(self) -> str:
        name = self._match(_TYPE_NAME, "a type")
        return name + (self._group("<") if self.text.startswith("<", self.position) else "")

    def _skip_space(self) -> int:
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.position

    def _peek(self) -> str:
        """The next character, "" at the end."""
        at = self._skip_space()
        return self.text[at : at + 1]

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        match = pattern.match(self.text, self._skip_space())
        if match is None:
            raise self._error(f"expected {what}", self.position)
        self.position = match.end()
        return match.group()

    def _expect(self, mark: str) -> None:
        self._match(re.compile(re.escape(mark)), repr(mark))

    def _group(self, opening: str) -> str:
        """The bracketed text from here to its closing bracket, both included."""
        start = self._skip_space()
        if not self.text.startswith(opening, start):
            raise self._error(f"expected {opening!r}", start)
        waiting: list[str] = []
        for match in _GROUP_PART.finditer(self.text, start):
            mark = match.group()
            if mark in _PAIRS:
                waiting.append(_PAIRS[mark])
            elif mark in ")]}>":
                if waiting.pop() != mark:
                    raise self._error(f"unbalanced {mark!r}", match.start())
                if not waiting:
                    self.position = match.end()
                    return self.text[start : self.position]
        raise self._error(f"{opening!r} is never closed", start)

    def _error(self, what: str, position: int) -> InputError:
        line = self.first_line + self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        return InputError(
            f"{what} in a Shardy operation",
            where=f"{self.filename}:{line}:{column}",
            help="write it as sdy_opt prints it",
        )
