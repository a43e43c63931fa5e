// joint graph of add → window_sum → window_sum → nll_loss
// seed 50
// fuzz: plain equal
// input 0: seed 7752 from -3 to 3
// input 1: seed 8822 from -2 to 2
// input 2: seed 9953 from 0 to 1
module {
  func.func @main(%arg0: tensor<2xf64>, %arg1: tensor<1xf64>, %arg2: tensor<1xi64>) -> (tensor<f64>, tensor<2xf64>, tensor<1xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x1x1xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x1xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<1x1xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %c_2 = stablehlo.constant dense<2> : tensor<2xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<2xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<1x1xi64>
    %c_5 = stablehlo.constant dense<-100> : tensor<1x1xi64>
    %c_6 = stablehlo.constant dense<0> : tensor<1xi64>
    %c_7 = stablehlo.constant dense<-100> : tensor<1xi64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %cst_9 = stablehlo.constant dense<-1.000000e+00> : tensor<1x1xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<1x2xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<1xf64>) -> tensor<2xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<2xf64>
    %2 = stablehlo.slice %1 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %3 = stablehlo.slice %1 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %5 = stablehlo.reshape %4 : (tensor<2xf64>) -> tensor<2x1xf64>
    %6 = stablehlo.reduce(%5 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<2x1xf64>, tensor<f64>) -> tensor<2xf64>
    %7 = stablehlo.slice %6 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %8 = stablehlo.slice %6 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %10 = stablehlo.reshape %9 : (tensor<2xf64>) -> tensor<2x1xf64>
    %11 = stablehlo.reduce(%10 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<2x1xf64>, tensor<f64>) -> tensor<2xf64>
    %12 = stablehlo.reshape %11 : (tensor<2xf64>) -> tensor<1x2xf64>
    %13 = stablehlo.compare NE, %arg2, %c_7, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %14 = stablehlo.select %13, %arg2, %c_6 : tensor<1xi1>, tensor<1xi64>
    %15 = stablehlo.reshape %14 : (tensor<1xi64>) -> tensor<1x1x1xi64>
    %16 = stablehlo.concatenate %c, %15, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %17 = "stablehlo.gather"(%12, %16) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x2xf64>, tensor<1x1x2xi64>) -> tensor<1x1xf64>
    %18 = stablehlo.reshape %17 : (tensor<1x1xf64>) -> tensor<1xf64>
    %19 = stablehlo.negate %18 : tensor<1xf64>
    %20 = stablehlo.select %13, %19, %cst_1 : tensor<1xi1>, tensor<1xf64>
    %21 = stablehlo.reduce(%20 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %22 = stablehlo.reshape %arg2 : (tensor<1xi64>) -> tensor<1x1xi64>
    %23 = stablehlo.compare NE, %22, %c_5, SIGNED : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi1>
    %24 = stablehlo.select %23, %22, %c_4 : tensor<1x1xi1>, tensor<1x1xi64>
    %25 = stablehlo.reshape %24 : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
    %26 = stablehlo.concatenate %c, %25, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %27 = "stablehlo.scatter"(%cst_10, %26, %cst_9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<1x2xf64>, tensor<1x1x2xi64>, tensor<1x1xf64>) -> tensor<1x2xf64>
    %28 = stablehlo.select %23, %cst_0, %cst : tensor<1x1xi1>, tensor<1x1xf64>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x2xf64>
    %30 = stablehlo.multiply %27, %29 : tensor<1x2xf64>
    %31 = stablehlo.iota dim = 0 : tensor<2xi32>
    %32 = stablehlo.reshape %30 : (tensor<1x2xf64>) -> tensor<2xf64>
    %33 = stablehlo.compare LT, %31, %c_3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %34 = stablehlo.add %31, %c_2 : tensor<2xi32>
    %35 = stablehlo.select %33, %34, %31 : tensor<2xi1>, tensor<2xi32>
    %36 = stablehlo.convert %35 : (tensor<2xi32>) -> tensor<2xi64>
    %37 = stablehlo.reshape %36 : (tensor<2xi64>) -> tensor<2x1xi64>
    %38 = "stablehlo.scatter"(%cst_8, %37, %32) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %42 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %42 : tensor<f64>
    }) : (tensor<2xf64>, tensor<2x1xi64>, tensor<2xf64>) -> tensor<2xf64>
    %39 = "stablehlo.scatter"(%cst_8, %37, %38) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %42 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %42 : tensor<f64>
    }) : (tensor<2xf64>, tensor<2x1xi64>, tensor<2xf64>) -> tensor<2xf64>
    %40 = stablehlo.reduce(%39 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %41 = stablehlo.reshape %40 : (tensor<f64>) -> tensor<1xf64>
    return %21, %39, %41 : tensor<f64>, tensor<2xf64>, tensor<1xf64>
  }
}
