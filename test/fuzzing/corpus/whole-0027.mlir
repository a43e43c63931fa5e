// forward pass of embedding → gather → masked_fill → softmax → weighted_sum
// seed 27
// fuzz: plain close
// input 0: seed 3217 from -2 to 2
// input 1: seed 4168 from 0 to 4
// input 2: seed 6100 from 0 to 2
// input 3: seed 1168 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x3xf64> {dist.kind = "input", dist.name = "input0"}, %arg1: tensor<1xi64> {dist.kind = "input", dist.name = "input1"}, %arg2: tensor<1x3xi64> {dist.kind = "input", dist.name = "input2"}, %arg3: tensor<1x3xf64> {dist.kind = "input", dist.name = "input3"}) -> (tensor<1x3xf64> {dist.name = "0"}, tensor<f64> {dist.name = "1"}) {
    %c = stablehlo.constant dense<0> : tensor<1x3x1xi64>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<1x3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<1x3xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.composite "distc.embedding" %arg0, %arg1 {decomposition = @embedding_0} : (tensor<5x3xf64>, tensor<1xi64>) -> tensor<1x3xf64>
    %1 = stablehlo.reshape %arg2 : (tensor<1x3xi64>) -> tensor<1x3x1xi64>
    %2 = stablehlo.concatenate %c, %1, dim = 2 : (tensor<1x3x1xi64>, tensor<1x3x1xi64>) -> tensor<1x3x2xi64>
    %3 = "stablehlo.gather"(%0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x3xf64>, tensor<1x3x2xi64>) -> tensor<1x3xf64>
    %4 = stablehlo.compare GT, %3, %cst_0, FLOAT : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<1x3xi1>
    %5 = stablehlo.select %4, %cst, %3 : tensor<1x3xi1>, tensor<1x3xf64>
    %6 = stablehlo.composite "distc.log_softmax" %5 {composite_attributes = {dim = 0 : i64}, decomposition = @log_softmax_0} : (tensor<1x3xf64>) -> tensor<1x3xf64>
    %7 = stablehlo.multiply %6, %arg3 : tensor<1x3xf64>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x3xf64>, tensor<f64>) -> tensor<f64>
    return %6, %8 : tensor<1x3xf64>, tensor<f64>
  }
  func.func private @embedding_0(%arg0: tensor<5x3xf64>, %arg1: tensor<1xi64>) -> tensor<1x3xf64> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf64>, tensor<1xi64>) -> tensor<1x3xf64>
    return %0 : tensor<1x3xf64>
  }
  func.func private @log_softmax_0(%arg0: tensor<1x3xf64>) -> tensor<1x3xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<1x3xf64>, tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.reshape %0 : (tensor<3xf64>) -> tensor<1x3xf64>
    %2 = stablehlo.subtract %arg0, %1 : tensor<1x3xf64>
    %3 = stablehlo.exponential %2 : tensor<1x3xf64>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1x3xf64>, tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.reshape %4 : (tensor<3xf64>) -> tensor<1x3xf64>
    %6 = stablehlo.log %5 : tensor<1x3xf64>
    %7 = stablehlo.subtract %2, %6 : tensor<1x3xf64>
    return %7 : tensor<1x3xf64>
  }
}
