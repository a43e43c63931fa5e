// joint graph of linear → cat → reshape → weighted_sum
// seed 12
// fuzz: plain equal
// input 0: seed 6252 from -3 to 3
// input 1: seed 7905 from -2 to 2
// input 2: seed 2380 from -2 to 2
module {
  func.func @main(%arg0: tensor<6x3x2xf64>, %arg1: tensor<3x2xf64>, %arg2: tensor<36x3xf64>) -> (tensor<f64>, tensor<6x3x2xf64>, tensor<3x2xf64>, tensor<36x3xf64>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<6x3x3xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x2xf64>) -> tensor<2x3xf64>
    %1 = stablehlo.reshape %arg0 : (tensor<6x3x2xf64>) -> tensor<18x2xf64>
    %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<18x2xf64>, tensor<2x3xf64>) -> tensor<18x3xf64>
    %3 = stablehlo.reshape %2 : (tensor<18x3xf64>) -> tensor<6x3x3xf64>
    %4 = stablehlo.multiply %3, %cst : tensor<6x3x3xf64>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<6x3x3xf64>, tensor<6x3x3xf64>) -> tensor<6x6x3xf64>
    %6 = stablehlo.reshape %5 : (tensor<6x6x3xf64>) -> tensor<36x3xf64>
    %7 = stablehlo.multiply %6, %arg2 : tensor<36x3xf64>
    %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<36x3xf64>, tensor<f64>) -> tensor<f64>
    %9 = stablehlo.reshape %arg2 : (tensor<36x3xf64>) -> tensor<6x6x3xf64>
    %10 = stablehlo.slice %9 [0:6, 0:3, 0:3] : (tensor<6x6x3xf64>) -> tensor<6x3x3xf64>
    %11 = stablehlo.slice %9 [0:6, 3:6, 0:3] : (tensor<6x6x3xf64>) -> tensor<6x3x3xf64>
    %12 = stablehlo.multiply %11, %cst : tensor<6x3x3xf64>
    %13 = stablehlo.add %10, %12 : tensor<6x3x3xf64>
    %14 = stablehlo.reshape %13 : (tensor<6x3x3xf64>) -> tensor<18x3xf64>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<18x3xf64>) -> tensor<3x18xf64>
    %16 = stablehlo.dot_general %15, %1, contracting_dims = [1] x [0] : (tensor<3x18xf64>, tensor<18x2xf64>) -> tensor<3x2xf64>
    %17 = stablehlo.dot_general %14, %arg1, contracting_dims = [1] x [0] : (tensor<18x3xf64>, tensor<3x2xf64>) -> tensor<18x2xf64>
    %18 = stablehlo.reshape %17 : (tensor<18x2xf64>) -> tensor<6x3x2xf64>
    return %8, %18, %16, %6 : tensor<f64>, tensor<6x3x2xf64>, tensor<3x2xf64>, tensor<36x3xf64>
  }
}
