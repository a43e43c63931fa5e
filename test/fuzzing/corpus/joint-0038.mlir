// joint graph of square → roll → square → matmul → nll_loss
// seed 38
// fuzz: plain equal
// input 0: seed 1085 from -3 to 3
// input 1: seed 2786 from -2 to 2
// input 2: seed 5645 from 0 to 5
module {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<1x6xf32>, %arg2: tensor<1xi64>) -> (tensor<f32>, tensor<1xf32>, tensor<1x6xf32>) {
    %c = stablehlo.constant dense<0> : tensor<1x1x1xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<1x1xi64>
    %c_3 = stablehlo.constant dense<-100> : tensor<1x1xi64>
    %c_4 = stablehlo.constant dense<0> : tensor<1xi64>
    %c_5 = stablehlo.constant dense<-100> : tensor<1xi64>
    %cst_6 = stablehlo.constant dense<-1.000000e+00> : tensor<1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<1x6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<1xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<1x1xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<1x1xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
    %4 = stablehlo.compare NE, %arg2, %c_5, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %5 = stablehlo.select %4, %arg2, %c_4 : tensor<1xi1>, tensor<1xi64>
    %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<1x1x1xi64>
    %7 = stablehlo.concatenate %c, %6, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %8 = "stablehlo.gather"(%3, %7) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x6xf32>, tensor<1x1x2xi64>) -> tensor<1x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<1x1xf32>) -> tensor<1xf32>
    %10 = stablehlo.negate %9 : tensor<1xf32>
    %11 = stablehlo.select %4, %10, %cst_1 : tensor<1xi1>, tensor<1xf32>
    %12 = stablehlo.reduce(%11 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
    %13 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<1x1xi64>
    %14 = stablehlo.compare NE, %13, %c_3, SIGNED : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi1>
    %15 = stablehlo.select %14, %13, %c_2 : tensor<1x1xi1>, tensor<1x1xi64>
    %16 = stablehlo.reshape %15 : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
    %17 = stablehlo.concatenate %c, %16, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %18 = "stablehlo.scatter"(%cst_7, %17, %cst_6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<1x6xf32>, tensor<1x1x2xi64>, tensor<1x1xf32>) -> tensor<1x6xf32>
    %19 = stablehlo.select %14, %cst_0, %cst : tensor<1x1xi1>, tensor<1x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x6xf32>
    %21 = stablehlo.multiply %18, %20 : tensor<1x6xf32>
    %22 = stablehlo.dot_general %2, %21, contracting_dims = [1] x [0] : (tensor<1x1xf32>, tensor<1x6xf32>) -> tensor<1x6xf32>
    %23 = stablehlo.reshape %21 : (tensor<1x6xf32>) -> tensor<6x1xf32>
    %24 = stablehlo.dot_general %arg1, %23, contracting_dims = [1] x [0] : (tensor<1x6xf32>, tensor<6x1xf32>) -> tensor<1x1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x1xf32>) -> tensor<1xf32>
    %26 = stablehlo.multiply %25, %0 : tensor<1xf32>
    %27 = stablehlo.add %26, %26 : tensor<1xf32>
    %28 = stablehlo.multiply %27, %arg0 : tensor<1xf32>
    %29 = stablehlo.add %28, %28 : tensor<1xf32>
    return %12, %29, %22 : tensor<f32>, tensor<1xf32>, tensor<1x6xf32>
  }
}
