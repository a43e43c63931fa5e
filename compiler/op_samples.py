"""One small program for each op that `distc rules discover OP` knows by name.

Sizes differ within a program, so that nothing runs along something else by accident, and dimensions
that an op treats in different ways (batch, window, index) are all there.
"""

from __future__ import annotations


def _program(arguments: str, body: str, results: str) -> str:
    """A program of one op.

    Args:
        arguments: types of %a0, %a1, …, without `tensor`.
        body: its lines; the last names %0, the result or results.
        results: types of the results.
    """
    inner = ", ".join(f"%a{i}: tensor<{t}>" for i, t in enumerate(arguments.split()))
    types = [f"tensor<{t}>" for t in results.split()]
    values = ["%0"] if len(types) == 1 else [f"%0#{i}" for i in range(len(types))]
    given, outs = ", ".join(values), ", ".join(types)
    return f"func.func @main({inner}) -> ({outs}) {{\n  {body}\n  return {given} : {outs}\n}}\n"


def _generic(name: str, arguments: str, results: str, rest: str = "") -> str:
    """A program of one op in its generic form; `rest` is what stands between operands and types."""
    values = ", ".join(f"%a{i}" for i in range(len(arguments.split())))
    types = ", ".join(f"tensor<{t}>" for t in arguments.split())
    outs = [f"tensor<{t}>" for t in results.split()]
    left = "%0" if len(outs) == 1 else f"%0:{len(outs)}"
    body = f'{left} = "stablehlo.{name}"({values}){rest} : ({types}) -> ({", ".join(outs)})'
    return _program(arguments, body, results)


def _alike(name: str, operands: int, kind: str) -> str:
    t = f"4x6x{kind}"
    return _generic(name, " ".join([t] * operands), t)


def _region(op: str, kind: str = "f32") -> str:
    return (
        f"({{ ^bb0(%x: tensor<{kind}>, %y: tensor<{kind}>): %z = stablehlo.{op} %x, %y : "
        f"tensor<{kind}>\n stablehlo.return %z : tensor<{kind}> }})"
    )


def _comparing(direction: str, kind: str = "f32") -> str:
    return (
        f"({{ ^bb0(%x: tensor<{kind}>, %y: tensor<{kind}>): %p = stablehlo.compare {direction}, "
        f"%x, %y : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>\n"
        " stablehlo.return %p : tensor<i1> })"
    )


def _reduce(name: str, init: str) -> str:
    body = (
        f"%c = stablehlo.constant dense<{init}> : tensor<f32>\n"
        f"  %0 = stablehlo.reduce(%a0 init: %c) applies stablehlo.{name} across dimensions = [1] : "
        "(tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>"
    )
    return _program("4x6xf32", body, "4xf32")


def _convolution(arguments: str, dims: str, window: str, groups: str, result: str) -> str:
    types = ", ".join(f"tensor<{t}>" for t in arguments.split())
    body = (
        f"%0 = stablehlo.convolution(%a0, %a1) dim_numbers = {dims}, window = {{{window}}} "
        f"{{{groups}}} : ({types}) -> tensor<{result}>"
    )
    return _program(arguments, body, result)


_CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
_ALL = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
_UNARY = (
    "abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate "
    "round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh"
).split()
_BINARY = "add atan2 divide maximum minimum multiply power remainder subtract".split()
_BITS = "and or shift_left shift_right_arithmetic shift_right_logical xor".split()

SAMPLES: dict[str, str] = {
    **{name: _alike(name, 1, "f32") for name in _UNARY},
    **{name: _alike(name, 1, "i32") for name in ("count_leading_zeros", "not", "popcnt")},
    **{name: _alike(name, 2, "f32") for name in _BINARY},
    **{name: _alike(name, 2, "i32") for name in _BITS},
    "add_integers": _alike("add", 2, "i32"),
    "all_gather": _generic(
        "all_gather", "3x4xf32", "3x8xf32",
        f" {{all_gather_dim = 1 : i64, {_ALL}, {_CHANNEL}, use_global_device_ids}}",
    ),
    "all_reduce": _generic(
        "all_reduce", "3x4xf32", "3x4xf32",
        f" <{{{_ALL}, {_CHANNEL}, use_global_device_ids}}> {_region('add')}",
    ),
    "all_to_all": _generic(
        "all_to_all", "3x4x6xf32", "3x8x3xf32",
        " {split_dimension = 2 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, "
        f"{_ALL}, {_CHANNEL}}}",
    ),
    "batch_norm_grad": _generic(
        "batch_norm_grad", "5x6x7xf32 6xf32 6xf32 6xf32 5x6x7xf32", "5x6x7xf32 6xf32 6xf32",
        " <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>",
    ),
    "batch_norm_inference": _generic(
        "batch_norm_inference", "5x6x3xf32 6xf32 6xf32 6xf32 6xf32", "5x6x3xf32",
        " <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>",
    ),
    "batch_norm_training": _generic(
        "batch_norm_training", "5x6x7xf32 6xf32 6xf32", "5x6x7xf32 6xf32 6xf32",
        " <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>",
    ),
    "bitcast_convert": _generic("bitcast_convert", "5x6x2xi32", "5x6xi64"),
    "broadcast": _generic(
        "broadcast", "4x5xf32", "3x4x5xf32", " <{broadcast_sizes = array<i64: 3>}>"
    ),
    "broadcast_in_dim": _generic(
        "broadcast_in_dim", "4x1xf32", "3x4x6xf32",
        " <{broadcast_dimensions = array<i64: 1, 2>}>",
    ),
    "case": _program(
        "5x6xf32 6xf32 i32",
        '%0 = "stablehlo.case"(%a2) ({\n'
        "    %b = stablehlo.broadcast_in_dim %a1, dims = [1] : (tensor<6xf32>) -> tensor<5x6xf32>\n"
        "    %s = stablehlo.multiply %a0, %b : tensor<5x6xf32>\n"
        "    stablehlo.return %s : tensor<5x6xf32>\n  }, {\n"
        "    stablehlo.return %a0 : tensor<5x6xf32>\n"
        "  }) : (tensor<i32>) -> tensor<5x6xf32>",
        "5x6xf32",
    ),
    "cholesky": _generic("cholesky", "5x3x3xf32", "5x3x3xf32", " <{lower = true}>"),
    "clamp": _generic("clamp", "f32 5x6xf32 f32", "5x6xf32"),
    "collective_broadcast": _generic(
        "collective_broadcast", "3x4xf32", "3x4xf32", f" {{{_ALL}, {_CHANNEL}}}"
    ),
    "collective_permute": _generic(
        "collective_permute", "3x4xf32", "3x4xf32",
        f" {{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, {_CHANNEL}}}",
    ),
    "compare": _program(
        "4x6xf32 4x6xf32",
        "%0 = stablehlo.compare LT, %a0, %a1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
        "tensor<4x6xi1>",
        "4x6xi1",
    ),
    "complex": _generic("complex", "4x6xf32 4x6xf32", "4x6xcomplex<f32>"),
    "concatenate": _generic(
        "concatenate", "4x6xf32 4x5xf32", "4x11xf32", " <{dimension = 1 : i64}>"
    ),
    "constant": _program(
        "", "%0 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>", "3x2xi32"
    ),
    "convert": _generic("convert", "4x6xf32", "4x6xf64"),
    "convert_to_integers": _generic("convert", "4x6xf32", "4x6xi32"),
    "convolution": _convolution(
        "3x4x6x6xf32 5x4x3x3xf32",
        "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
        "stride = [2, 1], pad = [[1, 1], [1, 1]]",
        "batch_group_count = 1 : i64, feature_group_count = 1 : i64",
        "3x5x3x6xf32",
    ),
    "convolution_of_feature_groups": _convolution(
        "2x6x5xf32 12x2x3xf32",
        "[b, f, 0]x[o, i, 0]->[b, f, 0]",
        "pad = [[1, 1]]",
        "batch_group_count = 1 : i64, feature_group_count = 3 : i64",
        "2x12x5xf32",
    ),
    "dot": _generic("dot", "5x6xf32 6x4xf32", "5x4xf32"),
    "dot_general": _program(
        "3x4x6xf32 3x6x5xf32",
        "%0 = stablehlo.dot_general %a0, %a1, batching_dims = [0] x [0], contracting_dims = [2] x "
        "[1] : (tensor<3x4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32>",
        "3x4x5xf32",
    ),
    "dynamic_slice": _generic(
        "dynamic_slice", "5x9xf32 i32 i32", "5x3xf32", " <{slice_sizes = array<i64: 5, 3>}>"
    ),
    "dynamic_update_slice": _generic(
        "dynamic_update_slice", "5x9xf32 5x3xf32 i32 i32", "5x9xf32"
    ),
    "fft": _program(
        "5x4x6xcomplex<f32>",
        "%0 = stablehlo.fft %a0, type = FFT, length = [6] : (tensor<5x4x6xcomplex<f32>>) -> "
        "tensor<5x4x6xcomplex<f32>>",
        "5x4x6xcomplex<f32>",
    ),
    "gather": _generic(
        "gather", "7x5xf32 4x3xi32", "4x3x5xf32",
        " <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], "
        "start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 5>}>",
    ),
    "if": _program(
        "5x6xf32 5x6xf32 i1",
        '%0 = "stablehlo.if"(%a2) ({\n'
        "    %s = stablehlo.multiply %a0, %a1 : tensor<5x6xf32>\n"
        "    stablehlo.return %s : tensor<5x6xf32>\n  }, {\n"
        "    stablehlo.return %a0 : tensor<5x6xf32>\n"
        "  }) : (tensor<i1>) -> tensor<5x6xf32>",
        "5x6xf32",
    ),
    "imag": _generic("imag", "4x6xcomplex<f32>", "4x6xf32"),
    "iota": _program("", "%0 = stablehlo.iota dim = 0 : tensor<5x6xi32>", "5x6xi32"),
    "is_finite": _generic("is_finite", "4x6xf32", "4x6xi1"),
    "map": _generic(
        "map", "5x6xf32 5x6xf32", "5x6xf32",
        f" <{{dimensions = array<i64: 0, 1>}}> {_region('multiply')}",
    ),
    "optimization_barrier": _generic(
        "optimization_barrier", "5x6xf32 4xf32", "5x6xf32 4xf32"
    ),
    "pad": _program(
        "5x6xf32 f32",
        "%0 = stablehlo.pad %a0, %a1, low = [0, 1], high = [0, 2], interior = [0, 1] : "
        "(tensor<5x6xf32>, tensor<f32>) -> tensor<5x14xf32>",
        "5x14xf32",
    ),
    "real": _generic("real", "4x6xcomplex<f32>", "4x6xf32"),
    "reduce": _reduce("add", "0.0"),
    "reduce_max": _reduce("maximum", "0xFF800000"),
    "reduce_min": _reduce("minimum", "0x7F800000"),
    "reduce_precision": _generic(
        "reduce_precision", "4x6xf32", "4x6xf32",
        " <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}>",
    ),
    "reduce_prod": _reduce("multiply", "1.0"),
    "reduce_scatter": _generic(
        "reduce_scatter", "3x8xf32", "3x4xf32",
        f" <{{scatter_dimension = 1 : i64, {_ALL}, {_CHANNEL}, use_global_device_ids}}> "
        f"{_region('add')}",
    ),
    "reduce_window": _program(
        "5x8xf32",
        "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
        '  %0 = "stablehlo.reduce_window"(%a0, %c) <{window_dimensions = array<i64: 1, 3>, '
        "padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> "
        + _region("add")
        + " : (tensor<5x8xf32>, tensor<f32>) -> tensor<5x8xf32>",
        "5x8xf32",
    ),
    "reshape": _generic("reshape", "4x6x5xf32", "24x5xf32"),
    "reshape_splitting": _generic("reshape", "3x12x5xf32", "3x4x15xf32"),
    "reverse": _generic("reverse", "4x6xf32", "4x6xf32", " <{dimensions = array<i64: 1>}>"),
    "scatter": _generic(
        "scatter", "7x5xf32 3x1xi32 3x5xf32", "7x5xf32",
        " <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
        "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> "
        + _region("add"),
    ),
    "select": _generic("select", "4x6xi1 4x6xf32 4x6xf32", "4x6xf32"),
    "select_and_scatter": _program(
        "5x6xf32 5x3xf32",
        "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
        '  %0 = "stablehlo.select_and_scatter"(%a0, %a1, %c) <{window_dimensions = array<i64: 1, '
        "2>, window_strides = array<i64: 1, 2>}> ("
        + _comparing("GE").strip("()")
        + ", "
        + _region("add").strip("()")
        + ") : (tensor<5x6xf32>, tensor<5x3xf32>, tensor<f32>) -> tensor<5x6xf32>",
        "5x6xf32",
    ),
    "slice": _generic(
        "slice", "5x9xf32", "5x4xf32",
        " <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 5, 8>, "
        "strides = array<i64: 1, 2>}>",
    ),
    "sort": _generic(
        "sort", "5x6xf32", "5x6xf32",
        f" <{{dimension = 1 : i64, is_stable = true}}> {_comparing('LT')}",
    ),
    "torch_index_select": _generic(
        "torch_index_select", "4x7xf32 3xi32", "4x3xf32", " <{dim = 1 : i64, batch_dims = 0 : i64}>"
    ),
    "transpose": _generic(
        "transpose", "4x6x5xf32", "6x5x4xf32", " <{permutation = array<i64: 1, 2, 0>}>"
    ),
    "triangular_solve": _generic(
        "triangular_solve", "5x3x3xf32 5x3x4xf32", "5x3x4xf32",
        " <{left_side = true, lower = true, unit_diagonal = false, "
        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>",
    ),
    "while": _program(
        "i32 5x6xf32",
        "%n = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %0:2 = stablehlo.while(%i = %a0, %x = %a1) : tensor<i32>, tensor<5x6xf32> cond {\n"
        "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %c : tensor<i1>\n  } do {\n"
        "    %k = stablehlo.constant dense<1> : tensor<i32>\n"
        "    %j = stablehlo.add %i, %k : tensor<i32>\n"
        "    %d = stablehlo.negate %x : tensor<5x6xf32>\n"
        "    stablehlo.return %j, %d : tensor<i32>, tensor<5x6xf32>\n  }",
        "i32 5x6xf32",
    ),
}  # fmt: skip
