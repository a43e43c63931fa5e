// joint graph of embedding → add → index_put → scatter → slice → weighted_sum
// seed 89
// fuzz: plain equal
// input 0: seed 5640 from -2 to 2
// input 1: seed 6816 from 0 to 4
// input 2: seed 5477 from -2 to 2
// input 3: seed 7662 from 0 to 1
// input 4: seed 60 from -2 to 2
// input 5: seed 9149 from 0 to 1
// input 6: seed 5310 from -2 to 2
// input 7: seed 6637 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x2xf64>, %arg1: tensor<2xi64>, %arg2: tensor<1x1xf64>, %arg3: tensor<2xi64>, %arg4: tensor<2x2xf64>, %arg5: tensor<2x1xi64>, %arg6: tensor<2x1xf64>, %arg7: tensor<1x2xf64>) -> (tensor<f64>, tensor<5x2xf64>, tensor<1x1xf64>, tensor<2x2xf64>, tensor<2x1xf64>, tensor<1x2xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x2xf64>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %c_0 = stablehlo.constant dense<-5> : tensor<i64>
    %c_1 = stablehlo.constant dense<-1> : tensor<2xi64>
    %c_2 = stablehlo.constant dense<5> : tensor<2xi64>
    %c_3 = stablehlo.constant dense<2> : tensor<2xi64>
    %c_4 = stablehlo.constant dense<0> : tensor<2xi64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<5x2xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<2x1xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<1x2xf64>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<5x2xf64>, tensor<2xi64>) -> tensor<2x2xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<2x2xf64>
    %2 = stablehlo.add %0, %1 : tensor<2x2xf64>
    %3 = stablehlo.compare LT, %arg3, %c_4, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %4 = stablehlo.add %arg3, %c_3 : tensor<2xi64>
    %5 = stablehlo.select %3, %4, %arg3 : tensor<2xi1>, tensor<2xi64>
    %6 = stablehlo.reshape %5 : (tensor<2xi64>) -> tensor<2x1xi64>
    %7 = "stablehlo.scatter"(%2, %6, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %39 = stablehlo.add %arg8, %arg9 : tensor<f64>
      stablehlo.return %39 : tensor<f64>
    }) : (tensor<2x2xf64>, tensor<2x1xi64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    %8 = stablehlo.iota dim = 0 : tensor<2xi64>
    %9 = stablehlo.reshape %8 : (tensor<2xi64>) -> tensor<2x1x1xi64>
    %10 = stablehlo.reshape %arg5 : (tensor<2x1xi64>) -> tensor<2x1x1xi64>
    %11 = stablehlo.concatenate %9, %10, dim = 2 : (tensor<2x1x1xi64>, tensor<2x1x1xi64>) -> tensor<2x1x2xi64>
    %12 = "stablehlo.scatter"(%7, %11, %arg6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      stablehlo.return %arg9 : tensor<f64>
    }) : (tensor<2x2xf64>, tensor<2x1x2xi64>, tensor<2x1xf64>) -> tensor<2x2xf64>
    %13 = stablehlo.slice %12 [1:2:2, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
    %14 = stablehlo.multiply %13, %arg7 : tensor<1x2xf64>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x2xf64>, tensor<f64>) -> tensor<f64>
    %16 = stablehlo.concatenate %arg7, %cst_8, dim = 1 : (tensor<1x2xf64>, tensor<1x2xf64>) -> tensor<1x4xf64>
    %17 = stablehlo.reshape %16 : (tensor<1x4xf64>) -> tensor<2x2xf64>
    %18 = stablehlo.slice %17 [0:1, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
    %19 = stablehlo.pad %18, %cst_5, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %20 = "stablehlo.scatter"(%19, %11, %cst_7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      stablehlo.return %arg9 : tensor<f64>
    }) : (tensor<2x2xf64>, tensor<2x1x2xi64>, tensor<2x1xf64>) -> tensor<2x2xf64>
    %21 = "stablehlo.gather"(%19, %11) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2xf64>, tensor<2x1x2xi64>) -> tensor<2x1xf64>
    %22 = "stablehlo.gather"(%20, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<2x2xf64>, tensor<2x1xi64>) -> tensor<2x2xf64>
    %23 = stablehlo.reduce(%20 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
    %24 = stablehlo.reshape %23 : (tensor<f64>) -> tensor<1x1xf64>
    %25 = stablehlo.compare GE, %arg1, %c_4, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %26 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %27 = stablehlo.and %25, %26 : tensor<2xi1>
    %28 = stablehlo.compare NE, %arg1, %c_1, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %29 = stablehlo.and %27, %28 : tensor<2xi1>
    %30 = stablehlo.reshape %29 : (tensor<2xi1>) -> tensor<2x1xi1>
    %31 = stablehlo.clamp %c_0, %arg1, %c : (tensor<i64>, tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
    %32 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x2xi1>
    %33 = stablehlo.select %32, %20, %cst : tensor<2x2xi1>, tensor<2x2xf64>
    %34 = stablehlo.compare LT, %31, %c_4, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %35 = stablehlo.add %31, %c_2 : tensor<2xi64>
    %36 = stablehlo.select %34, %35, %31 : tensor<2xi1>, tensor<2xi64>
    %37 = stablehlo.reshape %36 : (tensor<2xi64>) -> tensor<2x1xi64>
    %38 = "stablehlo.scatter"(%cst_6, %37, %33) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %39 = stablehlo.add %arg8, %arg9 : tensor<f64>
      stablehlo.return %39 : tensor<f64>
    }) : (tensor<5x2xf64>, tensor<2x1xi64>, tensor<2x2xf64>) -> tensor<5x2xf64>
    return %15, %38, %24, %22, %21, %13 : tensor<f64>, tensor<5x2xf64>, tensor<1x1xf64>, tensor<2x2xf64>, tensor<2x1xf64>, tensor<1x2xf64>
  }
}
