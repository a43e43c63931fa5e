// joint graph of amax → smooth_l1
// seed 10
// fuzz: plain close
// input 0: seed 3376 from -3 to 3
// input 1: seed 2625 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x1xf64>, %arg1: tensor<1xf64>) -> (tensor<f64>, tensor<5x1xf64>, tensor<1xf64>) {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<1xf64>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<1xf64>
    %0 = stablehlo.reduce(%arg0 init: %cst_4) applies stablehlo.maximum across dimensions = [0] : (tensor<5x1xf64>, tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.subtract %0, %arg1 : tensor<1xf64>
    %2 = stablehlo.abs %1 : tensor<1xf64>
    %3 = stablehlo.compare LT, %2, %cst_5, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %4 = stablehlo.power %2, %cst_1 : tensor<1xf64>
    %5 = stablehlo.multiply %4, %cst_6 : tensor<1xf64>
    %6 = stablehlo.divide %5, %cst_5 : tensor<1xf64>
    %7 = stablehlo.subtract %2, %cst_6 : tensor<1xf64>
    %8 = stablehlo.select %3, %6, %7 : tensor<1xi1>, tensor<1xf64>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %10 = stablehlo.divide %9, %cst_3 : tensor<f64>
    %11 = stablehlo.divide %1, %cst_5 : tensor<1xf64>
    %12 = stablehlo.compare GT, %1, %cst_0, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %13 = stablehlo.compare LT, %1, %cst_0, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %14 = stablehlo.select %12, %cst_5, %cst_0 : tensor<1xi1>, tensor<1xf64>
    %15 = stablehlo.select %13, %cst, %14 : tensor<1xi1>, tensor<1xf64>
    %16 = stablehlo.select %3, %11, %15 : tensor<1xi1>, tensor<1xf64>
    %17 = stablehlo.subtract %arg1, %0 : tensor<1xf64>
    %18 = stablehlo.abs %17 : tensor<1xf64>
    %19 = stablehlo.compare LT, %18, %cst_5, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %20 = stablehlo.divide %17, %cst_5 : tensor<1xf64>
    %21 = stablehlo.compare GT, %17, %cst_0, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %22 = stablehlo.compare LT, %17, %cst_0, FLOAT : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    %23 = stablehlo.select %21, %cst_5, %cst_0 : tensor<1xi1>, tensor<1xf64>
    %24 = stablehlo.select %22, %cst, %23 : tensor<1xi1>, tensor<1xf64>
    %25 = stablehlo.select %19, %20, %24 : tensor<1xi1>, tensor<1xf64>
    %26 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<1x1xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<5x1xf64>
    %28 = stablehlo.compare EQ, %27, %arg0, FLOAT : (tensor<5x1xf64>, tensor<5x1xf64>) -> tensor<5x1xi1>
    %29 = stablehlo.reshape %16 : (tensor<1xf64>) -> tensor<1x1xf64>
    %30 = stablehlo.convert %28 : (tensor<5x1xi1>) -> tensor<5x1xi64>
    %31 = stablehlo.reduce(%30 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<5x1xi64>, tensor<i64>) -> tensor<1xi64>
    %32 = stablehlo.reshape %31 : (tensor<1xi64>) -> tensor<1x1xi64>
    %33 = stablehlo.convert %32 : (tensor<1x1xi64>) -> tensor<1x1xf64>
    %34 = stablehlo.divide %29, %33 : tensor<1x1xf64>
    %35 = stablehlo.convert %28 : (tensor<5x1xi1>) -> tensor<5x1xf64>
    %36 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<5x1xf64>
    %37 = stablehlo.multiply %36, %35 : tensor<5x1xf64>
    return %10, %37, %25 : tensor<f64>, tensor<5x1xf64>, tensor<1xf64>
  }
}
