// joint graph of gather → scatter → weighted_sum
// seed 7
// fuzz: plain equal
// input 0: seed 1186 from -3 to 3
// input 1: seed 5991 from 0 to 0
// input 2: seed 8313 from 0 to 0
// input 3: seed 3517 from -2 to 2
// input 4: seed 1408 from -2 to 2
module {
  func.func @main(%arg0: tensor<1xf64>, %arg1: tensor<1xi64>, %arg2: tensor<1xi64>, %arg3: tensor<1xf64>, %arg4: tensor<1xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reshape %arg1 : (tensor<1xi64>) -> tensor<1x1xi64>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<1xf64>, tensor<1x1xi64>) -> tensor<1xf64>
    %2 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<1x1xi64>
    %3 = "stablehlo.scatter"(%1, %2, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      stablehlo.return %arg6 : tensor<f64>
    }) : (tensor<1xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<1xf64>
    %4 = stablehlo.multiply %3, %arg4 : tensor<1xf64>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %6 = "stablehlo.scatter"(%arg4, %2, %cst) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      stablehlo.return %arg6 : tensor<f64>
    }) : (tensor<1xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<1xf64>
    %7 = "stablehlo.gather"(%arg4, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<1xf64>, tensor<1x1xi64>) -> tensor<1xf64>
    %8 = "stablehlo.scatter"(%cst, %0, %6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %9 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %9 : tensor<f64>
    }) : (tensor<1xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<1xf64>
    return %5, %8, %7, %3 : tensor<f64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
  }
}
