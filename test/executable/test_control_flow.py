"""Control flow on shards: what passes through all ops inside stays cut, the rest is made whole."""

from __future__ import annotations

import pytest
import torch
from executable.harness import main_of, partition, random_inputs, run_sharded, run_whole

from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.rules import rule_for
from distc.dialect.text import parse_sharding
from distc.transforms.verify_partitioned import verify_partitioned

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")
COUNTER = """  %zero = stablehlo.constant dense<0> : INT
  %one = stablehlo.constant dense<1> : INT
"""
# Two carried values swap places; a captured one and rows of it are read inside.
SWAP = (
    COUNTER
    + """  %c = stablehlo.constant dense<3> : MATRIX
  %b = stablehlo.multiply %a, %c : MATRIX
  %r:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : INT, MATRIX, MATRIX cond {
    %p = stablehlo.compare LT, %i, %n : (INT, INT) -> BOOL
    stablehlo.return %p : BOOL
  } do {
    %j = stablehlo.add %i, %one : INT
    %s = stablehlo.add %y, %b : MATRIX
    %v = stablehlo.broadcast_in_dim %w, dims = [1] : (ROW) -> MATRIX
    %t = stablehlo.subtract %x, %v : MATRIX
    stablehlo.return %j, %s, %t : INT, MATRIX, MATRIX
  }
  return %r#1 : MATRIX"""
)
# Rows are summed, divided by, and written in place: rank-local facts (masks) inside regions.
ROWS = (
    COUNTER
    + """  %r:2 = stablehlo.while(%i = %zero, %x = %a) : INT, MATRIX cond {
    %p = stablehlo.compare LT, %i, %n : (INT, INT) -> BOOL
    stablehlo.return %p : BOOL
  } do {
    %j = stablehlo.add %i, %one : INT
    %s = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [1]
      : (MATRIX, INT) -> COLUMN
    %e = stablehlo.multiply %s, %s : COLUMN
    %o = stablehlo.broadcast_in_dim %one, dims = [] : (INT) -> COLUMN
    %f = stablehlo.or %e, %o : COLUMN
    %d = stablehlo.broadcast_in_dim %f, dims = [0] : (COLUMN) -> MATRIX
    %q = stablehlo.divide %x, %d : MATRIX
    %t = stablehlo.iota dim = 0 : MATRIX
    %m = stablehlo.maximum %q, %t : MATRIX
    %u = stablehlo.broadcast_in_dim %w, dims = [1] : (ROW) -> MATRIX
    %z = stablehlo.add %m, %u : MATRIX
    stablehlo.return %j, %z : INT, MATRIX
  }
  return %r#1 : MATRIX"""
)
# The condition reads the whole value: it is the same on all ranks only if they all hold it.
UNTIL = (
    COUNTER
    + """  %r:2 = stablehlo.while(%i = %zero, %x = %a) : INT, MATRIX cond {
    %s = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0, 1]
      : (MATRIX, INT) -> INT
    %l = stablehlo.constant dense<9> : INT
    %p = stablehlo.compare LT, %s, %l : (INT, INT) -> BOOL
    stablehlo.return %p : BOOL
  } do {
    %j = stablehlo.add %i, %one : INT
    %o = stablehlo.broadcast_in_dim %one, dims = [] : (INT) -> MATRIX
    %z = stablehlo.add %x, %o : MATRIX
    stablehlo.return %j, %z : INT, MATRIX
  }
  return %r#1 : MATRIX"""
)
# A branch in a loop; it captures from the loop and from outside of it.
NESTED = (
    COUNTER
    + """  %r:2 = stablehlo.while(%i = %zero, %x = %a) : INT, MATRIX cond {
    %p = stablehlo.compare LT, %i, %n : (INT, INT) -> BOOL
    stablehlo.return %p : BOOL
  } do {
    %j = stablehlo.add %i, %one : INT
    %h = stablehlo.and %i, %one : INT
    %q = stablehlo.compare EQ, %h, %one : (INT, INT) -> BOOL
    %z = "stablehlo.if"(%q) ({
      %s = stablehlo.add %x, %a : MATRIX
      stablehlo.return %s : MATRIX
    }, {
      %t = "stablehlo.case"(%i) ({
        %u = stablehlo.broadcast_in_dim %w, dims = [1] : (ROW) -> MATRIX
        %v = stablehlo.subtract %x, %u : MATRIX
        stablehlo.return %v : MATRIX
      }, {
        stablehlo.return %a : MATRIX
      }) : (INT) -> MATRIX
      stablehlo.return %t : MATRIX
    }) : (BOOL) -> MATRIX
    stablehlo.return %j, %z : INT, MATRIX
  }
  return %r#1 : MATRIX"""
)
# One branch mixes rows, the other does not: rows stay whole in both, columns pass.
BRANCHES = """  %0 = "stablehlo.case"(%n) ({
    %1 = stablehlo.reverse %a, dims = [0] : MATRIX
    stablehlo.return %1 : MATRIX
  }, {
    %2 = stablehlo.broadcast_in_dim %w, dims = [1] : (ROW) -> MATRIX
    stablehlo.return %2 : MATRIX
  }) : (INT) -> MATRIX
  return %0 : MATRIX"""
PROGRAMS = {
    "swap": SWAP, "rows": ROWS, "until": UNTIL, "nested": NESTED, "branches": BRANCHES,
}  # fmt: skip


def _text(body: str, rows: int, columns: int) -> str:
    text = f"func.func @main(%n: INT, %a: MATRIX, %w: ROW) -> MATRIX {{\n{body}\n}}\n"
    shapes = {
        "MATRIX": f"{rows}x{columns}xi32",
        "COLUMN": f"{rows}xi32",
        "ROW": f"{columns}xi32",
        "INT": "i32",
        "BOOL": "i1",
    }
    for name, shape in shapes.items():
        text = text.replace(name, f"tensor<{shape}>")
    return text


def _equal_to_whole(text: str, mesh: Mesh, sharding: str, shape: tuple[int, int]) -> dict[str, int]:
    """Compare on every number of trips; return the collectives."""
    module = parse_module(text, make_context(), "test.mlir")
    _, *inputs = random_inputs(module, 5, -9, 9)
    cut = parse_sharding(sharding, mesh)
    parts = partition(text, mesh, {1: cut}, {0: cut})
    for trips in (0, 1, 2, 5):
        given = [torch.tensor(trips, dtype=torch.int32), *inputs]
        (found,) = run_sharded(parts, given, [shape])
        assert torch.equal(found, run_whole(text, given)[0]), (trips, sharding)
    return verify_partitioned(parts.module).collectives


@pytest.mark.parametrize("mesh_text", MESHES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_sizes(name: str, mesh_text: str) -> None:
    mesh = Mesh.parse(mesh_text)
    axes = ",".join(a.name for a in mesh.axes)
    both = [f"[S({a.name}), S({b.name})]" for a, b in zip(mesh.axes, mesh.axes[1:], strict=False)]
    for size in range(10):
        others = (f"[R, S({axes})]", *both) if size in (0, 1, 5) else ()
        for sharding in (f"[S({axes}), R]", *others):
            shape = (4, size) if sharding.startswith("[R") else (size, 3)
            _equal_to_whole(_text(PROGRAMS[name], *shape), mesh, sharding, shape)


@pytest.mark.parametrize(
    "name, sharding, local",
    [
        ("swap", "[S(x), R]", True),
        ("swap", "[R, S(x)]", True),
        ("rows", "[S(x), R]", True),
        ("rows", "[R, S(x)]", False),
        ("until", "[S(x), R]", False),
        ("nested", "[S(x), R]", True),
        ("nested", "[R, S(x)]", True),
        ("branches", "[S(x), R]", False),
        ("branches", "[R, S(x)]", True),
    ],
)
def test_what_passes_is_not_gathered(name: str, sharding: str, local: bool) -> None:
    found = _equal_to_whole(_text(PROGRAMS[name], 5, 7), Mesh.of(x=3), sharding, (5, 7))
    assert (not found) is local, found


def test_the_rule_names_what_passes() -> None:
    module = parse_module(_text(ROWS, 5, 7), make_context(), "test.mlir")
    loop = next(o for o in stablehlo.walk(main_of(module)) if o.name == "stablehlo.while")
    # Inputs are the carried values, then what the regions read: %n, the constant one, %w.
    assert str(rule_for(loop)) == (
        "([], [i, j], [], [], [k])->([], [i, l]) {i=5, j=7, k=7, l=7} need_replication={j, k, l}"
    )
