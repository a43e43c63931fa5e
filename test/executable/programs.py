"""One small program per op: what the tests of rules, partitioning and lowering run over.

Integers wherever the op has them, so that results are compared exactly.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OpProgram:
    """A program whose first function is @main and whose op under test is `op`."""

    op: str
    text: str
    low: int = -9
    high: int = 9

    @property
    def name(self) -> str:
        return self.op


def _main(arguments: list[str], body: str, results: list[str]) -> str:
    args = ", ".join(f"%a{i}: tensor<{t}>" for i, t in enumerate(arguments))
    outs = ", ".join(f"tensor<{t}>" for t in results)
    return f"func.func @main({args}) -> ({outs}) {{\n{body}\n}}\n"


def _unary(op: str, kind: str, shape: str = "5x6", low: int = -9, high: int = 9) -> OpProgram:
    t = f"{shape}x{kind}"
    body = f'  %0 = "stablehlo.{op}"(%a0) : (tensor<{t}>) -> tensor<{t}>\n  return %0 : tensor<{t}>'
    return OpProgram(f"stablehlo.{op}", _main([t], body, [t]), low, high)


def _binary(op: str, kind: str, low: int = -9, high: int = 9) -> OpProgram:
    t = f"5x6x{kind}"
    body = (
        f'  %0 = "stablehlo.{op}"(%a0, %a1) : (tensor<{t}>, tensor<{t}>) -> tensor<{t}>\n'
        f"  return %0 : tensor<{t}>"
    )
    return OpProgram(f"stablehlo.{op}", _main([t, t], body, [t]), low, high)


def _text(op: str, arguments: list[str], body: str, results: list[str], **bounds: int) -> OpProgram:
    return OpProgram(op, _main(arguments, body, results), **bounds)


_FLOAT_UNARY = (
    "cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic "
    "round_nearest_afz round_nearest_even rsqrt sine sqrt tan tanh"
).split()
_REDUCER = """({
  ^bb0(%x: tensor<KIND>, %y: tensor<KIND>):
    %z = stablehlo.OP %x, %y : tensor<KIND>
    stablehlo.return %z : tensor<KIND>
  })"""


def _reduce(op: str, kind: str, init: str) -> OpProgram:
    body = f"""  %c = stablehlo.constant dense<{init}> : tensor<{kind}>
  %0 = stablehlo.reduce(%a0 init: %c) applies stablehlo.{op} across dimensions = [1] : (tensor<5x6x3x{kind}>, tensor<{kind}>) -> tensor<5x3x{kind}>
  return %0 : tensor<5x3x{kind}>"""
    return _text("stablehlo.reduce", [f"5x6x3x{kind}"], body, [f"5x3x{kind}"])


PROGRAMS: tuple[OpProgram, ...] = (
    *(_unary(op, "f32", low=1) for op in _FLOAT_UNARY),
    *(
        _unary(op, "i32")
        for op in ("abs", "negate", "sign", "not", "popcnt", "count_leading_zeros")
    ),
    *(
        _binary(op, "i32")
        for op in ("add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor")
    ),
    _binary("divide", "i32", low=1),
    _binary("remainder", "i32", low=1),
    _binary("power", "i32", low=0, high=4),
    _binary("shift_left", "i32", low=0),
    _binary("shift_right_arithmetic", "i32", low=0),
    _binary("shift_right_logical", "i32", low=0),
    _binary("atan2", "f32"),
    _text(
        "stablehlo.compare",
        ["5x6xi32", "5x6xi32"],
        """  %0 = stablehlo.compare LT, %a0, %a1 : (tensor<5x6xi32>, tensor<5x6xi32>) -> tensor<5x6xi1>
  return %0 : tensor<5x6xi1>""",
        ["5x6xi1"],
    ),
    _text(
        "stablehlo.select",
        ["5x6xi32", "5x6xi32"],
        """  %p = stablehlo.compare GT, %a0, %a1 : (tensor<5x6xi32>, tensor<5x6xi32>) -> tensor<5x6xi1>
  %0 = stablehlo.select %p, %a0, %a1 : tensor<5x6xi1>, tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.clamp",
        ["i32", "5x6xi32", "i32"],
        """  %0 = stablehlo.clamp %a0, %a1, %a2 : (tensor<i32>, tensor<5x6xi32>, tensor<i32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.convert",
        ["5x6xi32"],
        """  %0 = stablehlo.convert %a0 : (tensor<5x6xi32>) -> tensor<5x6xi64>
  return %0 : tensor<5x6xi64>""",
        ["5x6xi64"],
    ),
    _text(
        "stablehlo.is_finite",
        ["5x6xf32"],
        """  %0 = stablehlo.is_finite %a0 : (tensor<5x6xf32>) -> tensor<5x6xi1>
  return %0 : tensor<5x6xi1>""",
        ["5x6xi1"],
    ),
    _text(
        "stablehlo.optimization_barrier",
        ["5x6xi32", "4xi32"],
        """  %0:2 = stablehlo.optimization_barrier %a0, %a1 : tensor<5x6xi32>, tensor<4xi32>
  return %0#0, %0#1 : tensor<5x6xi32>, tensor<4xi32>""",
        ["5x6xi32", "4xi32"],
    ),
    _text(
        "stablehlo.dot_general",
        ["3x5x7xi32", "3x7x4xi32"],
        """  %0 = stablehlo.dot_general %a0, %a1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x7xi32>, tensor<3x7x4xi32>) -> tensor<3x5x4xi32>
  return %0 : tensor<3x5x4xi32>""",
        ["3x5x4xi32"],
    ),
    _text(
        "stablehlo.convolution",
        ["3x4x6x6xf32", "5x4x3x3xf32"],
        """  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x4x6x6xf32>, tensor<5x4x3x3xf32>) -> tensor<3x5x3x6xf32>
  return %0 : tensor<3x5x3x6xf32>""",
        ["3x5x3x6xf32"],
    ),
    _reduce("add", "i32", "0"),
    _reduce("maximum", "i32", "-2147483648"),
    _reduce("minimum", "i32", "2147483647"),
    _reduce("multiply", "i32", "1"),
    _reduce("and", "i32", "-1"),
    _reduce("or", "i32", "0"),
    _text(
        "stablehlo.broadcast_in_dim",
        ["5x1xi32"],
        """  %0 = stablehlo.broadcast_in_dim %a0, dims = [1, 2] : (tensor<5x1xi32>) -> tensor<3x5x6xi32>
  return %0 : tensor<3x5x6xi32>""",
        ["3x5x6xi32"],
    ),
    _text(
        "stablehlo.concatenate",
        ["5x6xi32", "5x3xi32"],
        """  %0 = stablehlo.concatenate %a0, %a1, dim = 1 : (tensor<5x6xi32>, tensor<5x3xi32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>""",
        ["5x9xi32"],
    ),
    _text(
        "stablehlo.constant",
        [],
        """  %0 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi32>
  return %0 : tensor<5x3xi32>""",
        ["5x3xi32"],
    ),
    _text(
        "stablehlo.iota",
        [],
        """  %0 = stablehlo.iota dim = 0 : tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.pad",
        ["5x6xi32", "i32"],
        """  %0 = stablehlo.pad %a0, %a1, low = [0, 1], high = [0, 2], interior = [0, 1] : (tensor<5x6xi32>, tensor<i32>) -> tensor<5x14xi32>
  return %0 : tensor<5x14xi32>""",
        ["5x14xi32"],
    ),
    _text(
        "stablehlo.reshape",
        ["3x12x5xi32"],
        """  %0 = stablehlo.reshape %a0 : (tensor<3x12x5xi32>) -> tensor<3x4x15xi32>
  return %0 : tensor<3x4x15xi32>""",
        ["3x4x15xi32"],
    ),
    _text(
        "stablehlo.reverse",
        ["5x6xi32"],
        """  %0 = stablehlo.reverse %a0, dims = [1] : tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.slice",
        ["5x9xi32"],
        """  %0 = stablehlo.slice %a0 [0:5, 1:8:2] : (tensor<5x9xi32>) -> tensor<5x4xi32>
  return %0 : tensor<5x4xi32>""",
        ["5x4xi32"],
    ),
    _text(
        "stablehlo.transpose",
        ["3x4x5xi32"],
        """  %0 = stablehlo.transpose %a0, dims = [2, 0, 1] : (tensor<3x4x5xi32>) -> tensor<5x3x4xi32>
  return %0 : tensor<5x3x4xi32>""",
        ["5x3x4xi32"],
    ),
    _text(
        "stablehlo.sort",
        ["5x6xi32"],
        """  %0 = "stablehlo.sort"(%a0) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<5x6xi32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.dynamic_slice",
        ["5x9xi32", "i32", "i32"],
        """  %0 = stablehlo.dynamic_slice %a0, %a1, %a2, sizes = [5, 3] : (tensor<5x9xi32>, tensor<i32>, tensor<i32>) -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>""",
        ["5x3xi32"],
    ),
    _text(
        "stablehlo.dynamic_update_slice",
        ["5x9xi32", "5x3xi32", "i32", "i32"],
        """  %0 = stablehlo.dynamic_update_slice %a0, %a1, %a2, %a3 : (tensor<5x9xi32>, tensor<5x3xi32>, tensor<i32>, tensor<i32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>""",
        ["5x9xi32"],
    ),
    _text(
        "stablehlo.gather",
        ["7x5xi32", "4x3xi32"],
        """  %0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 5>}> : (tensor<7x5xi32>, tensor<4x3xi32>) -> tensor<4x3x5xi32>
  return %0 : tensor<4x3x5xi32>""",
        ["4x3x5xi32"],
    ),
    _text(
        "stablehlo.gather",
        ["7x5x6xi32", "4x3x2xi32"],
        """  %0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<7x5x6xi32>, tensor<4x3x2xi32>) -> tensor<4x3x6xi32>
  return %0 : tensor<4x3x6xi32>""",
        ["4x3x6xi32"],
    ),
    _text(
        "stablehlo.scatter",
        ["7x5xi32", "3x1xi32", "3x5xi32"],
        """  %0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<7x5xi32>, tensor<3x1xi32>, tensor<3x5xi32>) -> tensor<7x5xi32>
  return %0 : tensor<7x5xi32>""",
        ["7x5xi32"],
    ),
    _text(
        "stablehlo.reduce_window",
        ["5x6xi32"],
        """  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a0, %c) <{padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}> """
        + _REDUCER.replace("KIND", "i32").replace("OP", "add")
        + """ : (tensor<5x6xi32>, tensor<i32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.select_and_scatter",
        ["5x6xi32", "5x3xi32"],
        """  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%a0, %a1, %c) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<5x6xi32>, tensor<5x3xi32>, tensor<i32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.convolution",
        ["2x6x5xf32", "12x2x3xf32"],
        """  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x6x5xf32>, tensor<12x2x3xf32>) -> tensor<2x12x5xf32>
  return %0 : tensor<2x12x5xf32>""",
        ["2x12x5xf32"],
    ),
    _text(
        "stablehlo.convolution",
        ["6x4x5xf32", "9x4x3xf32"],
        """  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 1]]} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<6x4x5xf32>, tensor<9x4x3xf32>) -> tensor<2x9x5xf32>
  return %0 : tensor<2x9x5xf32>""",
        ["2x9x5xf32"],
    ),
    _text(
        "stablehlo.bitcast_convert",
        ["5x6x2xi32"],
        """  %0 = stablehlo.bitcast_convert %a0 : (tensor<5x6x2xi32>) -> tensor<5x6xi64>
  return %0 : tensor<5x6xi64>""",
        ["5x6xi64"],
    ),
    _text(
        "stablehlo.batch_norm_inference",
        ["5x6x3xf32", "6xf32", "6xf32", "6xf32", "6xf32"],
        """  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %a3, %a4) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<5x6x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<5x6x3xf32>
  return %0 : tensor<5x6x3xf32>""",
        ["5x6x3xf32"],
        low=1,
    ),
    _text(
        "stablehlo.cholesky",
        ["5x3x3xf32"],
        """  %c = stablehlo.constant dense<[[40.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 40.0]]> : tensor<3x3xf32>
  %d = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<5x3x3xf32>
  %x = stablehlo.add %a0, %d : tensor<5x3x3xf32>
  %0 = stablehlo.cholesky %x, lower = true : tensor<5x3x3xf32>
  return %0 : tensor<5x3x3xf32>""",
        ["5x3x3xf32"],
        low=0,
        high=2,
    ),
    _text(
        "stablehlo.dot",
        ["5x6xi32", "6x4xi32"],
        """  %0 = stablehlo.dot %a0, %a1 : (tensor<5x6xi32>, tensor<6x4xi32>) -> tensor<5x4xi32>
  return %0 : tensor<5x4xi32>""",
        ["5x4xi32"],
    ),
    _text(
        "stablehlo.fft",
        ["5x4x6xf32"],
        """  %f = stablehlo.fft %a0, type = RFFT, length = [6] : (tensor<5x4x6xf32>) -> tensor<5x4x4xcomplex<f32>>
  %0 = stablehlo.real %f : (tensor<5x4x4xcomplex<f32>>) -> tensor<5x4x4xf32>
  return %0 : tensor<5x4x4xf32>""",
        ["5x4x4xf32"],
    ),
    _text(
        "stablehlo.triangular_solve",
        ["5x3x3xf32", "5x3x4xf32"],
        """  %c = stablehlo.constant dense<[[9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]> : tensor<3x3xf32>
  %d = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<5x3x3xf32>
  %x = stablehlo.add %a0, %d : tensor<5x3x3xf32>
  %0 = "stablehlo.triangular_solve"(%x, %a1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<5x3x3xf32>, tensor<5x3x4xf32>) -> tensor<5x3x4xf32>
  return %0 : tensor<5x3x4xf32>""",
        ["5x3x4xf32"],
        low=0,
        high=2,
    ),
    _text(
        "stablehlo.custom_call",
        ["5x6xf32"],
        """  %0:2 = stablehlo.custom_call @mhlo.topk(%a0) {mhlo.attributes = {k = 2 : i64, largest = true}} : (tensor<5x6xf32>) -> (tensor<5x2xf32>, tensor<5x2xi32>)
  return %0#0, %0#1 : tensor<5x2xf32>, tensor<5x2xi32>""",
        ["5x2xf32", "5x2xi32"],
    ),
    _text(
        "stablehlo.reduce",
        ["5x6xi32", "5x6xi64"],
        """  %c = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.reduce(%a0 init: %c), (%a1 init: %d) across dimensions = [1] : (tensor<5x6xi32>, tensor<5x6xi64>, tensor<i32>, tensor<i64>) -> (tensor<5xi32>, tensor<5xi64>)
    reducer(%x: tensor<i32>, %y: tensor<i32>) (%u: tensor<i64>, %v: tensor<i64>) {
      %p = stablehlo.add %x, %y : tensor<i32>
      %q = stablehlo.add %u, %v : tensor<i64>
      stablehlo.return %p, %q : tensor<i32>, tensor<i64>
    }
  return %0#0, %0#1 : tensor<5xi32>, tensor<5xi64>""",
        ["5xi32", "5xi64"],
    ),
    # A dimension that is not indexed gives its first row.
    _text(
        "stablehlo.gather",
        ["7x5x6xi32", "4x3xi32"],
        """  %0 = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<7x5x6xi32>, tensor<4x3xi32>) -> tensor<4x3x6xi32>
  return %0 : tensor<4x3x6xi32>""",
        ["4x3x6xi32"],
    ),
    _text(
        "stablehlo.scatter",
        ["7x5x4xi32", "3x1xi32", "3x4xi32"],
        """  %0 = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<7x5x4xi32>, tensor<3x1xi32>, tensor<3x4xi32>) -> tensor<7x5x4xi32>
  return %0 : tensor<7x5x4xi32>""",
        ["7x5x4xi32"],
    ),
    _text(
        "stablehlo.scatter",
        ["7x5xi32", "7x5xi64", "3x1xi32", "3x5xi32", "3x5xi64"],
        """  %0:2 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %u: tensor<i64>, %y: tensor<i32>, %v: tensor<i64>):
    %z = stablehlo.maximum %x, %y : tensor<i32>
    %w = stablehlo.maximum %u, %v : tensor<i64>
    stablehlo.return %z, %w : tensor<i32>, tensor<i64>
  }) : (tensor<7x5xi32>, tensor<7x5xi64>, tensor<3x1xi32>, tensor<3x5xi32>, tensor<3x5xi64>) -> (tensor<7x5xi32>, tensor<7x5xi64>)
  return %0#0, %0#1 : tensor<7x5xi32>, tensor<7x5xi64>""",
        ["7x5xi32", "7x5xi64"],
    ),
    # An initial value that only the caller knows, and negative padding.
    _text(
        "stablehlo.select_and_scatter",
        ["7x6xi32", "6x3xi32", "i32"],
        """  %0 = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[-1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<7x6xi32>, tensor<6x3xi32>, tensor<i32>) -> tensor<7x6xi32>
  return %0 : tensor<7x6xi32>""",
        ["7x6xi32"],
    ),
    # The gradient of a kernel: the window is an image, its taps are two apart.
    _text(
        "stablehlo.convolution",
        ["4x13x3xi32", "4x6x5xi32"],
        """  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [f, 0, b]x[i, 0, o]->[b, f, 0], window = {stride = [1], pad = [[1, 0]], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x13x3xi32>, tensor<4x6x5xi32>) -> tensor<3x5x4xi32>
  return %0 : tensor<3x5x4xi32>""",
        ["3x5x4xi32"],
    ),
    # Statistics of a cut batch are those of all ranks.
    _text(
        "stablehlo.batch_norm_training",
        ["5x6x7xf64", "6xf64", "6xf64"],
        """  %0:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<5x6x7xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<5x6x7xf64>, tensor<6xf64>, tensor<6xf64>)
  return %0#0, %0#1, %0#2 : tensor<5x6x7xf64>, tensor<6xf64>, tensor<6xf64>""",
        ["5x6x7xf64", "6xf64", "6xf64"],
    ),
    _text(
        "stablehlo.batch_norm_grad",
        ["5x7x6xf64", "6xf64", "6xf64", "6xf64", "5x7x6xf64"],
        """  %v = stablehlo.abs %a3 : tensor<6xf64>
  %0:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %v, %a4) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<5x7x6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<6xf64>, tensor<5x7x6xf64>) -> (tensor<5x7x6xf64>, tensor<6xf64>, tensor<6xf64>)
  return %0#0, %0#1, %0#2 : tensor<5x7x6xf64>, tensor<6xf64>, tensor<6xf64>""",
        ["5x7x6xf64", "6xf64", "6xf64"],
    ),
    # Control flow: rows and columns pass, but where a region reverses or sums along them.
    _text(
        "stablehlo.while",
        ["i32", "5x6xi32", "5x6xi32", "6x6xi32"],
        """  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a1, %y = %a2) : tensor<i32>, tensor<5x6xi32>, tensor<5x6xi32> cond {
    %c = stablehlo.compare LT, %i, %a0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.reverse %y, dims = [1] : tensor<5x6xi32>
    %m = stablehlo.dot_general %y, %a3, contracting_dims = [1] x [0] : (tensor<5x6xi32>, tensor<6x6xi32>) -> tensor<5x6xi32>
    %d = stablehlo.subtract %x, %m : tensor<5x6xi32>
    stablehlo.return %j, %d, %r : tensor<i32>, tensor<5x6xi32>, tensor<5x6xi32>
  }
  return %0#0, %0#1, %0#2 : tensor<i32>, tensor<5x6xi32>, tensor<5x6xi32>""",
        ["i32", "5x6xi32", "5x6xi32"],
        low=2,
    ),
    _text(
        "stablehlo.if",
        ["5x6xi32", "6xi32", "i1"],
        """  %0 = "stablehlo.if"(%a2) ({
    %b = stablehlo.broadcast_in_dim %a1, dims = [1] : (tensor<6xi32>) -> tensor<5x6xi32>
    %s = stablehlo.multiply %a0, %b : tensor<5x6xi32>
    stablehlo.return %s : tensor<5x6xi32>
  }, {
    stablehlo.return %a0 : tensor<5x6xi32>
  }) : (tensor<i1>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
    _text(
        "stablehlo.case",
        ["5x6xi32", "6x5xi32", "i32"],
        """  %0:2 = "stablehlo.case"(%a2) ({
    %t = stablehlo.transpose %a0, dims = [1, 0] : (tensor<5x6xi32>) -> tensor<6x5xi32>
    %z = stablehlo.constant dense<4> : tensor<7xi32>
    stablehlo.return %t, %z : tensor<6x5xi32>, tensor<7xi32>
  }, {
    %n = stablehlo.iota dim = 0 : tensor<7xi32>
    stablehlo.return %a1, %n : tensor<6x5xi32>, tensor<7xi32>
  }) : (tensor<i32>) -> (tensor<6x5xi32>, tensor<7xi32>)
  return %0#0, %0#1 : tensor<6x5xi32>, tensor<7xi32>""",
        ["6x5xi32", "7xi32"],
        low=0,
        high=1,
    ),
    _text(
        "stablehlo.map",
        ["5x6xi32", "5x6xi32"],
        """  %0 = "stablehlo.map"(%a0, %a1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %m = stablehlo.multiply %x, %y : tensor<i32>
    %s = stablehlo.subtract %m, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<5x6xi32>, tensor<5x6xi32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>""",
        ["5x6xi32"],
    ),
)
