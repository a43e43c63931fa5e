"""One small program for each op that `distc rules discover OP` knows by name."""

from __future__ import annotations


def _elementwise(name: str, operands: int, kind: str = "f32") -> str:
    t = f"tensor<4x6x{kind}>"
    arguments = ", ".join(f"%a{i}: {t}" for i in range(operands))
    values = ", ".join(f"%a{i}" for i in range(operands))
    types = ", ".join([t] * operands)
    return (
        f"func.func @main({arguments}) -> {t} {{\n"
        f'  %0 = "stablehlo.{name}"({values}) : ({types}) -> {t}\n  return %0 : {t}\n}}\n'
    )


def _reduce(name: str, init: str) -> str:
    return f"""func.func @main(%a: tensor<4x6xf32>) -> tensor<4xf32> {{
  %c = stablehlo.constant dense<{init}> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.{name} across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


_UNARY = "abs ceil cosine exponential floor log logistic negate rsqrt sign sine sqrt tanh".split()
_BINARY = "add divide maximum minimum multiply power subtract".split()

SAMPLES: dict[str, str] = {
    **{name: _elementwise(name, 1) for name in _UNARY},
    **{name: _elementwise(name, 2) for name in _BINARY},
    "broadcast_in_dim": """func.func @main(%a: tensor<4xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
""",
    "concatenate": """func.func @main(%a: tensor<4x6xf32>, %b: tensor<4x5xf32>) -> tensor<4x11xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x6xf32>, tensor<4x5xf32>) -> tensor<4x11xf32>
  return %0 : tensor<4x11xf32>
}
""",
    "dot_general": """func.func @main(%a: tensor<3x4x6xf32>, %b: tensor<3x6x5xf32>) -> tensor<3x4x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}
""",
    "reduce": _reduce("add", "0.0"),
    "reduce_max": _reduce("maximum", "0xFF800000"),
    "reduce_min": _reduce("minimum", "0x7F800000"),
    "reduce_prod": _reduce("multiply", "1.0"),
    "reshape": """func.func @main(%a: tensor<4x6x5xf32>) -> tensor<24x5xf32> {
  %0 = stablehlo.reshape %a : (tensor<4x6x5xf32>) -> tensor<24x5xf32>
  return %0 : tensor<24x5xf32>
}
""",
    "reverse": """func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
""",
    "transpose": """func.func @main(%a: tensor<4x6x5xf32>) -> tensor<6x5x4xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<4x6x5xf32>) -> tensor<6x5x4xf32>
  return %0 : tensor<6x5x4xf32>
}
""",
}
