// joint graph of embedding → var → sum
// seed 43
// fuzz: plain close
// input 0: seed 6060 from -2 to 2
// input 1: seed 9810 from 0 to 2
module {
  func.func @main(%arg0: tensor<3x4xf64>, %arg1: tensor<4xi64>) -> (tensor<f64>, tensor<3x4xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x4xf64>
    %cst_0 = stablehlo.constant dense<0.66666666666666663> : tensor<4x4xf64>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<4xf64>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<1x4xf64>
    %c = stablehlo.constant dense<2> : tensor<i64>
    %c_3 = stablehlo.constant dense<-3> : tensor<i64>
    %c_4 = stablehlo.constant dense<-1> : tensor<4xi64>
    %c_5 = stablehlo.constant dense<3> : tensor<4xi64>
    %c_6 = stablehlo.constant dense<0> : tensor<4xi64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf64>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf64>, tensor<4xi64>) -> tensor<4x4xf64>
    %1 = stablehlo.reduce(%0 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
    %2 = stablehlo.reshape %1 : (tensor<4xf64>) -> tensor<1x4xf64>
    %3 = stablehlo.divide %2, %cst_2 : tensor<1x4xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x4xf64>) -> tensor<4x4xf64>
    %5 = stablehlo.subtract %0, %4 : tensor<4x4xf64>
    %6 = stablehlo.multiply %5, %5 : tensor<4x4xf64>
    %7 = stablehlo.reduce(%6 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf64>, tensor<f64>) -> tensor<4xf64>
    %8 = stablehlo.divide %7, %cst_1 : tensor<4xf64>
    %9 = stablehlo.reduce(%8 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %10 = stablehlo.multiply %5, %cst_0 : tensor<4x4xf64>
    %11 = stablehlo.compare GE, %arg1, %c_6, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %12 = stablehlo.compare LT, %arg1, %c_5, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %13 = stablehlo.and %11, %12 : tensor<4xi1>
    %14 = stablehlo.compare NE, %arg1, %c_4, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %15 = stablehlo.and %13, %14 : tensor<4xi1>
    %16 = stablehlo.reshape %15 : (tensor<4xi1>) -> tensor<4x1xi1>
    %17 = stablehlo.clamp %c_3, %arg1, %c : (tensor<i64>, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    %18 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x4xi1>
    %19 = stablehlo.select %18, %10, %cst : tensor<4x4xi1>, tensor<4x4xf64>
    %20 = stablehlo.compare LT, %17, %c_6, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %21 = stablehlo.add %17, %c_5 : tensor<4xi64>
    %22 = stablehlo.select %20, %21, %17 : tensor<4xi1>, tensor<4xi64>
    %23 = stablehlo.reshape %22 : (tensor<4xi64>) -> tensor<4x1xi64>
    %24 = "stablehlo.scatter"(%cst_8, %23, %19) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %25 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %25 : tensor<f64>
    }) : (tensor<3x4xf64>, tensor<4x1xi64>, tensor<4x4xf64>) -> tensor<3x4xf64>
    return %9, %24 : tensor<f64>, tensor<3x4xf64>
  }
}
