// joint graph of index_select → cross_entropy
// seed 69
// fuzz: plain close
// input 0: seed 5374 from -3 to 3
// input 1: seed 9290 from 0 to 4
// input 2: seed 8510 from 0 to 2
module {
  func.func @main(%arg0: tensor<1x5x3xf64>, %arg1: tensor<4xi64>, %arg2: tensor<4xi64>) -> (tensor<f64>, tensor<1x5x3xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x4x3x1xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x1xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x1xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4xf64>
    %c_2 = stablehlo.constant dense<5> : tensor<4xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<4x1xi64>
    %c_4 = stablehlo.constant dense<-100> : tensor<4x1xi64>
    %c_5 = stablehlo.constant dense<0> : tensor<4xi64>
    %c_6 = stablehlo.constant dense<-100> : tensor<4xi64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<1x5x3xf64>
    %cst_8 = stablehlo.constant dense<-1.000000e+00> : tensor<4x1xf64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_11 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<1x5x3xf64>, tensor<4xi64>) -> tensor<1x4x3xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x4x3xf64>) -> tensor<4x3xf64>
    %2 = stablehlo.reduce(%1 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %3 = stablehlo.reshape %2 : (tensor<4xf64>) -> tensor<4x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %5 = stablehlo.subtract %1, %4 : tensor<4x3xf64>
    %6 = stablehlo.exponential %5 : tensor<4x3xf64>
    %7 = stablehlo.reduce(%6 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %8 = stablehlo.reshape %7 : (tensor<4xf64>) -> tensor<4x1xf64>
    %9 = stablehlo.log %8 : tensor<4x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %11 = stablehlo.subtract %5, %10 : tensor<4x3xf64>
    %12 = stablehlo.compare NE, %arg2, %c_6, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %13 = stablehlo.select %12, %arg2, %c_5 : tensor<4xi1>, tensor<4xi64>
    %14 = stablehlo.iota dim = 0 : tensor<4xi64>
    %15 = stablehlo.reshape %14 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %16 = stablehlo.reshape %13 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %17 = stablehlo.concatenate %15, %16, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %18 = "stablehlo.gather"(%11, %17) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xf64>, tensor<4x1x2xi64>) -> tensor<4x1xf64>
    %19 = stablehlo.reshape %18 : (tensor<4x1xf64>) -> tensor<4xf64>
    %20 = stablehlo.negate %19 : tensor<4xf64>
    %21 = stablehlo.select %12, %20, %cst_1 : tensor<4xi1>, tensor<4xf64>
    %22 = stablehlo.reduce(%21 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %23 = stablehlo.reshape %arg2 : (tensor<4xi64>) -> tensor<4x1xi64>
    %24 = stablehlo.compare NE, %23, %c_4, SIGNED : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %25 = stablehlo.select %24, %23, %c_3 : tensor<4x1xi1>, tensor<4x1xi64>
    %26 = stablehlo.reshape %25 : (tensor<4x1xi64>) -> tensor<4x1x1xi64>
    %27 = stablehlo.concatenate %15, %26, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %28 = "stablehlo.scatter"(%cst_9, %27, %cst_8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<4x3xf64>, tensor<4x1x2xi64>, tensor<4x1xf64>) -> tensor<4x3xf64>
    %29 = stablehlo.select %24, %cst_0, %cst : tensor<4x1xi1>, tensor<4x1xf64>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %31 = stablehlo.multiply %28, %30 : tensor<4x3xf64>
    %32 = stablehlo.exponential %11 : tensor<4x3xf64>
    %33 = stablehlo.reduce(%31 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf64>, tensor<f64>) -> tensor<4xf64>
    %34 = stablehlo.reshape %33 : (tensor<4xf64>) -> tensor<4x1xf64>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x3xf64>
    %36 = stablehlo.multiply %32, %35 : tensor<4x3xf64>
    %37 = stablehlo.subtract %31, %36 : tensor<4x3xf64>
    %38 = stablehlo.reshape %37 : (tensor<4x3xf64>) -> tensor<1x4x3xf64>
    %39 = stablehlo.compare LT, %arg1, %c_5, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %40 = stablehlo.add %arg1, %c_2 : tensor<4xi64>
    %41 = stablehlo.select %39, %40, %arg1 : tensor<4xi1>, tensor<4xi64>
    %42 = stablehlo.iota dim = 0 : tensor<3xi64>
    %43 = stablehlo.reshape %41 : (tensor<4xi64>) -> tensor<4x1xi64>
    %44 = stablehlo.broadcast_in_dim %43, dims = [1, 2] : (tensor<4x1xi64>) -> tensor<1x4x3xi64>
    %45 = stablehlo.reshape %44 : (tensor<1x4x3xi64>) -> tensor<1x4x3x1xi64>
    %46 = stablehlo.broadcast_in_dim %42, dims = [2] : (tensor<3xi64>) -> tensor<1x4x3xi64>
    %47 = stablehlo.reshape %46 : (tensor<1x4x3xi64>) -> tensor<1x4x3x1xi64>
    %48 = stablehlo.concatenate %c, %45, %47, dim = 3 : (tensor<1x4x3x1xi64>, tensor<1x4x3x1xi64>, tensor<1x4x3x1xi64>) -> tensor<1x4x3x3xi64>
    %49 = "stablehlo.scatter"(%cst_7, %48, %38) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %50 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %50 : tensor<f64>
    }) : (tensor<1x5x3xf64>, tensor<1x4x3x3xi64>, tensor<1x4x3xf64>) -> tensor<1x5x3xf64>
    return %22, %49 : tensor<f64>, tensor<1x5x3xf64>
  }
}
