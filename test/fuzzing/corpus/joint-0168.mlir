// joint graph of max_pool2d → nll_loss
// seed 168
// fuzz: plain equal
// input 0: seed 3113 from -3 to 3
// input 1: seed 3573 from 0 to 1
module {
  func.func @main(%arg0: tensor<4x2x2x5xf32>, %arg1: tensor<8xi64>) -> (tensor<f32>, tensor<4x2x2x5xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8x1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<8x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
    %c = stablehlo.constant dense<0> : tensor<8x1xi64>
    %c_2 = stablehlo.constant dense<-100> : tensor<8x1xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<8xi64>
    %c_4 = stablehlo.constant dense<-100> : tensor<8xi64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<4x2x10xf32>
    %cst_6 = stablehlo.constant dense<-1.000000e+00> : tensor<8x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<8x2xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.iota dim = 0 : tensor<10xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<10xi64>) -> tensor<4x2x10xi64>
    %2 = stablehlo.reshape %1 : (tensor<4x2x10xi64>) -> tensor<4x2x2x5xi64>
    %3:2 = "stablehlo.reduce_window"(%arg0, %2, %cst_10, %c_9) <{padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 3, 3>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<f32>, %arg5: tensor<i64>):
      %34 = stablehlo.compare GE, %arg2, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %35 = stablehlo.select %34, %arg2, %arg4 : tensor<i1>, tensor<f32>
      %36 = stablehlo.compare EQ, %arg2, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %37 = stablehlo.minimum %arg3, %arg5 : tensor<i64>
      %38 = stablehlo.select %34, %arg3, %arg5 : tensor<i1>, tensor<i64>
      %39 = stablehlo.select %36, %37, %38 : tensor<i1>, tensor<i64>
      stablehlo.return %35, %39 : tensor<f32>, tensor<i64>
    }) : (tensor<4x2x2x5xf32>, tensor<4x2x2x5xi64>, tensor<f32>, tensor<i64>) -> (tensor<4x2x1x2xf32>, tensor<4x2x1x2xi64>)
    %4 = stablehlo.reshape %3#0 : (tensor<4x2x1x2xf32>) -> tensor<8x2xf32>
    %5 = stablehlo.compare NE, %arg1, %c_4, SIGNED : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
    %6 = stablehlo.select %5, %arg1, %c_3 : tensor<8xi1>, tensor<8xi64>
    %7 = stablehlo.iota dim = 0 : tensor<8xi64>
    %8 = stablehlo.reshape %7 : (tensor<8xi64>) -> tensor<8x1x1xi64>
    %9 = stablehlo.reshape %6 : (tensor<8xi64>) -> tensor<8x1x1xi64>
    %10 = stablehlo.concatenate %8, %9, dim = 2 : (tensor<8x1x1xi64>, tensor<8x1x1xi64>) -> tensor<8x1x2xi64>
    %11 = "stablehlo.gather"(%4, %10) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x2xf32>, tensor<8x1x2xi64>) -> tensor<8x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<8x1xf32>) -> tensor<8xf32>
    %13 = stablehlo.negate %12 : tensor<8xf32>
    %14 = stablehlo.select %5, %13, %cst_1 : tensor<8xi1>, tensor<8xf32>
    %15 = stablehlo.reduce(%14 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.reshape %arg1 : (tensor<8xi64>) -> tensor<8x1xi64>
    %17 = stablehlo.compare NE, %16, %c_2, SIGNED : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x1xi1>
    %18 = stablehlo.select %17, %16, %c : tensor<8x1xi1>, tensor<8x1xi64>
    %19 = stablehlo.reshape %18 : (tensor<8x1xi64>) -> tensor<8x1x1xi64>
    %20 = stablehlo.concatenate %8, %19, dim = 2 : (tensor<8x1x1xi64>, tensor<8x1x1xi64>) -> tensor<8x1x2xi64>
    %21 = "stablehlo.scatter"(%cst_7, %20, %cst_6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      stablehlo.return %arg3 : tensor<f32>
    }) : (tensor<8x2xf32>, tensor<8x1x2xi64>, tensor<8x1xf32>) -> tensor<8x2xf32>
    %22 = stablehlo.select %17, %cst_0, %cst : tensor<8x1xi1>, tensor<8x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x2xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<8x2xf32>
    %25 = stablehlo.reshape %24 : (tensor<8x2xf32>) -> tensor<4x2x2xf32>
    %26 = stablehlo.iota dim = 0 : tensor<4xi64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<4xi64>) -> tensor<4x2x2x1xi64>
    %28 = stablehlo.iota dim = 0 : tensor<2xi64>
    %29 = stablehlo.broadcast_in_dim %28, dims = [1] : (tensor<2xi64>) -> tensor<4x2x2x1xi64>
    %30 = stablehlo.reshape %3#1 : (tensor<4x2x1x2xi64>) -> tensor<4x2x2x1xi64>
    %31 = stablehlo.concatenate %27, %29, %30, dim = 3 : (tensor<4x2x2x1xi64>, tensor<4x2x2x1xi64>, tensor<4x2x2x1xi64>) -> tensor<4x2x2x3xi64>
    %32 = "stablehlo.scatter"(%cst_5, %31, %25) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %34 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }) : (tensor<4x2x10xf32>, tensor<4x2x2x3xi64>, tensor<4x2x2xf32>) -> tensor<4x2x10xf32>
    %33 = stablehlo.reshape %32 : (tensor<4x2x10xf32>) -> tensor<4x2x2x5xf32>
    return %15, %33 : tensor<f32>, tensor<4x2x2x5xf32>
  }
}
