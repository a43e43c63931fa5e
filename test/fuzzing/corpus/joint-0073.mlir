// joint graph of softplus → weighted_sum
// seed 73
// fuzz: plain close
// input 0: seed 7552 from -3 to 3
// input 1: seed 7982 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x2xf64>, %arg1: tensor<5x2xf64>) -> (tensor<f64>, tensor<5x2xf64>, tensor<5x2xf64>) {
    %cst = stablehlo.constant dense<2.000000e+01> : tensor<5x2xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<5x2xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.exponential %arg0 : tensor<5x2xf64>
    %1 = stablehlo.log_plus_one %0 : tensor<5x2xf64>
    %2 = stablehlo.compare GT, %arg0, %cst, FLOAT : (tensor<5x2xf64>, tensor<5x2xf64>) -> tensor<5x2xi1>
    %3 = stablehlo.select %2, %arg0, %1 : tensor<5x2xi1>, tensor<5x2xf64>
    %4 = stablehlo.multiply %3, %arg1 : tensor<5x2xf64>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x2xf64>, tensor<f64>) -> tensor<f64>
    %6 = stablehlo.multiply %arg1, %0 : tensor<5x2xf64>
    %7 = stablehlo.add %0, %cst_0 : tensor<5x2xf64>
    %8 = stablehlo.divide %6, %7 : tensor<5x2xf64>
    %9 = stablehlo.select %2, %arg1, %8 : tensor<5x2xi1>, tensor<5x2xf64>
    return %5, %9, %3 : tensor<f64>, tensor<5x2xf64>, tensor<5x2xf64>
  }
}
