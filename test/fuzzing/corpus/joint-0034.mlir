// joint graph of where → gram → sum → smooth_l1
// seed 34
// fuzz: plain close
// input 0: seed 490 from -3 to 3
// input 1: seed 5975 from -2 to 2
// input 2: seed 2536 from -2 to 2
module {
  func.func @main(%arg0: tensor<7x2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<1x7xf64>) -> (tensor<f64>, tensor<7x2xf64>, tensor<2xf64>, tensor<1x7xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<7x2xf64>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<1x7xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1x7xf64>
    %cst_2 = stablehlo.constant dense<0.14285714285714285> : tensor<1x7xf64>
    %cst_3 = stablehlo.constant dense<7.000000e+00> : tensor<f64>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<1x7xf64>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<1x7xf64>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<1x7xf64>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<7x2xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf64>) -> tensor<7x2xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<7x2xf64>, tensor<7x2xf64>) -> tensor<7x2xi1>
    %2 = stablehlo.multiply %arg0, %cst_7 : tensor<7x2xf64>
    %3 = stablehlo.subtract %0, %arg0 : tensor<7x2xf64>
    %4 = stablehlo.select %1, %2, %3 : tensor<7x2xi1>, tensor<7x2xf64>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<7x2xf64>) -> tensor<2x7xf64>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<7x2xf64>, tensor<2x7xf64>) -> tensor<7x7xf64>
    %7 = stablehlo.reduce(%6 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<7x7xf64>, tensor<f64>) -> tensor<7xf64>
    %8 = stablehlo.reshape %7 : (tensor<7xf64>) -> tensor<1x7xf64>
    %9 = stablehlo.subtract %8, %arg2 : tensor<1x7xf64>
    %10 = stablehlo.abs %9 : tensor<1x7xf64>
    %11 = stablehlo.compare LT, %10, %cst_6, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %12 = stablehlo.power %10, %cst_5 : tensor<1x7xf64>
    %13 = stablehlo.multiply %12, %cst_4 : tensor<1x7xf64>
    %14 = stablehlo.divide %13, %cst_6 : tensor<1x7xf64>
    %15 = stablehlo.subtract %10, %cst_4 : tensor<1x7xf64>
    %16 = stablehlo.select %11, %14, %15 : tensor<1x7xi1>, tensor<1x7xf64>
    %17 = stablehlo.reduce(%16 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x7xf64>, tensor<f64>) -> tensor<f64>
    %18 = stablehlo.divide %17, %cst_3 : tensor<f64>
    %19 = stablehlo.multiply %9, %cst_2 : tensor<1x7xf64>
    %20 = stablehlo.divide %19, %cst_6 : tensor<1x7xf64>
    %21 = stablehlo.compare GT, %9, %cst_1, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %22 = stablehlo.compare LT, %9, %cst_1, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %23 = stablehlo.select %21, %cst_6, %cst_1 : tensor<1x7xi1>, tensor<1x7xf64>
    %24 = stablehlo.select %22, %cst_0, %23 : tensor<1x7xi1>, tensor<1x7xf64>
    %25 = stablehlo.multiply %24, %cst_2 : tensor<1x7xf64>
    %26 = stablehlo.select %11, %20, %25 : tensor<1x7xi1>, tensor<1x7xf64>
    %27 = stablehlo.subtract %arg2, %8 : tensor<1x7xf64>
    %28 = stablehlo.abs %27 : tensor<1x7xf64>
    %29 = stablehlo.compare LT, %28, %cst_6, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %30 = stablehlo.multiply %27, %cst_2 : tensor<1x7xf64>
    %31 = stablehlo.divide %30, %cst_6 : tensor<1x7xf64>
    %32 = stablehlo.compare GT, %27, %cst_1, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %33 = stablehlo.compare LT, %27, %cst_1, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %34 = stablehlo.select %32, %cst_6, %cst_1 : tensor<1x7xi1>, tensor<1x7xf64>
    %35 = stablehlo.select %33, %cst_0, %34 : tensor<1x7xi1>, tensor<1x7xf64>
    %36 = stablehlo.multiply %35, %cst_2 : tensor<1x7xf64>
    %37 = stablehlo.select %29, %31, %36 : tensor<1x7xi1>, tensor<1x7xf64>
    %38 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x7xf64>) -> tensor<7x7xf64>
    %39 = stablehlo.transpose %38, dims = [1, 0] : (tensor<7x7xf64>) -> tensor<7x7xf64>
    %40 = stablehlo.dot_general %39, %4, contracting_dims = [1] x [0] : (tensor<7x7xf64>, tensor<7x2xf64>) -> tensor<7x2xf64>
    %41 = stablehlo.dot_general %38, %4, contracting_dims = [1] x [0] : (tensor<7x7xf64>, tensor<7x2xf64>) -> tensor<7x2xf64>
    %42 = stablehlo.add %41, %40 : tensor<7x2xf64>
    %43 = stablehlo.select %1, %cst, %42 : tensor<7x2xi1>, tensor<7x2xf64>
    %44 = stablehlo.select %1, %42, %cst : tensor<7x2xi1>, tensor<7x2xf64>
    %45 = stablehlo.negate %43 : tensor<7x2xf64>
    %46 = stablehlo.reduce(%43 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<7x2xf64>, tensor<f64>) -> tensor<2xf64>
    %47 = stablehlo.multiply %44, %cst_7 : tensor<7x2xf64>
    %48 = stablehlo.add %45, %47 : tensor<7x2xf64>
    return %18, %48, %46, %37 : tensor<f64>, tensor<7x2xf64>, tensor<2xf64>, tensor<1x7xf64>
  }
}
