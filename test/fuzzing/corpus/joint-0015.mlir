// joint graph of softmax → weighted_sum
// seed 15
// fuzz: plain close
// input 0: seed 2588 from -3 to 3
// input 1: seed 2412 from -2 to 2
module {
  func.func @main(%arg0: tensor<1xf64>, %arg1: tensor<1xf64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %1 = stablehlo.reshape %0 : (tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.subtract %arg0, %1 : tensor<1xf64>
    %3 = stablehlo.exponential %2 : tensor<1xf64>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %5 = stablehlo.reshape %4 : (tensor<f64>) -> tensor<1xf64>
    %6 = stablehlo.divide %3, %5 : tensor<1xf64>
    %7 = stablehlo.multiply %6, %arg1 : tensor<1xf64>
    %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %9 = stablehlo.multiply %arg1, %6 : tensor<1xf64>
    %10 = stablehlo.reduce(%9 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %11 = stablehlo.reshape %10 : (tensor<f64>) -> tensor<1xf64>
    %12 = stablehlo.multiply %6, %11 : tensor<1xf64>
    %13 = stablehlo.subtract %9, %12 : tensor<1xf64>
    return %8, %13, %6 : tensor<f64>, tensor<1xf64>, tensor<1xf64>
  }
}
