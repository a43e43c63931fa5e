// joint graph of cumsum → cross_entropy
// seed 29
// fuzz: plain close
// input 0: seed 1421 from -3 to 3
// input 1: seed 6807 from 0 to 2
module {
  func.func @main(%arg0: tensor<7x5x3xf64>, %arg1: tensor<35xi64>) -> (tensor<f64>, tensor<7x5x3xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<35x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<35xf64>
    %c = stablehlo.constant dense<0> : tensor<35x1xi64>
    %c_1 = stablehlo.constant dense<-100> : tensor<35x1xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<35xi64>
    %c_3 = stablehlo.constant dense<-100> : tensor<35xi64>
    %cst_4 = stablehlo.constant dense<-1.000000e+00> : tensor<35x1xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<35x3xf64>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_8 = stablehlo.constant dense<0> : tensor<i64>
    %cst_9 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst_7) <{padding = dense<[[0, 0], [4, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 5, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %48 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %48 : tensor<f64>
    }) : (tensor<7x5x3xf64>, tensor<f64>) -> tensor<7x5x3xf64>
    %1 = stablehlo.reshape %0 : (tensor<7x5x3xf64>) -> tensor<35x3xf64>
    %2 = stablehlo.reduce(%1 init: %cst_9) applies stablehlo.maximum across dimensions = [1] : (tensor<35x3xf64>, tensor<f64>) -> tensor<35xf64>
    %3 = stablehlo.reshape %2 : (tensor<35xf64>) -> tensor<35x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<35x1xf64>) -> tensor<35x3xf64>
    %5 = stablehlo.subtract %1, %4 : tensor<35x3xf64>
    %6 = stablehlo.exponential %5 : tensor<35x3xf64>
    %7 = stablehlo.reduce(%6 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<35x3xf64>, tensor<f64>) -> tensor<35xf64>
    %8 = stablehlo.reshape %7 : (tensor<35xf64>) -> tensor<35x1xf64>
    %9 = stablehlo.log %8 : tensor<35x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<35x1xf64>) -> tensor<35x3xf64>
    %11 = stablehlo.subtract %5, %10 : tensor<35x3xf64>
    %12 = stablehlo.compare NE, %arg1, %c_3, SIGNED : (tensor<35xi64>, tensor<35xi64>) -> tensor<35xi1>
    %13 = stablehlo.select %12, %arg1, %c_2 : tensor<35xi1>, tensor<35xi64>
    %14 = stablehlo.iota dim = 0 : tensor<35xi64>
    %15 = stablehlo.reshape %14 : (tensor<35xi64>) -> tensor<35x1x1xi64>
    %16 = stablehlo.reshape %13 : (tensor<35xi64>) -> tensor<35x1x1xi64>
    %17 = stablehlo.concatenate %15, %16, dim = 2 : (tensor<35x1x1xi64>, tensor<35x1x1xi64>) -> tensor<35x1x2xi64>
    %18 = "stablehlo.gather"(%11, %17) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<35x3xf64>, tensor<35x1x2xi64>) -> tensor<35x1xf64>
    %19 = stablehlo.reshape %18 : (tensor<35x1xf64>) -> tensor<35xf64>
    %20 = stablehlo.negate %19 : tensor<35xf64>
    %21 = stablehlo.select %12, %20, %cst_0 : tensor<35xi1>, tensor<35xf64>
    %22 = stablehlo.convert %12 : (tensor<35xi1>) -> tensor<35xi64>
    %23 = stablehlo.reduce(%22 init: %c_8) applies stablehlo.add across dimensions = [0] : (tensor<35xi64>, tensor<i64>) -> tensor<i64>
    %24 = stablehlo.convert %23 : (tensor<i64>) -> tensor<f64>
    %25 = stablehlo.reduce(%21 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<35xf64>, tensor<f64>) -> tensor<f64>
    %26 = stablehlo.divide %25, %24 : tensor<f64>
    %27 = stablehlo.divide %cst_6, %24 : tensor<f64>
    %28 = stablehlo.reshape %arg1 : (tensor<35xi64>) -> tensor<35x1xi64>
    %29 = stablehlo.compare NE, %28, %c_1, SIGNED : (tensor<35x1xi64>, tensor<35x1xi64>) -> tensor<35x1xi1>
    %30 = stablehlo.select %29, %28, %c : tensor<35x1xi1>, tensor<35x1xi64>
    %31 = stablehlo.reshape %30 : (tensor<35x1xi64>) -> tensor<35x1x1xi64>
    %32 = stablehlo.concatenate %15, %31, dim = 2 : (tensor<35x1x1xi64>, tensor<35x1x1xi64>) -> tensor<35x1x2xi64>
    %33 = "stablehlo.scatter"(%cst_5, %32, %cst_4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<35x3xf64>, tensor<35x1x2xi64>, tensor<35x1xf64>) -> tensor<35x3xf64>
    %34 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f64>) -> tensor<35x1xf64>
    %35 = stablehlo.select %29, %34, %cst : tensor<35x1xi1>, tensor<35x1xf64>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<35x1xf64>) -> tensor<35x3xf64>
    %37 = stablehlo.multiply %33, %36 : tensor<35x3xf64>
    %38 = stablehlo.exponential %11 : tensor<35x3xf64>
    %39 = stablehlo.reduce(%37 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<35x3xf64>, tensor<f64>) -> tensor<35xf64>
    %40 = stablehlo.reshape %39 : (tensor<35xf64>) -> tensor<35x1xf64>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<35x1xf64>) -> tensor<35x3xf64>
    %42 = stablehlo.multiply %38, %41 : tensor<35x3xf64>
    %43 = stablehlo.subtract %37, %42 : tensor<35x3xf64>
    %44 = stablehlo.reshape %43 : (tensor<35x3xf64>) -> tensor<7x5x3xf64>
    %45 = stablehlo.reverse %44, dims = [1] : tensor<7x5x3xf64>
    %46 = "stablehlo.reduce_window"(%45, %cst_7) <{padding = dense<[[0, 0], [4, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 5, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %48 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %48 : tensor<f64>
    }) : (tensor<7x5x3xf64>, tensor<f64>) -> tensor<7x5x3xf64>
    %47 = stablehlo.reverse %46, dims = [1] : tensor<7x5x3xf64>
    return %26, %47 : tensor<f64>, tensor<7x5x3xf64>
  }
}
