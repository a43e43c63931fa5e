// forward pass of softmax → cat → logsumexp → cross_entropy
// seed 8
// fuzz: plain close
// input 0: seed 1395 from -3 to 3
// input 1: seed 9390 from 0 to 0
module {
  func.func @main(%arg0: tensor<2x6x1xf64> {dist.kind = "input", dist.name = "input0"}, %arg1: tensor<4xi64> {dist.kind = "input", dist.name = "input1"}) -> (tensor<4x1xf64> {dist.name = "0"}, tensor<f64> {dist.name = "1"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x1x1xf64>
    %cst_0 = stablehlo.constant dense<0x7FF0000000000000> : tensor<4x1x1xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<2x6x1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.composite "distc.softmax" %arg0 {composite_attributes = {dim = 2 : i64}, decomposition = @softmax_0} : (tensor<2x6x1xf64>) -> tensor<2x6x1xf64>
    %1 = stablehlo.multiply %0, %cst_1 : tensor<2x6x1xf64>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x6x1xf64>, tensor<2x6x1xf64>) -> tensor<4x6x1xf64>
    %3 = stablehlo.reduce(%2 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    %4 = stablehlo.reshape %3 : (tensor<4x1xf64>) -> tensor<4x1x1xf64>
    %5 = stablehlo.abs %4 : tensor<4x1x1xf64>
    %6 = stablehlo.compare EQ, %5, %cst_0, FLOAT : (tensor<4x1x1xf64>, tensor<4x1x1xf64>) -> tensor<4x1x1xi1>
    %7 = stablehlo.select %6, %cst, %4 : tensor<4x1x1xi1>, tensor<4x1x1xf64>
    %8 = stablehlo.reshape %7 : (tensor<4x1x1xf64>) -> tensor<4x1xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<4x1x1xf64>) -> tensor<4x6x1xf64>
    %10 = stablehlo.subtract %2, %9 : tensor<4x6x1xf64>
    %11 = stablehlo.exponential %10 : tensor<4x6x1xf64>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<4x6x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    %13 = stablehlo.log %12 : tensor<4x1xf64>
    %14 = stablehlo.add %13, %8 : tensor<4x1xf64>
    %15 = stablehlo.composite "distc.cross_entropy" %14, %arg1 {composite_attributes = {ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64, reduction = "sum"}, decomposition = @cross_entropy_0} : (tensor<4x1xf64>, tensor<4xi64>) -> tensor<f64>
    return %14, %15 : tensor<4x1xf64>, tensor<f64>
  }
  func.func private @softmax_0(%arg0: tensor<2x6x1xf64>) -> tensor<2x6x1xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x1xf64>, tensor<f64>) -> tensor<2x6xf64>
    %1 = stablehlo.reshape %0 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %2 = stablehlo.subtract %arg0, %1 : tensor<2x6x1xf64>
    %3 = stablehlo.exponential %2 : tensor<2x6x1xf64>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf64>, tensor<f64>) -> tensor<2x6xf64>
    %5 = stablehlo.reshape %4 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %6 = stablehlo.divide %3, %5 : tensor<2x6x1xf64>
    return %6 : tensor<2x6x1xf64>
  }
  func.func private @cross_entropy_0(%arg0: tensor<4x1xf64>, %arg1: tensor<4xi64>) -> tensor<f64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf64>
    %c = stablehlo.constant dense<0> : tensor<4xi64>
    %c_0 = stablehlo.constant dense<-100> : tensor<4xi64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %1 = stablehlo.reshape %0 : (tensor<4xf64>) -> tensor<4x1xf64>
    %2 = stablehlo.subtract %arg0, %1 : tensor<4x1xf64>
    %3 = stablehlo.exponential %2 : tensor<4x1xf64>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %5 = stablehlo.reshape %4 : (tensor<4xf64>) -> tensor<4x1xf64>
    %6 = stablehlo.log %5 : tensor<4x1xf64>
    %7 = stablehlo.subtract %2, %6 : tensor<4x1xf64>
    %8 = stablehlo.compare NE, %arg1, %c_0, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %9 = stablehlo.select %8, %arg1, %c : tensor<4xi1>, tensor<4xi64>
    %10 = stablehlo.iota dim = 0 : tensor<4xi64>
    %11 = stablehlo.reshape %10 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %12 = stablehlo.reshape %9 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %13 = stablehlo.concatenate %11, %12, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %14 = "stablehlo.gather"(%7, %13) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x1xf64>, tensor<4x1x2xi64>) -> tensor<4x1xf64>
    %15 = stablehlo.reshape %14 : (tensor<4x1xf64>) -> tensor<4xf64>
    %16 = stablehlo.negate %15 : tensor<4xf64>
    %17 = stablehlo.select %8, %16, %cst : tensor<4xi1>, tensor<4xf64>
    %18 = stablehlo.reduce(%17 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %18 : tensor<f64>
  }
}
