// joint graph of stack → permute → add → amax → smooth_l1
// seed 16
// fuzz: plain close
// input 0: seed 6709 from -3 to 3
// input 1: seed 3897 from -2 to 2
// input 2: seed 363 from -2 to 2
// input 3: seed 5075 from -2 to 2
module {
  func.func @main(%arg0: tensor<4x2x4x1xf64>, %arg1: tensor<4x2x4x1xf64>, %arg2: tensor<2x1x4x1x1xf64>, %arg3: tensor<2xf64>) -> (tensor<f64>, tensor<4x2x4x1xf64>, tensor<4x2x4x1xf64>, tensor<2x1x4x1x1xf64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<2xf64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<2xf64>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<2xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_6 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 2 : (tensor<4x2x4x1xf64>, tensor<4x2x4x1xf64>) -> tensor<4x2x8x1xf64>
    %1 = stablehlo.reshape %0 : (tensor<4x2x8x1xf64>) -> tensor<4x2x2x4x1xf64>
    %2 = stablehlo.transpose %1, dims = [1, 0, 3, 4, 2] : (tensor<4x2x2x4x1xf64>) -> tensor<2x4x4x1x2xf64>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2, 3, 4] : (tensor<2x1x4x1x1xf64>) -> tensor<2x4x4x1x2xf64>
    %4 = stablehlo.add %2, %3 : tensor<2x4x4x1x2xf64>
    %5 = stablehlo.reduce(%4 init: %cst_6) applies stablehlo.minimum across dimensions = [3] : (tensor<2x4x4x1x2xf64>, tensor<f64>) -> tensor<2x4x4x2xf64>
    %6 = stablehlo.reduce(%5 init: %cst_6) applies stablehlo.minimum across dimensions = [2] : (tensor<2x4x4x2xf64>, tensor<f64>) -> tensor<2x4x2xf64>
    %7 = stablehlo.reduce(%6 init: %cst_6) applies stablehlo.minimum across dimensions = [1] : (tensor<2x4x2xf64>, tensor<f64>) -> tensor<2x2xf64>
    %8 = stablehlo.reduce(%7 init: %cst_6) applies stablehlo.minimum across dimensions = [0] : (tensor<2x2xf64>, tensor<f64>) -> tensor<2xf64>
    %9 = stablehlo.subtract %8, %arg3 : tensor<2xf64>
    %10 = stablehlo.abs %9 : tensor<2xf64>
    %11 = stablehlo.compare LT, %10, %cst_4, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %12 = stablehlo.power %10, %cst_2 : tensor<2xf64>
    %13 = stablehlo.multiply %12, %cst_1 : tensor<2xf64>
    %14 = stablehlo.divide %13, %cst_4 : tensor<2xf64>
    %15 = stablehlo.subtract %10, %cst_1 : tensor<2xf64>
    %16 = stablehlo.select %11, %14, %15 : tensor<2xi1>, tensor<2xf64>
    %17 = stablehlo.reduce(%16 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %18 = stablehlo.divide %17, %cst_3 : tensor<f64>
    %19 = stablehlo.multiply %9, %cst_1 : tensor<2xf64>
    %20 = stablehlo.divide %19, %cst_4 : tensor<2xf64>
    %21 = stablehlo.compare GT, %9, %cst_0, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %22 = stablehlo.compare LT, %9, %cst_0, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %23 = stablehlo.select %21, %cst_4, %cst_0 : tensor<2xi1>, tensor<2xf64>
    %24 = stablehlo.select %22, %cst, %23 : tensor<2xi1>, tensor<2xf64>
    %25 = stablehlo.multiply %24, %cst_1 : tensor<2xf64>
    %26 = stablehlo.select %11, %20, %25 : tensor<2xi1>, tensor<2xf64>
    %27 = stablehlo.subtract %arg3, %8 : tensor<2xf64>
    %28 = stablehlo.abs %27 : tensor<2xf64>
    %29 = stablehlo.compare LT, %28, %cst_4, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %30 = stablehlo.multiply %27, %cst_1 : tensor<2xf64>
    %31 = stablehlo.divide %30, %cst_4 : tensor<2xf64>
    %32 = stablehlo.compare GT, %27, %cst_0, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %33 = stablehlo.compare LT, %27, %cst_0, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %34 = stablehlo.select %32, %cst_4, %cst_0 : tensor<2xi1>, tensor<2xf64>
    %35 = stablehlo.select %33, %cst, %34 : tensor<2xi1>, tensor<2xf64>
    %36 = stablehlo.multiply %35, %cst_1 : tensor<2xf64>
    %37 = stablehlo.select %29, %31, %36 : tensor<2xi1>, tensor<2xf64>
    %38 = stablehlo.reshape %8 : (tensor<2xf64>) -> tensor<1x1x1x1x2xf64>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x2xf64>) -> tensor<2x4x4x1x2xf64>
    %40 = stablehlo.compare EQ, %39, %4, FLOAT : (tensor<2x4x4x1x2xf64>, tensor<2x4x4x1x2xf64>) -> tensor<2x4x4x1x2xi1>
    %41 = stablehlo.reshape %26 : (tensor<2xf64>) -> tensor<1x1x1x1x2xf64>
    %42 = stablehlo.convert %40 : (tensor<2x4x4x1x2xi1>) -> tensor<2x4x4x1x2xi64>
    %43 = stablehlo.reduce(%42 init: %c) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x4x4x1x2xi64>, tensor<i64>) -> tensor<2xi64>
    %44 = stablehlo.reshape %43 : (tensor<2xi64>) -> tensor<1x1x1x1x2xi64>
    %45 = stablehlo.convert %44 : (tensor<1x1x1x1x2xi64>) -> tensor<1x1x1x1x2xf64>
    %46 = stablehlo.divide %41, %45 : tensor<1x1x1x1x2xf64>
    %47 = stablehlo.convert %40 : (tensor<2x4x4x1x2xi1>) -> tensor<2x4x4x1x2xf64>
    %48 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x2xf64>) -> tensor<2x4x4x1x2xf64>
    %49 = stablehlo.multiply %48, %47 : tensor<2x4x4x1x2xf64>
    %50 = stablehlo.reduce(%49 init: %cst_5) applies stablehlo.add across dimensions = [1, 4] : (tensor<2x4x4x1x2xf64>, tensor<f64>) -> tensor<2x4x1xf64>
    %51 = stablehlo.reshape %50 : (tensor<2x4x1xf64>) -> tensor<2x1x4x1x1xf64>
    %52 = stablehlo.transpose %49, dims = [1, 0, 4, 2, 3] : (tensor<2x4x4x1x2xf64>) -> tensor<4x2x2x4x1xf64>
    %53 = stablehlo.slice %52 [0:4, 0:2, 0:1, 0:4, 0:1] : (tensor<4x2x2x4x1xf64>) -> tensor<4x2x1x4x1xf64>
    %54 = stablehlo.reshape %53 : (tensor<4x2x1x4x1xf64>) -> tensor<4x2x4x1xf64>
    %55 = stablehlo.slice %52 [0:4, 0:2, 1:2, 0:4, 0:1] : (tensor<4x2x2x4x1xf64>) -> tensor<4x2x1x4x1xf64>
    %56 = stablehlo.reshape %55 : (tensor<4x2x1x4x1xf64>) -> tensor<4x2x4x1xf64>
    return %18, %54, %56, %51, %37 : tensor<f64>, tensor<4x2x4x1xf64>, tensor<4x2x4x1xf64>, tensor<2x1x4x1x1xf64>, tensor<2xf64>
  }
}
