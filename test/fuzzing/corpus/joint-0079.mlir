// joint graph of gram → multiply → sigmoid → residual → weighted_sum
// seed 79
// fuzz: plain close
// input 0: seed 8101 from -3 to 3
// input 1: seed 8045 from -2 to 2
// input 2: seed 7884 from -2 to 2
// input 3: seed 6026 from -2 to 2
module {
  func.func @main(%arg0: tensor<2x2x2xf64>, %arg1: tensor<1x1x1xf64>, %arg2: tensor<2x2xf64>, %arg3: tensor<2x2x2xf64>) -> (tensor<f64>, tensor<2x2x2xf64>, tensor<1x1x1xf64>, tensor<2x2xf64>, tensor<2x2x2xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2x2x2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf64>) -> tensor<2x2x2xf64>
    %3 = stablehlo.multiply %1, %2 : tensor<2x2x2xf64>
    %4 = stablehlo.logistic %3 : tensor<2x2x2xf64>
    %5 = stablehlo.reshape %4 : (tensor<2x2x2xf64>) -> tensor<4x2xf64>
    %6 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0] : (tensor<4x2xf64>, tensor<2x2xf64>) -> tensor<4x2xf64>
    %7 = stablehlo.reshape %6 : (tensor<4x2xf64>) -> tensor<2x2x2xf64>
    %8 = stablehlo.add %4, %7 : tensor<2x2x2xf64>
    %9 = stablehlo.multiply %8, %arg3 : tensor<2x2x2xf64>
    %10 = stablehlo.reduce(%9 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2xf64>, tensor<f64>) -> tensor<f64>
    %11 = stablehlo.reshape %arg3 : (tensor<2x2x2xf64>) -> tensor<4x2xf64>
    %12 = stablehlo.transpose %5, dims = [1, 0] : (tensor<4x2xf64>) -> tensor<2x4xf64>
    %13 = stablehlo.dot_general %12, %11, contracting_dims = [1] x [0] : (tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
    %14 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %15 = stablehlo.dot_general %11, %14, contracting_dims = [1] x [0] : (tensor<4x2xf64>, tensor<2x2xf64>) -> tensor<4x2xf64>
    %16 = stablehlo.reshape %15 : (tensor<4x2xf64>) -> tensor<2x2x2xf64>
    %17 = stablehlo.add %arg3, %16 : tensor<2x2x2xf64>
    %18 = stablehlo.subtract %cst, %4 : tensor<2x2x2xf64>
    %19 = stablehlo.multiply %4, %18 : tensor<2x2x2xf64>
    %20 = stablehlo.multiply %17, %19 : tensor<2x2x2xf64>
    %21 = stablehlo.multiply %20, %1 : tensor<2x2x2xf64>
    %22 = stablehlo.multiply %20, %2 : tensor<2x2x2xf64>
    %23 = stablehlo.reduce(%21 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2xf64>, tensor<f64>) -> tensor<f64>
    %24 = stablehlo.reshape %23 : (tensor<f64>) -> tensor<1x1x1xf64>
    %25 = stablehlo.dot_general %0, %22, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
    %26 = stablehlo.dot_general %22, %arg0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
    %27 = stablehlo.transpose %25, dims = [0, 2, 1] : (tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
    %28 = stablehlo.add %26, %27 : tensor<2x2x2xf64>
    return %10, %28, %24, %13, %8 : tensor<f64>, tensor<2x2x2xf64>, tensor<1x1x1xf64>, tensor<2x2xf64>, tensor<2x2x2xf64>
  }
}
