// joint graph of cat → relu → square → linear → var → roll → mse_loss
// seed 87
// fuzz: plain close
// input 0: seed 5495 from -3 to 3
// input 1: seed 6314 from -2 to 2
// input 2: seed 1466 from -2 to 2
// input 3: seed 3292 from -2 to 2
module {
  func.func @main(%arg0: tensor<1x3x7xf64>, %arg1: tensor<3x14xf64>, %arg2: tensor<3xf64>, %arg3: tensor<1x3xf64>) -> (tensor<f64>, tensor<1x3x7xf64>, tensor<3x14xf64>, tensor<3xf64>, tensor<1x3xf64>) {
    %cst = stablehlo.constant dense<0.66666666666666663> : tensor<1x3xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<1x3xf64>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<1x3x1xf64>
    %cst_2 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<1x3x14xf64>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<1x3x7xf64>
    %0 = stablehlo.multiply %arg0, %cst_5 : tensor<1x3x7xf64>
    %1 = stablehlo.concatenate %arg0, %0, dim = 2 : (tensor<1x3x7xf64>, tensor<1x3x7xf64>) -> tensor<1x3x14xf64>
    %2 = stablehlo.maximum %1, %cst_4 : tensor<1x3x14xf64>
    %3 = stablehlo.multiply %2, %2 : tensor<1x3x14xf64>
    %4 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x14xf64>) -> tensor<14x3xf64>
    %5 = stablehlo.reshape %3 : (tensor<1x3x14xf64>) -> tensor<3x14xf64>
    %6 = stablehlo.dot_general %5, %4, contracting_dims = [1] x [0] : (tensor<3x14xf64>, tensor<14x3xf64>) -> tensor<3x3xf64>
    %7 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf64>) -> tensor<3x3xf64>
    %8 = stablehlo.add %6, %7 : tensor<3x3xf64>
    %9 = stablehlo.reshape %8 : (tensor<3x3xf64>) -> tensor<1x3x3xf64>
    %10 = stablehlo.reduce(%9 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<1x3x3xf64>, tensor<f64>) -> tensor<1x3xf64>
    %11 = stablehlo.reshape %10 : (tensor<1x3xf64>) -> tensor<1x3x1xf64>
    %12 = stablehlo.divide %11, %cst_1 : tensor<1x3x1xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x3x1xf64>) -> tensor<1x3x3xf64>
    %14 = stablehlo.subtract %9, %13 : tensor<1x3x3xf64>
    %15 = stablehlo.multiply %14, %14 : tensor<1x3x3xf64>
    %16 = stablehlo.reduce(%15 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<1x3x3xf64>, tensor<f64>) -> tensor<1x3xf64>
    %17 = stablehlo.divide %16, %cst_0 : tensor<1x3xf64>
    %18 = stablehlo.subtract %17, %arg3 : tensor<1x3xf64>
    %19 = stablehlo.power %18, %cst_0 : tensor<1x3xf64>
    %20 = stablehlo.reduce(%19 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x3xf64>, tensor<f64>) -> tensor<f64>
    %21 = stablehlo.divide %20, %cst_2 : tensor<f64>
    %22 = stablehlo.multiply %18, %cst : tensor<1x3xf64>
    %23 = stablehlo.subtract %arg3, %17 : tensor<1x3xf64>
    %24 = stablehlo.multiply %23, %cst : tensor<1x3xf64>
    %25 = stablehlo.reshape %22 : (tensor<1x3xf64>) -> tensor<1x3x1xf64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x3x1xf64>) -> tensor<1x3x3xf64>
    %27 = stablehlo.multiply %26, %14 : tensor<1x3x3xf64>
    %28 = stablehlo.reshape %27 : (tensor<1x3x3xf64>) -> tensor<3x3xf64>
    %29 = stablehlo.dot_general %28, %arg1, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x14xf64>) -> tensor<3x14xf64>
    %30 = stablehlo.transpose %28, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %31 = stablehlo.dot_general %30, %5, contracting_dims = [1] x [0] : (tensor<3x3xf64>, tensor<3x14xf64>) -> tensor<3x14xf64>
    %32 = stablehlo.reduce(%28 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf64>, tensor<f64>) -> tensor<3xf64>
    %33 = stablehlo.reshape %29 : (tensor<3x14xf64>) -> tensor<1x3x14xf64>
    %34 = stablehlo.multiply %33, %2 : tensor<1x3x14xf64>
    %35 = stablehlo.add %34, %34 : tensor<1x3x14xf64>
    %36 = stablehlo.compare LE, %2, %cst_4, FLOAT : (tensor<1x3x14xf64>, tensor<1x3x14xf64>) -> tensor<1x3x14xi1>
    %37 = stablehlo.select %36, %cst_4, %35 : tensor<1x3x14xi1>, tensor<1x3x14xf64>
    %38 = stablehlo.slice %37 [0:1, 0:3, 0:7] : (tensor<1x3x14xf64>) -> tensor<1x3x7xf64>
    %39 = stablehlo.slice %37 [0:1, 0:3, 7:14] : (tensor<1x3x14xf64>) -> tensor<1x3x7xf64>
    %40 = stablehlo.multiply %39, %cst_5 : tensor<1x3x7xf64>
    %41 = stablehlo.add %38, %40 : tensor<1x3x7xf64>
    return %21, %41, %31, %32, %24 : tensor<f64>, tensor<1x3x7xf64>, tensor<3x14xf64>, tensor<3xf64>, tensor<1x3xf64>
  }
}
