// RUN: distc-opt %s --find-batching-dims | FileCheck %s

// One column counts along the batch: the batch needs no index.
// CHECK-LABEL: func.func @look_up
// CHECK: "stablehlo.gather"(%arg0, %arg1)
// CHECK-SAME: collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1]
func.func @look_up(%x: tensor<8x33xf32>, %t: tensor<8x1xi64>) -> tensor<8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8x1xi64>
  %v = stablehlo.concatenate %i, %t, dim = 1 : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x2xi64>
  %0 = "stablehlo.gather"(%x, %v) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x33xf32>, tensor<8x2xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Through reshapes and broadcasts, on both sides of the column that is a real index.
// CHECK-LABEL: func.func @scatter
// CHECK: %[[T:.*]] = stablehlo.reshape %arg1
// CHECK: "stablehlo.scatter"(%arg0, %[[T]], %arg2)
// CHECK-SAME: inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [1]
func.func @scatter(%x: tensor<2x5x4xf32>, %t: tensor<2x4xi64>, %u: tensor<2x4xf32>) -> tensor<2x5x4xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<2xi64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xi64>) -> tensor<2x4x1xi64>
  %2 = stablehlo.iota dim = 0 : tensor<4xi64>
  %3 = stablehlo.reshape %2 : (tensor<4xi64>) -> tensor<1x4x1xi64>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x4x1xi64>) -> tensor<2x4x1xi64>
  %5 = stablehlo.reshape %t : (tensor<2x4xi64>) -> tensor<2x4x1xi64>
  %6 = stablehlo.concatenate %1, %5, %4, dim = 2 : (tensor<2x4x1xi64>, tensor<2x4x1xi64>, tensor<2x4x1xi64>) -> tensor<2x4x3xi64>
  %7 = "stablehlo.scatter"(%x, %6, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x5x4xf32>, tensor<2x4x3xi64>, tensor<2x4xf32>) -> tensor<2x5x4xf32>
  return %7 : tensor<2x5x4xf32>
}

// A diagonal: every column counts, and along the same dimension. One stays an index.
// CHECK-LABEL: func.func @diagonal
// CHECK: "stablehlo.gather"
// CHECK-SAME: collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1]
func.func @diagonal(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<8x1xi64>
  %v = stablehlo.concatenate %i, %i, dim = 1 : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x2xi64>
  %0 = "stablehlo.gather"(%x, %v) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x8xf32>, tensor<8x2xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Fewer rows than the operand has, a window of two, or counting that starts elsewhere: left alone.
// CHECK-LABEL: func.func @others
// CHECK-NOT: batching_dims
// CHECK: return
func.func @others(%x: tensor<9x33xf32>, %t: tensor<8x1xi64>, %c: tensor<8x1xi64>) -> (tensor<8xf32>, tensor<8x2xf32>, tensor<8xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<8x1xi64>
  %v = stablehlo.concatenate %i, %t, dim = 1 : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x2xi64>
  %0 = "stablehlo.gather"(%x, %v) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x33xf32>, tensor<8x2xi64>) -> tensor<8xf32>
  %1 = "stablehlo.gather"(%x, %v) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1>}> : (tensor<9x33xf32>, tensor<8x2xi64>) -> tensor<8x2xf32>
  %2 = stablehlo.add %i, %c : tensor<8x1xi64>
  %w = stablehlo.concatenate %2, %t, dim = 1 : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x2xi64>
  %3 = "stablehlo.gather"(%x, %w) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x33xf32>, tensor<8x2xi64>) -> tensor<8xf32>
  return %0, %1, %3 : tensor<8xf32>, tensor<8x2xf32>, tensor<8xf32>
}
