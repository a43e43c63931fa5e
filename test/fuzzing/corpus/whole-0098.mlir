// forward pass of gram → logsumexp → matmul → linear → silu → weighted_sum
// seed 98
// fuzz: plain close
// input 0: seed 9113 from -3 to 3
// input 1: seed 5914 from -2 to 2
// input 2: seed 122 from -2 to 2
// input 3: seed 6280 from -2 to 2
// input 4: seed 7954 from -2 to 2
module {
  func.func @main(%arg0: tensor<4x1x4x3xf64> {dist.kind = "input", dist.name = "input0"}, %arg1: tensor<4x6xf64> {dist.kind = "input", dist.name = "input1"}, %arg2: tensor<7x6xf64> {dist.kind = "input", dist.name = "input2"}, %arg3: tensor<7xf64> {dist.kind = "input", dist.name = "input3"}, %arg4: tensor<4x4x7xf64> {dist.kind = "input", dist.name = "input4"}) -> (tensor<4x4x7xf64> {dist.name = "0"}, tensor<f64> {dist.name = "1"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x1x4x4xf64>
    %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<4x1x4x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.transpose %arg0, dims = [0, 1, 3, 2] : (tensor<4x1x4x3xf64>) -> tensor<4x1x3x4xf64>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<4x1x4x3xf64>, tensor<4x1x3x4xf64>) -> tensor<4x1x4x4xf64>
    %2 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<4x1x4x4xf64>, tensor<f64>) -> tensor<4x4x4xf64>
    %3 = stablehlo.reshape %2 : (tensor<4x4x4xf64>) -> tensor<4x1x4x4xf64>
    %4 = stablehlo.abs %3 : tensor<4x1x4x4xf64>
    %5 = stablehlo.compare EQ, %4, %cst_0, FLOAT : (tensor<4x1x4x4xf64>, tensor<4x1x4x4xf64>) -> tensor<4x1x4x4xi1>
    %6 = stablehlo.select %5, %cst, %3 : tensor<4x1x4x4xi1>, tensor<4x1x4x4xf64>
    %7 = stablehlo.reshape %6 : (tensor<4x1x4x4xf64>) -> tensor<4x4x4xf64>
    %8 = stablehlo.subtract %1, %6 : tensor<4x1x4x4xf64>
    %9 = stablehlo.exponential %8 : tensor<4x1x4x4xf64>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x1x4x4xf64>, tensor<f64>) -> tensor<4x4x4xf64>
    %11 = stablehlo.log %10 : tensor<4x4x4xf64>
    %12 = stablehlo.add %11, %7 : tensor<4x4x4xf64>
    %13 = stablehlo.dot_general %12, %arg1, contracting_dims = [2] x [0] : (tensor<4x4x4xf64>, tensor<4x6xf64>) -> tensor<4x4x6xf64>
    %14 = stablehlo.dot_general %13, %arg2, contracting_dims = [2] x [1] : (tensor<4x4x6xf64>, tensor<7x6xf64>) -> tensor<4x4x7xf64>
    %15 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<7xf64>) -> tensor<4x4x7xf64>
    %16 = stablehlo.add %14, %15 : tensor<4x4x7xf64>
    %17 = stablehlo.composite "distc.silu" %16 {decomposition = @silu_0} : (tensor<4x4x7xf64>) -> tensor<4x4x7xf64>
    %18 = stablehlo.multiply %17, %arg4 : tensor<4x4x7xf64>
    %19 = stablehlo.reduce(%18 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x4x7xf64>, tensor<f64>) -> tensor<f64>
    return %17, %19 : tensor<4x4x7xf64>, tensor<f64>
  }
  func.func private @silu_0(%arg0: tensor<4x4x7xf64>) -> tensor<4x4x7xf64> {
    %0 = stablehlo.logistic %arg0 : tensor<4x4x7xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x4x7xf64>
    return %1 : tensor<4x4x7xf64>
  }
}
