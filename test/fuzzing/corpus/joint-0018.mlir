// joint graph of logsumexp → cross_entropy
// seed 18
// fuzz: plain close
// input 0: seed 3243 from -3 to 3
// input 1: seed 4841 from 0 to 2
module {
  func.func @main(%arg0: tensor<3x2xf64>, %arg1: tensor<1xi64>) -> (tensor<f64>, tensor<3x2xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x1x1xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x1xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<1x1xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<3x1xf64>
    %cst_3 = stablehlo.constant dense<0x7FF0000000000000> : tensor<3x1xf64>
    %c_4 = stablehlo.constant dense<0> : tensor<1x1xi64>
    %c_5 = stablehlo.constant dense<-100> : tensor<1x1xi64>
    %c_6 = stablehlo.constant dense<0> : tensor<1xi64>
    %c_7 = stablehlo.constant dense<-100> : tensor<1xi64>
    %cst_8 = stablehlo.constant dense<-1.000000e+00> : tensor<1x1xf64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<1x3xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_11 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.reshape %0 : (tensor<3xf64>) -> tensor<3x1xf64>
    %2 = stablehlo.abs %1 : tensor<3x1xf64>
    %3 = stablehlo.compare EQ, %2, %cst_3, FLOAT : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xi1>
    %4 = stablehlo.select %3, %cst_2, %1 : tensor<3x1xi1>, tensor<3x1xf64>
    %5 = stablehlo.reshape %4 : (tensor<3x1xf64>) -> tensor<3xf64>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %7 = stablehlo.subtract %arg0, %6 : tensor<3x2xf64>
    %8 = stablehlo.exponential %7 : tensor<3x2xf64>
    %9 = stablehlo.reduce(%8 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %10 = stablehlo.log %9 : tensor<3xf64>
    %11 = stablehlo.add %10, %5 : tensor<3xf64>
    %12 = stablehlo.reshape %11 : (tensor<3xf64>) -> tensor<1x3xf64>
    %13 = stablehlo.reduce(%12 init: %cst_11) applies stablehlo.maximum across dimensions = [1] : (tensor<1x3xf64>, tensor<f64>) -> tensor<1xf64>
    %14 = stablehlo.reshape %13 : (tensor<1xf64>) -> tensor<1x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x3xf64>
    %16 = stablehlo.subtract %12, %15 : tensor<1x3xf64>
    %17 = stablehlo.exponential %16 : tensor<1x3xf64>
    %18 = stablehlo.reduce(%17 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<1x3xf64>, tensor<f64>) -> tensor<1xf64>
    %19 = stablehlo.reshape %18 : (tensor<1xf64>) -> tensor<1x1xf64>
    %20 = stablehlo.log %19 : tensor<1x1xf64>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x3xf64>
    %22 = stablehlo.subtract %16, %21 : tensor<1x3xf64>
    %23 = stablehlo.compare NE, %arg1, %c_7, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %24 = stablehlo.select %23, %arg1, %c_6 : tensor<1xi1>, tensor<1xi64>
    %25 = stablehlo.reshape %24 : (tensor<1xi64>) -> tensor<1x1x1xi64>
    %26 = stablehlo.concatenate %c, %25, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %27 = "stablehlo.gather"(%22, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x3xf64>, tensor<1x1x2xi64>) -> tensor<1x1xf64>
    %28 = stablehlo.reshape %27 : (tensor<1x1xf64>) -> tensor<1xf64>
    %29 = stablehlo.negate %28 : tensor<1xf64>
    %30 = stablehlo.select %23, %29, %cst_1 : tensor<1xi1>, tensor<1xf64>
    %31 = stablehlo.reduce(%30 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %32 = stablehlo.reshape %arg1 : (tensor<1xi64>) -> tensor<1x1xi64>
    %33 = stablehlo.compare NE, %32, %c_5, SIGNED : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi1>
    %34 = stablehlo.select %33, %32, %c_4 : tensor<1x1xi1>, tensor<1x1xi64>
    %35 = stablehlo.reshape %34 : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
    %36 = stablehlo.concatenate %c, %35, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %37 = "stablehlo.scatter"(%cst_9, %36, %cst_8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<1x3xf64>, tensor<1x1x2xi64>, tensor<1x1xf64>) -> tensor<1x3xf64>
    %38 = stablehlo.select %33, %cst_0, %cst : tensor<1x1xi1>, tensor<1x1xf64>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x3xf64>
    %40 = stablehlo.multiply %37, %39 : tensor<1x3xf64>
    %41 = stablehlo.exponential %22 : tensor<1x3xf64>
    %42 = stablehlo.reduce(%40 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<1x3xf64>, tensor<f64>) -> tensor<1xf64>
    %43 = stablehlo.reshape %42 : (tensor<1xf64>) -> tensor<1x1xf64>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x3xf64>
    %45 = stablehlo.multiply %41, %44 : tensor<1x3xf64>
    %46 = stablehlo.subtract %40, %45 : tensor<1x3xf64>
    %47 = stablehlo.reshape %46 : (tensor<1x3xf64>) -> tensor<3x1xf64>
    %48 = stablehlo.reshape %11 : (tensor<3xf64>) -> tensor<3x1xf64>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %50 = stablehlo.subtract %arg0, %49 : tensor<3x2xf64>
    %51 = stablehlo.exponential %50 : tensor<3x2xf64>
    %52 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %53 = stablehlo.multiply %52, %51 : tensor<3x2xf64>
    return %31, %53 : tensor<f64>, tensor<3x2xf64>
  }
}
