// joint graph of matmul → square → linear → abs → weighted_sum
// seed 97
// fuzz: plain equal
// input 0: seed 9140 from -3 to 3
// input 1: seed 4462 from -2 to 2
// input 2: seed 7174 from -2 to 2
// input 3: seed 1853 from -2 to 2
// input 4: seed 2994 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x1xf64>, %arg1: tensor<6x5xf64>, %arg2: tensor<1x1xf64>, %arg3: tensor<1xf64>, %arg4: tensor<6x1xf64>) -> (tensor<f64>, tensor<5x1xf64>, tensor<6x5xf64>, tensor<1x1xf64>, tensor<1xf64>, tensor<6x1xf64>) {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<6x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<6x1xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<6x1xf64>
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<6x5xf64>, tensor<5x1xf64>) -> tensor<6x1xf64>
    %1 = stablehlo.multiply %0, %0 : tensor<6x1xf64>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0] : (tensor<6x1xf64>, tensor<1x1xf64>) -> tensor<6x1xf64>
    %3 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<1xf64>) -> tensor<6x1xf64>
    %4 = stablehlo.add %2, %3 : tensor<6x1xf64>
    %5 = stablehlo.abs %4 : tensor<6x1xf64>
    %6 = stablehlo.multiply %5, %arg4 : tensor<6x1xf64>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x1xf64>, tensor<f64>) -> tensor<f64>
    %8 = stablehlo.compare GT, %4, %cst_0, FLOAT : (tensor<6x1xf64>, tensor<6x1xf64>) -> tensor<6x1xi1>
    %9 = stablehlo.compare LT, %4, %cst_0, FLOAT : (tensor<6x1xf64>, tensor<6x1xf64>) -> tensor<6x1xi1>
    %10 = stablehlo.select %8, %cst_2, %cst_0 : tensor<6x1xi1>, tensor<6x1xf64>
    %11 = stablehlo.select %9, %cst, %10 : tensor<6x1xi1>, tensor<6x1xf64>
    %12 = stablehlo.multiply %arg4, %11 : tensor<6x1xf64>
    %13 = stablehlo.dot_general %12, %arg2, contracting_dims = [1] x [0] : (tensor<6x1xf64>, tensor<1x1xf64>) -> tensor<6x1xf64>
    %14 = stablehlo.reshape %12 : (tensor<6x1xf64>) -> tensor<1x6xf64>
    %15 = stablehlo.dot_general %14, %1, contracting_dims = [1] x [0] : (tensor<1x6xf64>, tensor<6x1xf64>) -> tensor<1x1xf64>
    %16 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<6x1xf64>, tensor<f64>) -> tensor<1xf64>
    %17 = stablehlo.multiply %13, %0 : tensor<6x1xf64>
    %18 = stablehlo.add %17, %17 : tensor<6x1xf64>
    %19 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<6x5xf64>) -> tensor<5x6xf64>
    %20 = stablehlo.dot_general %19, %18, contracting_dims = [1] x [0] : (tensor<5x6xf64>, tensor<6x1xf64>) -> tensor<5x1xf64>
    %21 = stablehlo.reshape %arg0 : (tensor<5x1xf64>) -> tensor<1x5xf64>
    %22 = stablehlo.dot_general %18, %21, contracting_dims = [1] x [0] : (tensor<6x1xf64>, tensor<1x5xf64>) -> tensor<6x5xf64>
    return %7, %20, %22, %15, %16, %5 : tensor<f64>, tensor<5x1xf64>, tensor<6x5xf64>, tensor<1x1xf64>, tensor<1xf64>, tensor<6x1xf64>
  }
}
