// joint graph of softplus → permute → bmm → tanh → matmul → weighted_sum
// seed 212
// fuzz: plain close
// input 0: seed 974 from -3 to 3
// input 1: seed 4725 from -2 to 2
// input 2: seed 878 from -2 to 2
// input 3: seed 3197 from -2 to 2
module {
  func.func @main(%arg0: tensor<5xf64>, %arg1: tensor<5x4xf64>, %arg2: tensor<4x3xf64>, %arg3: tensor<3xf64>) -> (tensor<f64>, tensor<5xf64>, tensor<5x4xf64>, tensor<4x3xf64>, tensor<3xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<5xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+01> : tensor<5xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.exponential %arg0 : tensor<5xf64>
    %1 = stablehlo.log_plus_one %0 : tensor<5xf64>
    %2 = stablehlo.compare GT, %arg0, %cst_1, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %3 = stablehlo.select %2, %arg0, %1 : tensor<5xi1>, tensor<5xf64>
    %4 = stablehlo.reshape %3 : (tensor<5xf64>) -> tensor<1x5xf64>
    %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0] : (tensor<1x5xf64>, tensor<5x4xf64>) -> tensor<1x4xf64>
    %6 = stablehlo.reshape %5 : (tensor<1x4xf64>) -> tensor<4xf64>
    %7 = stablehlo.tanh %6 : tensor<4xf64>
    %8 = stablehlo.reshape %7 : (tensor<4xf64>) -> tensor<1x4xf64>
    %9 = stablehlo.dot_general %8, %arg2, contracting_dims = [1] x [0] : (tensor<1x4xf64>, tensor<4x3xf64>) -> tensor<1x3xf64>
    %10 = stablehlo.reshape %9 : (tensor<1x3xf64>) -> tensor<3xf64>
    %11 = stablehlo.multiply %10, %arg3 : tensor<3xf64>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %13 = stablehlo.reshape %arg3 : (tensor<3xf64>) -> tensor<1x3xf64>
    %14 = stablehlo.reshape %7 : (tensor<4xf64>) -> tensor<4x1xf64>
    %15 = stablehlo.dot_general %14, %13, contracting_dims = [1] x [0] : (tensor<4x1xf64>, tensor<1x3xf64>) -> tensor<4x3xf64>
    %16 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<4x3xf64>) -> tensor<3x4xf64>
    %17 = stablehlo.dot_general %13, %16, contracting_dims = [1] x [0] : (tensor<1x3xf64>, tensor<3x4xf64>) -> tensor<1x4xf64>
    %18 = stablehlo.reshape %17 : (tensor<1x4xf64>) -> tensor<4xf64>
    %19 = stablehlo.multiply %7, %7 : tensor<4xf64>
    %20 = stablehlo.subtract %cst_0, %19 : tensor<4xf64>
    %21 = stablehlo.multiply %18, %20 : tensor<4xf64>
    %22 = stablehlo.reshape %21 : (tensor<4xf64>) -> tensor<1x4xf64>
    %23 = stablehlo.reshape %3 : (tensor<5xf64>) -> tensor<5x1xf64>
    %24 = stablehlo.dot_general %23, %22, contracting_dims = [1] x [0] : (tensor<5x1xf64>, tensor<1x4xf64>) -> tensor<5x4xf64>
    %25 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<5x4xf64>) -> tensor<4x5xf64>
    %26 = stablehlo.dot_general %22, %25, contracting_dims = [1] x [0] : (tensor<1x4xf64>, tensor<4x5xf64>) -> tensor<1x5xf64>
    %27 = stablehlo.reshape %26 : (tensor<1x5xf64>) -> tensor<5xf64>
    %28 = stablehlo.multiply %27, %0 : tensor<5xf64>
    %29 = stablehlo.add %0, %cst : tensor<5xf64>
    %30 = stablehlo.divide %28, %29 : tensor<5xf64>
    %31 = stablehlo.select %2, %27, %30 : tensor<5xi1>, tensor<5xf64>
    return %12, %31, %24, %15, %10 : tensor<f64>, tensor<5xf64>, tensor<5x4xf64>, tensor<4x3xf64>, tensor<3xf64>
  }
}
