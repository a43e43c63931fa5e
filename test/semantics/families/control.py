"""Control flow over cut values, operations with several results, values returned twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import MESHES, Case, Family
from semantics.text import Finished, Program

_F = Family("control")
_X = np.arange(15).reshape(5, 3) - 4


def _raw(
    body: str, results: str, inputs: list[tuple[object, str]], shapes: list[tuple[int, ...]]
) -> Finished:
    p = Program()
    arguments = [p.argument(values, dtype) for values, dtype in inputs]
    takes = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    text = f"func.func @main({takes}) -> ({results}) {{\n{body}\n}}\n"
    return Finished(text, tuple(p.inputs), tuple(a.dtype for a in arguments), tuple(shapes))


_LOOP = """  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a0) : tensor<i32>, tensor<5x3xi32>
    cond {
      %p = stablehlo.compare LT, %i, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x3xi32>, tensor<i32>) -> tensor<3xi32>
      %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xi32>) -> tensor<5x3xi32>
      %y = stablehlo.add %b, %a0 : tensor<5x3xi32>
      stablehlo.return %j, %y : tensor<i32>, tensor<5x3xi32>
    }
  return %r#1, %r#0 : tensor<5x3xi32>, tensor<i32>"""

_IF = """  %zero = stablehlo.constant dense<0> : tensor<i32>
  %total = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xi32>, tensor<i32>) -> tensor<i32>
  %p = stablehlo.compare GT, %total, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %d = stablehlo.add %a0, %a0 : tensor<5x3xi32>
    stablehlo.return %d : tensor<5x3xi32>
  }, {
    %n = stablehlo.negate %a0 : tensor<5x3xi32>
    stablehlo.return %n : tensor<5x3xi32>
  }) : (tensor<i1>) -> tensor<5x3xi32>
  return %r : tensor<5x3xi32>"""

_CASE = """  %r:2 = "stablehlo.case"(%a1) ({
    stablehlo.return %a0, %a1 : tensor<5x3xi32>, tensor<i32>
  }, {
    %s = stablehlo.multiply %a0, %a0 : tensor<5x3xi32>
    stablehlo.return %s, %a1 : tensor<5x3xi32>, tensor<i32>
  }, {
    %v = stablehlo.reverse %a0, dims = [0] : tensor<5x3xi32>
    stablehlo.return %v, %a1 : tensor<5x3xi32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<5x3xi32>, tensor<i32>)
  return %r#0, %r#1 : tensor<5x3xi32>, tensor<i32>"""

_CALL = """  %0 = func.call @helper(%a0) : (tensor<5x3xi32>) -> tensor<5x3xi32>
  %1 = func.call @helper(%0) : (tensor<5x3xi32>) -> tensor<5x3xi32>
  return %1 : tensor<5x3xi32>
}
func.func private @helper(%x: tensor<5x3xi32>) -> tensor<5x3xi32> {
  %v = stablehlo.reverse %x, dims = [0] : tensor<5x3xi32>
  %s = stablehlo.subtract %v, %x : tensor<5x3xi32>
  return %s : tensor<5x3xi32>"""

_CAPTURE = """  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.reduce"(%a0, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %m = stablehlo.maximum %p, %q : tensor<i32>
      %t = stablehlo.maximum %m, %zero : tensor<i32>
      stablehlo.return %t : tensor<i32>
  }) : (tensor<5x3xi32>, tensor<i32>) -> tensor<3xi32>
  %u = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<3xi32>) -> tensor<5x3xi32>
  %w = stablehlo.subtract %u, %a0 : tensor<5x3xi32>
  return %w : tensor<5x3xi32>"""

_PAIR = """  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = "stablehlo.reduce"(%a0, %a0, %low, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%p: tensor<i32>, %s: tensor<i32>, %q: tensor<i32>, %t: tensor<i32>):
      %m = stablehlo.maximum %p, %q : tensor<i32>
      %n = stablehlo.add %s, %t : tensor<i32>
      stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  }) : (tensor<5x3xi32>, tensor<5x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
  return %r#0, %r#1 : tensor<3xi32>, tensor<3xi32>"""

_MAP = """  %r = "stablehlo.map"(%a0, %a0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %m = stablehlo.multiply %p, %q : tensor<i32>
      %s = stablehlo.subtract %m, %p : tensor<i32>
      stablehlo.return %s : tensor<i32>
  }) : (tensor<5x3xi32>, tensor<5x3xi32>) -> tensor<5x3xi32>
  return %r : tensor<5x3xi32>"""


def cases() -> Iterator[Case]:
    """Loops, branches, calls, captured values, several results."""
    wide = "tensor<5x3xi32>"
    x = (_X, "i32")
    programs = {
        "while": [_raw(_LOOP, f"{wide}, tensor<i32>", [x, (n, "i32")], [(5, 3), ()]) for n in (0, 3)],
        "if": [_raw(_IF, wide, [x, (n, "i32")], [(5, 3)]) for n in (0, 999)],
        "case": [_raw(_CASE, f"{wide}, tensor<i32>", [x, (n, "i32")], [(5, 3), ()])
                 for n in (-1, 0, 1, 2, 7)],
        "call": [_raw(_CALL, wide, [x], [(5, 3)])],
        "reducer with a captured value": [_raw(_CAPTURE, wide, [x], [(5, 3)])],
        "maximum and sum together": [
            _raw(_PAIR, "tensor<3xi32>, tensor<3xi32>", [x], [(3,), (3,)]),
        ],
        "map": [_raw(_MAP, wide, [x], [(5, 3)])],
    }  # fmt: skip
    skipped = {"reducer with a captured value": "a start value inside the body"}
    for name, variants in programs.items():
        for number, program in enumerate(variants):
            for pins in ({0: 0}, {0: 1}):
                meshes = MESHES if len(variants) < 3 else MESHES[number % 2 :: 2]
                yield from _F.over(
                    f"{name} {number}", "regions see whole values, ranks take the same way", program,
                    pins, {0: 0}, meshes=meshes, interpreter=skipped.get(name, "") and "",
                )  # fmt: skip
    yield from _several()


def _several() -> Iterator[Case]:
    p = Program()
    x, y = p.argument(_X), p.argument(_X[::-1] * 2)
    program = p.returning(*p.sort(x, y, p.iota(0, x.shape), dim=0), *p.arg_reduce(x, 0))
    yield from _F.over("all results of a sort", "each result has its own local shape", program,
                       {0: 0}, {0: 0, 1: 1, 3: 0})  # fmt: skip
    yield from _F.over("all results of a sort", "each result has its own local shape", program,
                       {1: 1}, {0: 1, 2: 0, 4: 0})  # fmt: skip
    p = Program()
    x = p.argument(_X)
    program = p.returning(x, x, p.same("add", x, x), x)
    yield from _F.over("an argument returned thrice", "each return has its own sharding", program,
                       {0: 0}, {0: 1, 1: 0})  # fmt: skip
    p = Program()
    x, y = p.argument(_X), p.argument(_X * 3)
    made = p.op("optimization_barrier", [x, y], [(x.shape, "i32"), (y.shape, "i32")])
    program = p.returning(*made)
    yield from _F.over("barrier", "each operand to its own result", program, {0: 0, 1: 1},
                       {0: 1, 1: 1})  # fmt: skip
    yield from _F.over("barrier", "each operand to its own result", program, {0: "P(sum)", 1: 0})
    p = Program()
    w, x = p.argument(np.arange(9).reshape(3, 3) - 4), p.argument(_X)
    hidden = p.dot(x, w)
    program = p.returning(p.dot(hidden, w, ((1,), (1,))), p.dot(hidden, w), w)
    for pins in ({0: 0}, {0: 1}, {0: 0, 1: 0}, {1: 1}):
        yield from _F.over("a weight used twice", "one value, two layouts", program, pins,
                           {2: 0} if pins != {1: 1} else {})  # fmt: skip
    p = Program()
    x = p.argument([7, 8, 9])
    unused = p.argument(np.ones((4, 2)), "f32")
    assert unused.shape
    program = p.returning(p.same("add", x, x))
    yield from _F.over("an unused argument", "nothing asks for it", program, {0: 0, 1: 0})
