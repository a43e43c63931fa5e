// joint graph of silu → sum → square → gather → pad → matmul → weighted_sum
// seed 90
// fuzz: plain close
// input 0: seed 9603 from -3 to 3
// input 1: seed 672 from 0 to 4
// input 2: seed 404 from -2 to 2
// input 3: seed 8270 from -2 to 2
module {
  func.func @main(%arg0: tensor<6x5xf64>, %arg1: tensor<2xi64>, %arg2: tensor<3x1xf64>, %arg3: tensor<1xf64>) -> (tensor<f64>, tensor<6x5xf64>, tensor<3x1xf64>, tensor<1xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<6x5xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<5xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.logistic %arg0 : tensor<6x5xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<6x5xf64>
    %2 = stablehlo.reduce(%1 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<6x5xf64>, tensor<f64>) -> tensor<5xf64>
    %3 = stablehlo.multiply %2, %2 : tensor<5xf64>
    %4 = stablehlo.reshape %arg1 : (tensor<2xi64>) -> tensor<2x1xi64>
    %5 = "stablehlo.gather"(%3, %4) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<5xf64>, tensor<2x1xi64>) -> tensor<2xf64>
    %6 = stablehlo.pad %5, %cst_1, low = [-1], high = [2], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<3xf64>
    %7 = stablehlo.reshape %6 : (tensor<3xf64>) -> tensor<1x3xf64>
    %8 = stablehlo.dot_general %7, %arg2, contracting_dims = [1] x [0] : (tensor<1x3xf64>, tensor<3x1xf64>) -> tensor<1x1xf64>
    %9 = stablehlo.reshape %8 : (tensor<1x1xf64>) -> tensor<1xf64>
    %10 = stablehlo.multiply %9, %arg3 : tensor<1xf64>
    %11 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %12 = stablehlo.reshape %arg3 : (tensor<1xf64>) -> tensor<1x1xf64>
    %13 = stablehlo.reshape %6 : (tensor<3xf64>) -> tensor<3x1xf64>
    %14 = stablehlo.dot_general %13, %12, contracting_dims = [1] x [0] : (tensor<3x1xf64>, tensor<1x1xf64>) -> tensor<3x1xf64>
    %15 = stablehlo.reshape %arg2 : (tensor<3x1xf64>) -> tensor<1x3xf64>
    %16 = stablehlo.dot_general %12, %15, contracting_dims = [1] x [0] : (tensor<1x1xf64>, tensor<1x3xf64>) -> tensor<1x3xf64>
    %17 = stablehlo.reshape %16 : (tensor<1x3xf64>) -> tensor<3xf64>
    %18 = stablehlo.pad %17, %cst_1, low = [1], high = [-2], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<2xf64>
    %19 = "stablehlo.scatter"(%cst_0, %4, %18) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %29 = stablehlo.add %arg4, %arg5 : tensor<f64>
      stablehlo.return %29 : tensor<f64>
    }) : (tensor<5xf64>, tensor<2x1xi64>, tensor<2xf64>) -> tensor<5xf64>
    %20 = stablehlo.multiply %19, %2 : tensor<5xf64>
    %21 = stablehlo.add %20, %20 : tensor<5xf64>
    %22 = stablehlo.reshape %21 : (tensor<5xf64>) -> tensor<1x5xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x5xf64>) -> tensor<6x5xf64>
    %24 = stablehlo.subtract %cst, %0 : tensor<6x5xf64>
    %25 = stablehlo.multiply %arg0, %24 : tensor<6x5xf64>
    %26 = stablehlo.add %25, %cst : tensor<6x5xf64>
    %27 = stablehlo.multiply %23, %0 : tensor<6x5xf64>
    %28 = stablehlo.multiply %27, %26 : tensor<6x5xf64>
    return %11, %28, %14, %9 : tensor<f64>, tensor<6x5xf64>, tensor<3x1xf64>, tensor<1xf64>
  }
}
