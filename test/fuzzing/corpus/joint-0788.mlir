// joint graph of max_pool2d → permute → mean → scatter → mse_loss
// seed 788
// fuzz: plain close
// input 0: seed 8703 from -3 to 3
// input 1: seed 5849 from 0 to 1
// input 2: seed 8660 from -2 to 2
// input 3: seed 885 from -2 to 2
module {
  func.func @main(%arg0: tensor<2x6x6x2xf64>, %arg1: tensor<1xi64>, %arg2: tensor<1xf64>, %arg3: tensor<2xf64>) -> (tensor<f64>, tensor<2x6x6x2xf64>, tensor<1xf64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<7.200000e+01> : tensor<6x6x2x2xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<2xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<7.200000e+01> : tensor<2xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<2x6x12xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_5 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.iota dim = 0 : tensor<12xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<12xi64>) -> tensor<2x6x12xi64>
    %2 = stablehlo.reshape %1 : (tensor<2x6x12xi64>) -> tensor<2x6x6x2xi64>
    %3:2 = "stablehlo.reduce_window"(%arg0, %2, %cst_5, %c) <{padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<i64>, %arg6: tensor<f64>, %arg7: tensor<i64>):
      %29 = stablehlo.compare GE, %arg4, %arg6, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %30 = stablehlo.select %29, %arg4, %arg6 : tensor<i1>, tensor<f64>
      %31 = stablehlo.compare EQ, %arg4, %arg6, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %32 = stablehlo.minimum %arg5, %arg7 : tensor<i64>
      %33 = stablehlo.select %29, %arg5, %arg7 : tensor<i1>, tensor<i64>
      %34 = stablehlo.select %31, %32, %33 : tensor<i1>, tensor<i64>
      stablehlo.return %30, %34 : tensor<f64>, tensor<i64>
    }) : (tensor<2x6x6x2xf64>, tensor<2x6x6x2xi64>, tensor<f64>, tensor<i64>) -> (tensor<2x6x6x2xf64>, tensor<2x6x6x2xi64>)
    %4 = stablehlo.transpose %3#0, dims = [1, 2, 0, 3] : (tensor<2x6x6x2xf64>) -> tensor<6x6x2x2xf64>
    %5 = stablehlo.reduce(%4 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x6x2x2xf64>, tensor<f64>) -> tensor<2xf64>
    %6 = stablehlo.divide %5, %cst_2 : tensor<2xf64>
    %7 = stablehlo.reshape %arg1 : (tensor<1xi64>) -> tensor<1x1xi64>
    %8 = "stablehlo.scatter"(%6, %7, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      stablehlo.return %arg5 : tensor<f64>
    }) : (tensor<2xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<2xf64>
    %9 = stablehlo.subtract %8, %arg3 : tensor<2xf64>
    %10 = stablehlo.power %9, %cst_0 : tensor<2xf64>
    %11 = stablehlo.reduce(%10 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %12 = stablehlo.divide %11, %cst_1 : tensor<f64>
    %13 = stablehlo.subtract %arg3, %8 : tensor<2xf64>
    %14 = "stablehlo.scatter"(%9, %7, %cst_4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      stablehlo.return %arg5 : tensor<f64>
    }) : (tensor<2xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<2xf64>
    %15 = "stablehlo.gather"(%9, %7) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf64>, tensor<1x1xi64>) -> tensor<1xf64>
    %16 = stablehlo.reshape %14 : (tensor<2xf64>) -> tensor<1x1x1x2xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf64>) -> tensor<6x6x2x2xf64>
    %18 = stablehlo.divide %17, %cst : tensor<6x6x2x2xf64>
    %19 = stablehlo.transpose %18, dims = [2, 0, 1, 3] : (tensor<6x6x2x2xf64>) -> tensor<2x6x6x2xf64>
    %20 = stablehlo.reshape %19 : (tensor<2x6x6x2xf64>) -> tensor<2x6x12xf64>
    %21 = stablehlo.iota dim = 0 : tensor<2xi64>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<2xi64>) -> tensor<2x6x12x1xi64>
    %23 = stablehlo.iota dim = 0 : tensor<6xi64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<6xi64>) -> tensor<2x6x12x1xi64>
    %25 = stablehlo.reshape %3#1 : (tensor<2x6x6x2xi64>) -> tensor<2x6x12x1xi64>
    %26 = stablehlo.concatenate %22, %24, %25, dim = 3 : (tensor<2x6x12x1xi64>, tensor<2x6x12x1xi64>, tensor<2x6x12x1xi64>) -> tensor<2x6x12x3xi64>
    %27 = "stablehlo.scatter"(%cst_3, %26, %20) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %29 = stablehlo.add %arg4, %arg5 : tensor<f64>
      stablehlo.return %29 : tensor<f64>
    }) : (tensor<2x6x12xf64>, tensor<2x6x12x3xi64>, tensor<2x6x12xf64>) -> tensor<2x6x12xf64>
    %28 = stablehlo.reshape %27 : (tensor<2x6x12xf64>) -> tensor<2x6x6x2xf64>
    return %12, %28, %15, %13 : tensor<f64>, tensor<2x6x6x2xf64>, tensor<1xf64>, tensor<2xf64>
  }
}
