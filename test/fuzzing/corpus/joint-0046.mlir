// joint graph of scatter → relu → linear → topk → weighted_sum
// seed 46
// fuzz: plain equal
// input 0: seed 8449 from -3 to 3
// input 1: seed 497 from 0 to 1
// input 2: seed 1129 from -2 to 2
// input 3: seed 8989 from -2 to 2
// input 4: seed 6520 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x7x2xf64>, %arg1: tensor<5x7x1xi64>, %arg2: tensor<5x7x1xf64>, %arg3: tensor<2x2xf64>, %arg4: tensor<5x7x2xf64>) -> (tensor<f64>, tensor<5x7x2xf64>, tensor<5x7x1xf64>, tensor<2x2xf64>, tensor<5x7x2xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<5x7x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<5x7x2xf64>
    %0 = stablehlo.iota dim = 0 : tensor<5xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<5xi64>) -> tensor<5x7x1x1xi64>
    %2 = stablehlo.iota dim = 0 : tensor<7xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<7xi64>) -> tensor<5x7x1x1xi64>
    %4 = stablehlo.reshape %arg1 : (tensor<5x7x1xi64>) -> tensor<5x7x1x1xi64>
    %5 = stablehlo.concatenate %1, %3, %4, dim = 3 : (tensor<5x7x1x1xi64>, tensor<5x7x1x1xi64>, tensor<5x7x1x1xi64>) -> tensor<5x7x1x3xi64>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      stablehlo.return %arg6 : tensor<f64>
    }) : (tensor<5x7x2xf64>, tensor<5x7x1x3xi64>, tensor<5x7x1xf64>) -> tensor<5x7x2xf64>
    %7 = stablehlo.maximum %6, %cst_1 : tensor<5x7x2xf64>
    %8 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %9 = stablehlo.reshape %7 : (tensor<5x7x2xf64>) -> tensor<35x2xf64>
    %10 = stablehlo.dot_general %9, %8, contracting_dims = [1] x [0] : (tensor<35x2xf64>, tensor<2x2xf64>) -> tensor<35x2xf64>
    %11 = stablehlo.reshape %10 : (tensor<35x2xf64>) -> tensor<5x7x2xf64>
    %12 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<7xi64>) -> tensor<5x7x2xi64>
    %13:2 = "stablehlo.sort"(%11, %12) <{dimension = 1 : i64, is_stable = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>, %arg7: tensor<i64>, %arg8: tensor<i64>):
      %31 = stablehlo.compare GT, %arg5, %arg6, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %31 : tensor<i1>
    }) : (tensor<5x7x2xf64>, tensor<5x7x2xi64>) -> (tensor<5x7x2xf64>, tensor<5x7x2xi64>)
    %14 = stablehlo.multiply %13#0, %arg4 : tensor<5x7x2xf64>
    %15 = stablehlo.reduce(%14 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<5x7x2xf64>, tensor<f64>) -> tensor<f64>
    %16 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<5xi64>) -> tensor<5x7x2x1xi64>
    %17 = stablehlo.reshape %13#1 : (tensor<5x7x2xi64>) -> tensor<5x7x2x1xi64>
    %18 = stablehlo.iota dim = 0 : tensor<2xi64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [2] : (tensor<2xi64>) -> tensor<5x7x2x1xi64>
    %20 = stablehlo.concatenate %16, %17, %19, dim = 3 : (tensor<5x7x2x1xi64>, tensor<5x7x2x1xi64>, tensor<5x7x2x1xi64>) -> tensor<5x7x2x3xi64>
    %21 = "stablehlo.scatter"(%cst_1, %20, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      stablehlo.return %arg6 : tensor<f64>
    }) : (tensor<5x7x2xf64>, tensor<5x7x2x3xi64>, tensor<5x7x2xf64>) -> tensor<5x7x2xf64>
    %22 = stablehlo.reshape %21 : (tensor<5x7x2xf64>) -> tensor<35x2xf64>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<35x2xf64>) -> tensor<2x35xf64>
    %24 = stablehlo.dot_general %23, %9, contracting_dims = [1] x [0] : (tensor<2x35xf64>, tensor<35x2xf64>) -> tensor<2x2xf64>
    %25 = stablehlo.dot_general %22, %arg3, contracting_dims = [1] x [0] : (tensor<35x2xf64>, tensor<2x2xf64>) -> tensor<35x2xf64>
    %26 = stablehlo.compare LE, %7, %cst_1, FLOAT : (tensor<5x7x2xf64>, tensor<5x7x2xf64>) -> tensor<5x7x2xi1>
    %27 = stablehlo.reshape %25 : (tensor<35x2xf64>) -> tensor<5x7x2xf64>
    %28 = stablehlo.select %26, %cst_1, %27 : tensor<5x7x2xi1>, tensor<5x7x2xf64>
    %29 = "stablehlo.scatter"(%28, %5, %cst) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      stablehlo.return %arg6 : tensor<f64>
    }) : (tensor<5x7x2xf64>, tensor<5x7x1x3xi64>, tensor<5x7x1xf64>) -> tensor<5x7x2xf64>
    %30 = "stablehlo.gather"(%28, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<5x7x2xf64>, tensor<5x7x1x3xi64>) -> tensor<5x7x1xf64>
    return %15, %29, %30, %24, %13#0 : tensor<f64>, tensor<5x7x2xf64>, tensor<5x7x1xf64>, tensor<2x2xf64>, tensor<5x7x2xf64>
  }
}
