"""Ops as text, with what their rules must be: the traps of other tools among them."""

from __future__ import annotations

NLL_LOSS = """func.func @main(%logits: tensor<4x6xf32>, %target: tensor<4xi32>) -> tensor<f32> {
  %i = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %t = stablehlo.broadcast_in_dim %target, dims = [0] : (tensor<4xi32>) -> tensor<4x6xi32>
  %p = stablehlo.compare EQ, %i, %t : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %z = stablehlo.constant dense<0.0> : tensor<4x6xf32>
  %s = stablehlo.select %p, %logits, %z : tensor<4x6xi1>, tensor<4x6xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%s init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.negate %r : tensor<f32>
  return %n : tensor<f32>
}"""

GATHER_ONE = """func.func @main(%x: tensor<5xf32>, %i: tensor<1x1xi32>) -> tensor<1xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<1x1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}"""

SELECT_ROW = """func.func @main(%x: tensor<5x3xf32>) -> tensor<1x3xf32> {
  %0 = stablehlo.slice %x [0:1, 0:3] : (tensor<5x3xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}"""

BMM = """func.func @main(%a: tensor<3x4x6xf32>, %b: tensor<3x6x5xf32>) -> tensor<3x4x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}"""

BADDBMM = """func.func @main(%c: tensor<3x4x5xf32>, %a: tensor<3x4x6xf32>, %b: tensor<3x6x5xf32>) -> tensor<3x4x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32>
  %1 = stablehlo.add %0, %c : tensor<3x4x5xf32>
  return %1 : tensor<3x4x5xf32>
}"""

MEAN = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.constant dense<6.0> : tensor<4xf32>
  %m = stablehlo.divide %r, %n : tensor<4xf32>
  return %m : tensor<4xf32>
}"""

ARGMAX = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4xi32> {
  %i = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %f = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %f), (%i init: %z) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %r#1 : tensor<4xi32>
}"""

SOFTMAX = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %f = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %f) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %s = stablehlo.subtract %x, %b : tensor<4x6xf32>
  %e = stablehlo.exponential %s : tensor<4x6xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %r = stablehlo.divide %e, %u : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}"""

CUMULATIVE = """func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}"""

SELECT = """func.func @main(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

SCATTER = """func.func @main(%a: tensor<7xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<7xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<7xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}"""


def reduction(name: str, init: str, kind: str = "f32") -> str:
    """A reduction of the inner dimension from a start value."""
    return f"""func.func @main(%x: tensor<4x6x{kind}>) -> tensor<4x{kind}> {{
  %c = stablehlo.constant dense<{init}> : tensor<{kind}>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.{name} across dimensions = [1] : (tensor<4x6x{kind}>, tensor<{kind}>) -> tensor<4x{kind}>
  return %0 : tensor<4x{kind}>
}}"""


def elementwise(name: str, operands: int = 1, kind: str = "f32") -> str:
    """An op that works element by element."""
    t = f"tensor<4x6x{kind}>"
    arguments = ", ".join(f"%a{i}: {t}" for i in range(operands))
    values = ", ".join(f"%a{i}" for i in range(operands))
    types = ", ".join([t] * operands)
    return (
        f"func.func @main({arguments}) -> {t} {{\n"
        f'  %0 = "stablehlo.{name}"({values}) : ({types}) -> {t}\n  return %0 : {t}\n}}'
    )
