// joint graph of index_select → amax → select
// seed 66
// fuzz: plain close
// input 0: seed 4195 from -3 to 3
// input 1: seed 3018 from 0 to 6
module {
  func.func @main(%arg0: tensor<7x4x3xf64>, %arg1: tensor<4xi64>) -> (tensor<f64>, tensor<7x4x3xf64>) {
    %c = stablehlo.constant dense<7> : tensor<4xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<4xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<7x4x3xf64>
    %cst_1 = stablehlo.constant dense<[[[0.000000e+00], [1.000000e+00], [0.000000e+00], [0.000000e+00]]]> : tensor<1x4x1xf64>
    %cst_2 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 3>}> : (tensor<7x4x3xf64>, tensor<4xi64>) -> tensor<4x4x3xf64>
    %1 = stablehlo.reduce(%0 init: %cst_2) applies stablehlo.minimum across dimensions = [2] : (tensor<4x4x3xf64>, tensor<f64>) -> tensor<4x4xf64>
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.minimum across dimensions = [0] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.slice %2 [1:2] : (tensor<4xf64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %3 : (tensor<1xf64>) -> tensor<f64>
    %5 = stablehlo.reshape %2 : (tensor<4xf64>) -> tensor<1x4x1xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x4x1xf64>) -> tensor<4x4x3xf64>
    %7 = stablehlo.compare EQ, %6, %0, FLOAT : (tensor<4x4x3xf64>, tensor<4x4x3xf64>) -> tensor<4x4x3xi1>
    %8 = stablehlo.convert %7 : (tensor<4x4x3xi1>) -> tensor<4x4x3xi64>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.add across dimensions = [0, 2] : (tensor<4x4x3xi64>, tensor<i64>) -> tensor<4xi64>
    %10 = stablehlo.reshape %9 : (tensor<4xi64>) -> tensor<1x4x1xi64>
    %11 = stablehlo.convert %10 : (tensor<1x4x1xi64>) -> tensor<1x4x1xf64>
    %12 = stablehlo.divide %cst_1, %11 : tensor<1x4x1xf64>
    %13 = stablehlo.convert %7 : (tensor<4x4x3xi1>) -> tensor<4x4x3xf64>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x4x1xf64>) -> tensor<4x4x3xf64>
    %15 = stablehlo.multiply %14, %13 : tensor<4x4x3xf64>
    %16 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %17 = stablehlo.add %arg1, %c : tensor<4xi64>
    %18 = stablehlo.select %16, %17, %arg1 : tensor<4xi1>, tensor<4xi64>
    %19 = stablehlo.reshape %18 : (tensor<4xi64>) -> tensor<4x1xi64>
    %20 = "stablehlo.scatter"(%cst, %19, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %21 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %21 : tensor<f64>
    }) : (tensor<7x4x3xf64>, tensor<4x1xi64>, tensor<4x4x3xf64>) -> tensor<7x4x3xf64>
    return %4, %20 : tensor<f64>, tensor<7x4x3xf64>
  }
}
