// joint graph of permute → gather → tril → cumsum → sum → nll_loss
// seed 110
// fuzz: plain equal
// input 0: seed 4483 from -3 to 3
// input 1: seed 5178 from 0 to 5
// input 2: seed 3790 from 0 to 4
module {
  func.func @main(%arg0: tensor<4x6xf64>, %arg1: tensor<4x5xi64>, %arg2: tensor<1xi64>) -> (tensor<f64>, tensor<4x6xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x1x1xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x1xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<1x1xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf64>
    %c_3 = stablehlo.constant dense<0> : tensor<1x1xi64>
    %c_4 = stablehlo.constant dense<-100> : tensor<1x1xi64>
    %c_5 = stablehlo.constant dense<0> : tensor<1xi64>
    %c_6 = stablehlo.constant dense<-100> : tensor<1xi64>
    %c_7 = stablehlo.constant dense<[[true, false, false, false, false], [true, true, false, false, false], [true, true, true, false, false], [true, true, true, true, false]]> : tensor<4x5xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<4x6xf64>
    %cst_9 = stablehlo.constant dense<-1.000000e+00> : tensor<1x1xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<1x5xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.iota dim = 0 : tensor<4xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xi64>) -> tensor<4x5x1xi64>
    %2 = stablehlo.reshape %arg1 : (tensor<4x5xi64>) -> tensor<4x5x1xi64>
    %3 = stablehlo.concatenate %1, %2, dim = 2 : (tensor<4x5x1xi64>, tensor<4x5x1xi64>) -> tensor<4x5x2xi64>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x6xf64>, tensor<4x5x2xi64>) -> tensor<4x5xf64>
    %5 = stablehlo.select %c_7, %4, %cst_2 : tensor<4x5xi1>, tensor<4x5xf64>
    %6 = "stablehlo.reduce_window"(%5, %cst_11) <{padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %33 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %33 : tensor<f64>
    }) : (tensor<4x5xf64>, tensor<f64>) -> tensor<4x5xf64>
    %7 = stablehlo.reduce(%6 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<4x5xf64>, tensor<f64>) -> tensor<5xf64>
    %8 = stablehlo.reshape %7 : (tensor<5xf64>) -> tensor<1x5xf64>
    %9 = stablehlo.compare NE, %arg2, %c_6, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %10 = stablehlo.select %9, %arg2, %c_5 : tensor<1xi1>, tensor<1xi64>
    %11 = stablehlo.reshape %10 : (tensor<1xi64>) -> tensor<1x1x1xi64>
    %12 = stablehlo.concatenate %c, %11, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %13 = "stablehlo.gather"(%8, %12) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x5xf64>, tensor<1x1x2xi64>) -> tensor<1x1xf64>
    %14 = stablehlo.reshape %13 : (tensor<1x1xf64>) -> tensor<1xf64>
    %15 = stablehlo.negate %14 : tensor<1xf64>
    %16 = stablehlo.select %9, %15, %cst_1 : tensor<1xi1>, tensor<1xf64>
    %17 = stablehlo.reduce(%16 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %18 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<1x1xi64>
    %19 = stablehlo.compare NE, %18, %c_4, SIGNED : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi1>
    %20 = stablehlo.select %19, %18, %c_3 : tensor<1x1xi1>, tensor<1x1xi64>
    %21 = stablehlo.reshape %20 : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
    %22 = stablehlo.concatenate %c, %21, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %23 = "stablehlo.scatter"(%cst_10, %22, %cst_9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<1x5xf64>, tensor<1x1x2xi64>, tensor<1x1xf64>) -> tensor<1x5xf64>
    %24 = stablehlo.select %19, %cst_0, %cst : tensor<1x1xi1>, tensor<1x1xf64>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x5xf64>
    %26 = stablehlo.multiply %23, %25 : tensor<1x5xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x5xf64>) -> tensor<4x5xf64>
    %28 = stablehlo.reverse %27, dims = [0] : tensor<4x5xf64>
    %29 = "stablehlo.reduce_window"(%28, %cst_11) <{padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %33 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %33 : tensor<f64>
    }) : (tensor<4x5xf64>, tensor<f64>) -> tensor<4x5xf64>
    %30 = stablehlo.reverse %29, dims = [0] : tensor<4x5xf64>
    %31 = stablehlo.select %c_7, %30, %cst_2 : tensor<4x5xi1>, tensor<4x5xf64>
    %32 = "stablehlo.scatter"(%cst_8, %3, %31) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %33 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %33 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<4x5x2xi64>, tensor<4x5xf64>) -> tensor<4x6xf64>
    return %17, %32 : tensor<f64>, tensor<4x6xf64>
  }
}
