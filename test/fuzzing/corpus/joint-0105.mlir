// joint graph of index_add → einsum → sum
// seed 105
// fuzz: plain equal
// input 0: seed 8585 from -3 to 3
// input 1: seed 4796 from 0 to 0
// input 2: seed 2683 from -2 to 2
// input 3: seed 5755 from -2 to 2
module {
  func.func @main(%arg0: tensor<1x3xf32>, %arg1: tensor<3xi64>, %arg2: tensor<3x3xf32>, %arg3: tensor<1x3x4xf32>) -> (tensor<f32>, tensor<1x3xf32>, tensor<3x3xf32>, tensor<1x3x4xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<1x1x4xf32>
    %c = stablehlo.constant dense<1> : tensor<3xi64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_1 = stablehlo.constant dense<0> : tensor<3xi64>
    %0 = stablehlo.compare LT, %arg1, %c_1, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %1 = stablehlo.add %arg1, %c : tensor<3xi64>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<3xi1>, tensor<3xi64>
    %3 = stablehlo.reshape %2 : (tensor<3xi64>) -> tensor<3x1xi64>
    %4 = "stablehlo.scatter"(%arg0, %3, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %15 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<1x3xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<1x3xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
    %6 = stablehlo.dot_general %5, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x1x3xf32>, tensor<1x3x4xf32>) -> tensor<1x1x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x1x4xf32>) -> tensor<4xf32>
    %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.reshape %4 : (tensor<1x3xf32>) -> tensor<1x3x1xf32>
    %10 = stablehlo.dot_general %9, %cst, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x3x1xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
    %11 = stablehlo.transpose %arg3, dims = [0, 2, 1] : (tensor<1x3x4xf32>) -> tensor<1x4x3xf32>
    %12 = stablehlo.dot_general %cst, %11, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x1x4xf32>, tensor<1x4x3xf32>) -> tensor<1x1x3xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x1x3xf32>) -> tensor<1x3xf32>
    %14 = "stablehlo.gather"(%13, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<3x3xf32>
    return %8, %13, %14, %10 : tensor<f32>, tensor<1x3xf32>, tensor<3x3xf32>, tensor<1x3x4xf32>
  }
}
