// joint graph of slice → logsumexp → cumsum → cross_entropy
// seed 48
// fuzz: plain close
// input 0: seed 8279 from -3 to 3
// input 1: seed 3557 from 0 to 3
module {
  func.func @main(%arg0: tensor<6x5x3xf64>, %arg1: tensor<6xi64>) -> (tensor<f64>, tensor<6x5x3xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<6x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<6xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<6x4x1xf64>
    %cst_2 = stablehlo.constant dense<0x7FF0000000000000> : tensor<6x4x1xf64>
    %c = stablehlo.constant dense<0> : tensor<6x1xi64>
    %c_3 = stablehlo.constant dense<-100> : tensor<6x1xi64>
    %c_4 = stablehlo.constant dense<0> : tensor<6xi64>
    %c_5 = stablehlo.constant dense<-100> : tensor<6xi64>
    %cst_6 = stablehlo.constant dense<-1.000000e+00> : tensor<6x1xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<6x4xf64>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_10 = stablehlo.constant dense<0> : tensor<i64>
    %cst_11 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.slice %arg0 [0:6, 1:5, 0:3] : (tensor<6x5x3xf64>) -> tensor<6x4x3xf64>
    %1 = stablehlo.reduce(%0 init: %cst_11) applies stablehlo.maximum across dimensions = [2] : (tensor<6x4x3xf64>, tensor<f64>) -> tensor<6x4xf64>
    %2 = stablehlo.reshape %1 : (tensor<6x4xf64>) -> tensor<6x4x1xf64>
    %3 = stablehlo.abs %2 : tensor<6x4x1xf64>
    %4 = stablehlo.compare EQ, %3, %cst_2, FLOAT : (tensor<6x4x1xf64>, tensor<6x4x1xf64>) -> tensor<6x4x1xi1>
    %5 = stablehlo.select %4, %cst_1, %2 : tensor<6x4x1xi1>, tensor<6x4x1xf64>
    %6 = stablehlo.reshape %5 : (tensor<6x4x1xf64>) -> tensor<6x4xf64>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<6x4x1xf64>) -> tensor<6x4x3xf64>
    %8 = stablehlo.subtract %0, %7 : tensor<6x4x3xf64>
    %9 = stablehlo.exponential %8 : tensor<6x4x3xf64>
    %10 = stablehlo.reduce(%9 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<6x4x3xf64>, tensor<f64>) -> tensor<6x4xf64>
    %11 = stablehlo.log %10 : tensor<6x4xf64>
    %12 = stablehlo.add %11, %6 : tensor<6x4xf64>
    %13 = "stablehlo.reduce_window"(%12, %cst_9) <{padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 6, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %67 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %67 : tensor<f64>
    }) : (tensor<6x4xf64>, tensor<f64>) -> tensor<6x4xf64>
    %14 = stablehlo.reduce(%13 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<6x4xf64>, tensor<f64>) -> tensor<6xf64>
    %15 = stablehlo.reshape %14 : (tensor<6xf64>) -> tensor<6x1xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x4xf64>
    %17 = stablehlo.subtract %13, %16 : tensor<6x4xf64>
    %18 = stablehlo.exponential %17 : tensor<6x4xf64>
    %19 = stablehlo.reduce(%18 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf64>, tensor<f64>) -> tensor<6xf64>
    %20 = stablehlo.reshape %19 : (tensor<6xf64>) -> tensor<6x1xf64>
    %21 = stablehlo.log %20 : tensor<6x1xf64>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x4xf64>
    %23 = stablehlo.subtract %17, %22 : tensor<6x4xf64>
    %24 = stablehlo.compare NE, %arg1, %c_5, SIGNED : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi1>
    %25 = stablehlo.select %24, %arg1, %c_4 : tensor<6xi1>, tensor<6xi64>
    %26 = stablehlo.iota dim = 0 : tensor<6xi64>
    %27 = stablehlo.reshape %26 : (tensor<6xi64>) -> tensor<6x1x1xi64>
    %28 = stablehlo.reshape %25 : (tensor<6xi64>) -> tensor<6x1x1xi64>
    %29 = stablehlo.concatenate %27, %28, dim = 2 : (tensor<6x1x1xi64>, tensor<6x1x1xi64>) -> tensor<6x1x2xi64>
    %30 = "stablehlo.gather"(%23, %29) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<6x4xf64>, tensor<6x1x2xi64>) -> tensor<6x1xf64>
    %31 = stablehlo.reshape %30 : (tensor<6x1xf64>) -> tensor<6xf64>
    %32 = stablehlo.negate %31 : tensor<6xf64>
    %33 = stablehlo.select %24, %32, %cst_0 : tensor<6xi1>, tensor<6xf64>
    %34 = stablehlo.convert %24 : (tensor<6xi1>) -> tensor<6xi64>
    %35 = stablehlo.reduce(%34 init: %c_10) applies stablehlo.add across dimensions = [0] : (tensor<6xi64>, tensor<i64>) -> tensor<i64>
    %36 = stablehlo.convert %35 : (tensor<i64>) -> tensor<f64>
    %37 = stablehlo.reduce(%33 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>
    %38 = stablehlo.divide %37, %36 : tensor<f64>
    %39 = stablehlo.divide %cst_8, %36 : tensor<f64>
    %40 = stablehlo.reshape %arg1 : (tensor<6xi64>) -> tensor<6x1xi64>
    %41 = stablehlo.compare NE, %40, %c_3, SIGNED : (tensor<6x1xi64>, tensor<6x1xi64>) -> tensor<6x1xi1>
    %42 = stablehlo.select %41, %40, %c : tensor<6x1xi1>, tensor<6x1xi64>
    %43 = stablehlo.reshape %42 : (tensor<6x1xi64>) -> tensor<6x1x1xi64>
    %44 = stablehlo.concatenate %27, %43, dim = 2 : (tensor<6x1x1xi64>, tensor<6x1x1xi64>) -> tensor<6x1x2xi64>
    %45 = "stablehlo.scatter"(%cst_7, %44, %cst_6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<6x4xf64>, tensor<6x1x2xi64>, tensor<6x1xf64>) -> tensor<6x4xf64>
    %46 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f64>) -> tensor<6x1xf64>
    %47 = stablehlo.select %41, %46, %cst : tensor<6x1xi1>, tensor<6x1xf64>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x4xf64>
    %49 = stablehlo.multiply %45, %48 : tensor<6x4xf64>
    %50 = stablehlo.exponential %23 : tensor<6x4xf64>
    %51 = stablehlo.reduce(%49 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf64>, tensor<f64>) -> tensor<6xf64>
    %52 = stablehlo.reshape %51 : (tensor<6xf64>) -> tensor<6x1xf64>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<6x1xf64>) -> tensor<6x4xf64>
    %54 = stablehlo.multiply %50, %53 : tensor<6x4xf64>
    %55 = stablehlo.subtract %49, %54 : tensor<6x4xf64>
    %56 = stablehlo.reverse %55, dims = [0] : tensor<6x4xf64>
    %57 = "stablehlo.reduce_window"(%56, %cst_9) <{padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 6, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %67 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %67 : tensor<f64>
    }) : (tensor<6x4xf64>, tensor<f64>) -> tensor<6x4xf64>
    %58 = stablehlo.reverse %57, dims = [0] : tensor<6x4xf64>
    %59 = stablehlo.reshape %58 : (tensor<6x4xf64>) -> tensor<6x4x1xf64>
    %60 = stablehlo.reshape %12 : (tensor<6x4xf64>) -> tensor<6x4x1xf64>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<6x4x1xf64>) -> tensor<6x4x3xf64>
    %62 = stablehlo.subtract %0, %61 : tensor<6x4x3xf64>
    %63 = stablehlo.exponential %62 : tensor<6x4x3xf64>
    %64 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<6x4x1xf64>) -> tensor<6x4x3xf64>
    %65 = stablehlo.multiply %64, %63 : tensor<6x4x3xf64>
    %66 = stablehlo.pad %65, %cst_9, low = [0, 1, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<6x4x3xf64>, tensor<f64>) -> tensor<6x5x3xf64>
    return %38, %66 : tensor<f64>, tensor<6x5x3xf64>
  }
}
