"""Small annotated programs in Shardy's words, one per class of what partitioning has to do."""

# MLIR text is not broken at a column.
# ruff: noqa: E501
from __future__ import annotations

_MESHES = """sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @swapped = <["x"=2, "y"=2], device_ids=[2, 0, 3, 1]>
sdy.mesh @line = <["z"=8]>
"""


def _sharding(dims: str, mesh: str = "m") -> str:
    """`x,y | | y` as a sharding: axes of one dimension each, `y2` is the outer half of y."""
    parts = []
    for dim in dims.split("|"):
        names = [n.strip() for n in dim.split(",") if n.strip()]
        axes = ['"y":(1)2' if n == "y1" else '"y":(2)2' if n == "y2" else f'"{n}"' for n in names]
        parts.append("{" + ", ".join(a.replace('"?"', "?") for a in axes) + "}")
    return f"#sdy.sharding<@{mesh}, [{', '.join(parts)}]>"


def _main(arguments: list[str], body: str, result: str) -> str:
    """Arguments and the result are `type ; dims ; mesh`, dims and mesh as in `_sharding`."""

    def signed(text: str) -> str:
        kind, *rest = [p.strip(" ") for p in text.split(";")]
        attribute = f" {{sdy.sharding = {_sharding(*rest)}}}" if rest else ""
        return f"tensor<{kind}>{attribute}"

    taken = ", ".join(f"%a{i}: {signed(a)}" for i, a in enumerate(arguments))
    kind = result.split(";")[0].strip()
    return (
        f"{_MESHES}func.func @main({taken}) -> ({signed(result)}) {{\n{body}\n"
        f"  return %0 : tensor<{kind}>\n}}\n"
    )


def _convolution(lhs: str, rhs: str, result: str, features: int, batches: int, cut: str) -> str:
    left, right = cut.split("/")
    return _main(
        [f"{lhs}xi32; {left}", f"{rhs}xi32; {right}"],
        "  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} "
        f"{{feature_group_count = {features} : i64, batch_group_count = {batches} : i64}} : "
        f"(tensor<{lhs}xi32>, tensor<{rhs}xi32>) -> tensor<{result}xi32>",
        f"{result}xi32; |x||y",
    )


_CUTS = {
    "batch": "x|||/|||y",
    "image": "|x|y|/|||",
    "contracted": "|||x/||x|",
    "features": "|||x/|||x",
}
_KINDS = {
    "plain": ("2x6x6x4", "3x3x4x4", "2x6x6x4", 1, 1),
    "feature_groups": ("2x6x6x4", "3x3x2x4", "2x6x6x4", 2, 1),
    "batch_groups": ("4x6x6x2", "3x3x2x4", "2x6x6x4", 1, 2),
}
_ADDER = "({ ^bb0(%p: tensor<i32>, %q: tensor<i32>): %c = stablehlo.OP %p, %q : tensor<i32>\n stablehlo.return %c : tensor<i32> })"

PROGRAMS: dict[str, str] = {
    "all_to_all": _main(
        ["8x8xi32; x|"],
        '  %0 = sdy.all_to_all [{"x"}: 0->1] %a0 out_sharding=<@m, [{}, {"x"}]> : tensor<8x8xi32>',
        "8x8xi32; |x",
    ),
    "collective_permute_of_sub_axes": _main(
        ["8x8xi32; y1|y2"],
        '  %0 = sdy.collective_permute %a0 out_sharding=<@m, [{"y":(2)2}, {"y":(1)2}]> : tensor<8x8xi32>',
        "8x8xi32; y2|y1",
    ),
    "reverse_of_ten_over_eight": _main(
        ["10x6xi32; x,y|"],
        '  %0 = stablehlo.reverse %a0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<10x6xi32>',
        "10x6xi32; x,y|",
    ),
    "reshape_that_merges": _main(
        ["3x6xi32; x|y"],
        "  %0 = stablehlo.reshape %a0 : (tensor<3x6xi32>) -> tensor<18xi32>",
        "18xi32; x,y",
    ),
    "reshape_that_splits": _main(
        ["18xi32; x,y"],
        '  %0 = stablehlo.reshape %a0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {"y"}]>]>} : (tensor<18xi32>) -> tensor<3x6xi32>',
        "3x6xi32; x|",
    ),
    "sort_along_a_cut_dimension": _main(
        ["9x5xi32; x|y"],
        """  %0 = "stablehlo.sort"(%a0) ({ ^bb0(%p: tensor<i32>, %q: tensor<i32>): %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1> }) {dimension = 0 : i64, is_stable = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<9x5xi32>) -> tensor<9x5xi32>""",
        "9x5xi32; |y",
    ),
    "fft": _main(
        ["3x8xcomplex<f64>; x|y"],
        "  %0 = stablehlo.fft %a0, type = FFT, length = [8] : (tensor<3x8xcomplex<f64>>) -> tensor<3x8xcomplex<f64>>",
        "3x8xcomplex<f64>; x|",
    ),
    "real_fft": _main(
        ["3x8xf64; x|y"],
        "  %0 = stablehlo.fft %a0, type = RFFT, length = [8] : (tensor<3x8xf64>) -> tensor<3x5xcomplex<f64>>",
        "3x5xcomplex<f64>; x|y",
    ),
    "gather_along_a_cut_dimension": _main(
        ["9x6xi32; x|y", "5x1xi32; y|"],
        '  %0 = "stablehlo.gather"(%a0, %a1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>} : (tensor<9x6xi32>, tensor<5x1xi32>) -> tensor<5x6xi32>',
        "5x6xi32; x|y",
    ),
    "gather_with_a_batch": _main(
        ["4x9x6xi32; x|y|", "4x5x1xi32; x||"],
        '  %0 = "stablehlo.gather"(%a0, %a1) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>} : (tensor<4x9x6xi32>, tensor<4x5x1xi32>) -> tensor<4x5x6xi32>',
        "4x5x6xi32; x|y|",
    ),
    "scatter_of_cut_updates": _main(
        ["9x6xi32; x|", "5x1xi32; y|", "5x6xi32; y|"],
        f'  %0 = "stablehlo.scatter"(%a0, %a1, %a2) {_ADDER.replace("OP", "add")} {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}} : (tensor<9x6xi32>, tensor<5x1xi32>, tensor<5x6xi32>) -> tensor<9x6xi32>',
        "9x6xi32; x,y|",
    ),
    "pooling_with_a_halo": _main(
        ["9x7xi32; y|x"],
        f'  %i = stablehlo.constant dense<-100> : tensor<i32>\n  %0 = "stablehlo.reduce_window"(%a0, %i) {_ADDER.replace("OP", "maximum")} {{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}} : (tensor<9x7xi32>, tensor<i32>) -> tensor<5x6xi32>',
        "5x6xi32; y|x",
    ),
    "devices_in_another_order": _main(
        ["5x4xi32; x,y|; swapped"],
        '  %1 = sdy.reshard %a0 <@swapped, [{"y"}, {"x"}]> : tensor<5x4xi32>\n  %0 = stablehlo.reverse %1, dims = [0, 1] : tensor<5x4xi32>',
        "5x4xi32; y|x; swapped",
    ),
    "two_meshes": _main(
        ["8x6xi32; z|; line"],
        '  %1 = sdy.reshard %a0 <@m, [{"x"}, {"y"}]> : tensor<8x6xi32>\n  %0 = stablehlo.add %1, %1 : tensor<8x6xi32>',
        "8x6xi32; |x",
    ),
    "strided_slice": _main(
        ["17x6xi32; x,y|"],
        "  %0 = stablehlo.slice %a0 [1:16:3, 0:6] : (tensor<17x6xi32>) -> tensor<5x6xi32>",
        "5x6xi32; y|",
    ),
    "pad_low_negative_high_interior": _main(
        ["5x4xi32; y|"],
        "  %c = stablehlo.constant dense<7> : tensor<i32>\n  %0 = stablehlo.pad %a0, %c, low = [-1, 1], high = [2, 0], interior = [2, 1] : (tensor<5x4xi32>, tensor<i32>) -> tensor<14x8xi32>",
        "14x8xi32; x,y|",
    ),
    "concatenate_along_a_cut_dimension": _main(
        ["5x4xi32; y|", "3x4xi32; |x"],
        "  %0 = stablehlo.concatenate %a0, %a1, dim = 0 : (tensor<5x4xi32>, tensor<3x4xi32>) -> tensor<8x4xi32>",
        "8x4xi32; y|x",
    ),
    "dynamic_update_slice": _main(
        ["9x6xi32; y|", "3x6xi32; x|", "i32"],
        "  %c = stablehlo.constant dense<1> : tensor<i32>\n  %0 = stablehlo.dynamic_update_slice %a0, %a1, %a2, %c : (tensor<9x6xi32>, tensor<3x6xi32>, tensor<i32>, tensor<i32>) -> tensor<9x6xi32>",
        "9x6xi32; y|",
    ),
    "open_dimensions": _main(
        ["9x6xi32; x,?|?"],
        "  %0 = stablehlo.add %a0, %a0 : tensor<9x6xi32>",
        "9x6xi32; ?|?",
    ),
    "unreduced_then_reduced": _main(
        ["4x6xi32; |x", "6x4xi32; x|"],
        '  %1 = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}], unreduced={"x"}>]>} : (tensor<4x6xi32>, tensor<6x4xi32>) -> tensor<4x4xi32>\n'
        '  %0 = sdy.all_reduce {"x"} %1 out_sharding=<@m, [{}, {}]> : tensor<4x4xi32>',
        "4x4xi32; |",
    ),
    "replicated_to_unreduced": _main(
        ["4x6xi32; |"],
        '  %1 = sdy.replicated_to_unreduced {"x"} %a0 out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<4x6xi32>\n'
        "  %2 = stablehlo.negate %1 : tensor<4x6xi32>\n"
        '  %0 = sdy.reduce_scatter [{"x"}, {}] %2 out_sharding=<@m, [{"x"}, {}]> : tensor<4x6xi32>',
        "4x6xi32; x|",
    ),
    "sharded_to_unreduced": _main(
        ["4x6xi32; x|"],
        '  %1 = sdy.sharded_to_unreduced [{"x"}, {}] %a0 out_sharding=<@m, [{}, {}], unreduced={"x"}> : tensor<4x6xi32>\n'
        '  %0 = sdy.all_reduce {"x"} %1 out_sharding=<@m, [{}, {}]> : tensor<4x6xi32>',
        "4x6xi32; |",
    ),
    "branches_that_read_a_cut_value": _main(
        ["i32", "8x6xi32; x|"],
        """  %0 = "stablehlo.case"(%a0) ({ %1 = stablehlo.add %a1, %a1 : tensor<8x6xi32>
    stablehlo.return %1 : tensor<8x6xi32> }, { %2 = stablehlo.negate %a1 : tensor<8x6xi32>
    stablehlo.return %2 : tensor<8x6xi32> }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<i32>) -> tensor<8x6xi32>""",
        "8x6xi32; x|",
    ),
    "iota": _main(
        [],
        '  %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", "y"}, {}]>]>} : tensor<10x4xi32>',
        "10x4xi32; x,y|",
    ),
    "named_computation": _main(
        ["8x6xi32; x|"],
        """  %0 = sdy.named_computation<"twice">(%a0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"y"}, {}]>] (%p: tensor<8x6xi32>) {
    %1 = stablehlo.add %p, %p : tensor<8x6xi32>
    sdy.return %1 : tensor<8x6xi32>
  } : (tensor<8x6xi32>) -> (tensor<8x6xi32>)""",
        "8x6xi32; y|",
    ),
    "called_function": _main(
        ["8x6xi32; x|"],
        "  %0 = call @callee(%a0) : (tensor<8x6xi32>) -> tensor<8x6xi32>",
        "8x6xi32; |y",
    )
    + """func.func private @callee(%a: tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
  %0 = stablehlo.abs %a : tensor<8x6xi32>
  sdy.sharding_group %0 group_id=3 : tensor<8x6xi32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x6xi32>
  return %1 : tensor<8x6xi32>
}
""",
    **{
        f"convolution_{kind}_{cut}": _convolution(*shapes, axes)
        for kind, shapes in _KINDS.items()
        for cut, axes in _CUTS.items()
    },
}

# One rank's program and what each device must hold: the form of Shardy's own tests.
MANUAL = """//--- part1.mlir
sdy.mesh @m = <["x"=4]>
func.func @parallel_f(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
  -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>]
    manual_axes={"x"} (%p: tensor<2xi32>) {
      BODY
      sdy.return %r : tensor<2xi32>
  } : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
//--- part2.mlir
func.func @main() {
  %s0 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %s1 = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %s2 = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %s3 = stablehlo.constant dense<[6, 7]> : tensor<2xi32>
  %r:4 = "interpreter.run_parallel"(%s0, %s1, %s2, %s3) {
    programs = [[@parallel_f, @parallel_f, @parallel_f, @parallel_f]]
  } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  CHECKS
  return
}
"""


def manual(body: str, expected: list[list[int]]) -> str:
    """A test of a manual computation: its body from %p to %r, what each device must hold."""
    checks = [
        f"%e{i} = stablehlo.constant dense<{row}> : tensor<2xi32>\n"
        f'  "check.expect_eq"(%r#{i}, %e{i}) : (tensor<2xi32>, tensor<2xi32>) -> ()\n'
        for i, row in enumerate(expected)
    ]
    return MANUAL.replace("BODY", body).replace("CHECKS", "  ".join(checks))


_GROUPS = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"

MANUALS: dict[str, str] = {
    "all_reduce": manual(
        f'%r = "stablehlo.all_reduce"(%p) {_ADDER.replace("OP", "add").replace("%p, %q :", "%s, %q :").replace("%p: tensor", "%s: tensor")} {{{_GROUPS}, use_global_device_ids}} : (tensor<2xi32>) -> tensor<2xi32>',
        [[12, 16]] * 4,
    ),
    "collective_permute": manual(
        '%r = "stablehlo.collective_permute"(%p) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi32>) -> tensor<2xi32>',
        [[0, 0], [0, 1], [2, 3], [4, 5]],
    ),
    "all_gather_and_all_to_all": manual(
        f'%g = "stablehlo.all_gather"(%p) {{all_gather_dim = 0 : i64, {_GROUPS}, use_global_device_ids}} : (tensor<2xi32>) -> tensor<8xi32>\n'
        f'%t = "stablehlo.all_to_all"(%g) {{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, {_GROUPS}}} : (tensor<8xi32>) -> tensor<8xi32>\n'
        "%r = stablehlo.slice %t [4:6] : (tensor<8xi32>) -> tensor<2xi32>",
        [[0, 1], [2, 3], [4, 5], [6, 7]],
    ),
    "partition_id": manual(
        "%i = stablehlo.partition_id : tensor<ui32>\n%j = stablehlo.convert %i : (tensor<ui32>) -> tensor<i32>\n"
        "%b = stablehlo.broadcast_in_dim %j, dims = [] : (tensor<i32>) -> tensor<2xi32>\n"
        "%r = stablehlo.multiply %p, %b : tensor<2xi32>",
        [[0, 0], [2, 3], [8, 10], [18, 21]],
    ),
}
