// joint graph of window_max → mse_loss
// seed 42
// fuzz: plain close
// input 0: seed 4012 from -3 to 3
// input 1: seed 8935 from -2 to 2
module {
  func.func @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<3xf64>
    %c = stablehlo.constant dense<3> : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<3xi32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<3xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
    %1 = stablehlo.slice %arg0 [1:2] : (tensor<3xf64>) -> tensor<1xf64>
    %2 = stablehlo.slice %arg0 [2:3] : (tensor<3xf64>) -> tensor<1xf64>
    %3 = stablehlo.concatenate %0, %1, %2, dim = 0 : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<3xf64>
    %4 = stablehlo.reshape %3 : (tensor<3xf64>) -> tensor<3x1xf64>
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<3x1xf64>, tensor<f64>) -> tensor<3xf64>
    %6 = stablehlo.subtract %5, %arg1 : tensor<3xf64>
    %7 = stablehlo.power %6, %cst : tensor<3xf64>
    %8 = stablehlo.reduce(%7 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %9 = stablehlo.multiply %6, %cst : tensor<3xf64>
    %10 = stablehlo.subtract %arg1, %5 : tensor<3xf64>
    %11 = stablehlo.multiply %10, %cst : tensor<3xf64>
    %12 = stablehlo.reshape %5 : (tensor<3xf64>) -> tensor<3x1xf64>
    %13 = stablehlo.compare EQ, %12, %4, FLOAT : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xi1>
    %14 = stablehlo.reshape %9 : (tensor<3xf64>) -> tensor<3x1xf64>
    %15 = stablehlo.convert %13 : (tensor<3x1xi1>) -> tensor<3x1xi64>
    %16 = stablehlo.reduce(%15 init: %c_4) applies stablehlo.add across dimensions = [1] : (tensor<3x1xi64>, tensor<i64>) -> tensor<3xi64>
    %17 = stablehlo.reshape %16 : (tensor<3xi64>) -> tensor<3x1xi64>
    %18 = stablehlo.convert %17 : (tensor<3x1xi64>) -> tensor<3x1xf64>
    %19 = stablehlo.divide %14, %18 : tensor<3x1xf64>
    %20 = stablehlo.convert %13 : (tensor<3x1xi1>) -> tensor<3x1xf64>
    %21 = stablehlo.multiply %19, %20 : tensor<3x1xf64>
    %22 = stablehlo.iota dim = 0 : tensor<3xi32>
    %23 = stablehlo.reshape %21 : (tensor<3x1xf64>) -> tensor<3xf64>
    %24 = stablehlo.compare LT, %22, %c_0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %25 = stablehlo.add %22, %c : tensor<3xi32>
    %26 = stablehlo.select %24, %25, %22 : tensor<3xi1>, tensor<3xi32>
    %27 = stablehlo.convert %26 : (tensor<3xi32>) -> tensor<3xi64>
    %28 = stablehlo.reshape %27 : (tensor<3xi64>) -> tensor<3x1xi64>
    %29 = "stablehlo.scatter"(%cst_1, %28, %23) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %30 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %30 : tensor<f64>
    }) : (tensor<3xf64>, tensor<3x1xi64>, tensor<3xf64>) -> tensor<3xf64>
    return %8, %29, %11 : tensor<f64>, tensor<3xf64>, tensor<3xf64>
  }
}
