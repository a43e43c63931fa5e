# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Control flow, calls, composites without a native kernel."""

from __future__ import annotations

from lowering_cases.case import Case

_TWICE = """func.func private @twice(%x: tensor<3xi32>) -> tensor<3xi32> {
  %y = stablehlo.add %x, %x : tensor<3xi32>
  return %y : tensor<3xi32>
}"""


def _case(index: int) -> Case:
    return Case("case", f"index {index}", "tensor<i32>, tensor<2xi32>", "tensor<2xi32>",
         """%r = "stablehlo.case"(%a) ({
      %s = stablehlo.add %b, %b : tensor<2xi32>
      stablehlo.return %s : tensor<2xi32>
    }, {
      stablehlo.return %b : tensor<2xi32>
    }, {
      %s = stablehlo.negate %b : tensor<2xi32>
      stablehlo.return %s : tensor<2xi32>
    }) : (tensor<i32>) -> tensor<2xi32>""", (index,))  # fmt: skip


def _if(flag: bool) -> Case:
    return Case("if", f"{flag}", "tensor<i1>, tensor<2xi32>, tensor<2xi32>", "tensor<2xi32>, tensor<2xi32>",
         """%r:2 = "stablehlo.if"(%a) ({
      stablehlo.return %b, %c : tensor<2xi32>, tensor<2xi32>
    }, {
      %s = stablehlo.subtract %b, %c : tensor<2xi32>
      stablehlo.return %s, %b : tensor<2xi32>, tensor<2xi32>
    }) : (tensor<i1>) -> (tensor<2xi32>, tensor<2xi32>)""", (flag,), returned="%r#0, %r#1")  # fmt: skip


CASES = (
    Case(
        "while",
        "captures and nests",
        "tensor<i32>, tensor<2xi32>",
        "tensor<i32>, tensor<2xi32>",
        """%k = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %r:2 = stablehlo.while(%i = %a, %x = %b) : tensor<i32>, tensor<2xi32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %k : tensor<i32>
        %q = stablehlo.compare EQ, %i, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %y = "stablehlo.if"(%q) ({
          stablehlo.return %b : tensor<2xi32>
        }, {
          %s = stablehlo.add %x, %b : tensor<2xi32>
          stablehlo.return %s : tensor<2xi32>
        }) : (tensor<i1>) -> tensor<2xi32>
        stablehlo.return %j, %y : tensor<i32>, tensor<2xi32>
      }""",
        (0, [3, -4]),
        returned="%r#0, %r#1",
    ),
    Case(
        "while",
        "never",
        "tensor<i32>",
        "tensor<i32>",
        """%f = stablehlo.constant dense<false> : tensor<i1>
    %r = stablehlo.while(%i = %a) : tensor<i32>
      cond {
        stablehlo.return %f : tensor<i1>
      } do {
        %j = stablehlo.add %i, %i : tensor<i32>
        stablehlo.return %j : tensor<i32>
      }""",
    ),
    _if(True),
    _if(False),
    _case(-1),
    _case(0),
    _case(1),
    _case(2),
    _case(7),
    Case(
        "map",
        "region of two operations",
        "tensor<2x3xi32>, tensor<2x3xi32>",
        "tensor<2x3xi32>",
        """%r = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.multiply %x, %y : tensor<i32>
        %t = stablehlo.negate %s : tensor<i32>
        stablehlo.return %t : tensor<i32>
    }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>""",
    ),
    Case(
        "map",
        "constant region",
        "tensor<3xi32>",
        "tensor<3xi32>",
        """%r = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
      ^bb0(%x: tensor<i32>):
        %t = stablehlo.constant dense<4> : tensor<i32>
        stablehlo.return %t : tensor<i32>
    }) : (tensor<3xi32>) -> tensor<3xi32>""",
    ),
    Case(
        "func.call",
        "twice",
        "tensor<3xi32>",
        "tensor<3xi32>",
        "%y = func.call @twice(%a) : (tensor<3xi32>) -> tensor<3xi32>\n"
        "%r = func.call @twice(%y) : (tensor<3xi32>) -> tensor<3xi32>",
        helpers=_TWICE,
    ),
    Case(
        "composite",
        "unknown name",
        "tensor<3xi32>",
        "tensor<3xi32>",
        '%r = stablehlo.composite "other.twice" %a {decomposition = @twice} : (tensor<3xi32>) -> tensor<3xi32>',
        helpers=_TWICE,
    ),
)
