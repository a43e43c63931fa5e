// joint graph of stack → split → group_norm → slice → mse_loss
// seed 24
// fuzz: plain close
// input 0: seed 2775 from -3 to 3
// input 1: seed 1503 from -2 to 2
// input 2: seed 208 from -2 to 2
// input 3: seed 7231 from -2 to 2
// input 4: seed 7277 from -2 to 2
module {
  func.func @main(%arg0: tensor<2x2x2xf64>, %arg1: tensor<2x2x2xf64>, %arg2: tensor<1xf64>, %arg3: tensor<1xf64>, %arg4: tensor<1x1x2x2xf64>) -> (tensor<f64>, tensor<2x2x2xf64>, tensor<2x2x2xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1x1x2x2xf64>) {
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<2x1x1x1xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<1x1x2x2xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<1x1x2x2xf64>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<2x1x1xf64>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<2x1x1xf64>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<2x1x2x2xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<1x1x2x2xf64>
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 2 : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x4xf64>
    %1 = stablehlo.reshape %0 : (tensor<2x2x4xf64>) -> tensor<2x2x2x2xf64>
    %2 = stablehlo.slice %1 [0:2, 0:1, 0:2, 0:2] : (tensor<2x2x2x2xf64>) -> tensor<2x1x2x2xf64>
    %3 = stablehlo.slice %1 [0:2, 1:2, 0:2, 0:2] : (tensor<2x2x2x2xf64>) -> tensor<2x1x2x2xf64>
    %4 = stablehlo.multiply %3, %cst_5 : tensor<2x1x2x2xf64>
    %5 = stablehlo.subtract %2, %4 : tensor<2x1x2x2xf64>
    %6 = stablehlo.reshape %5 : (tensor<2x1x2x2xf64>) -> tensor<2x1x4xf64>
    %7 = stablehlo.reduce(%6 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x1x4xf64>, tensor<f64>) -> tensor<2x1xf64>
    %8 = stablehlo.reshape %7 : (tensor<2x1xf64>) -> tensor<2x1x1xf64>
    %9 = stablehlo.divide %8, %cst_3 : tensor<2x1x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x1x1xf64>) -> tensor<2x1x4xf64>
    %11 = stablehlo.subtract %6, %10 : tensor<2x1x4xf64>
    %12 = stablehlo.multiply %11, %11 : tensor<2x1x4xf64>
    %13 = stablehlo.reduce(%12 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x1x4xf64>, tensor<f64>) -> tensor<2x1xf64>
    %14 = stablehlo.reshape %13 : (tensor<2x1xf64>) -> tensor<2x1x1xf64>
    %15 = stablehlo.divide %14, %cst_3 : tensor<2x1x1xf64>
    %16 = stablehlo.add %15, %cst_2 : tensor<2x1x1xf64>
    %17 = stablehlo.rsqrt %16 : tensor<2x1x1xf64>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x1x1xf64>) -> tensor<2x1x4xf64>
    %19 = stablehlo.multiply %11, %18 : tensor<2x1x4xf64>
    %20 = stablehlo.reshape %19 : (tensor<2x1x4xf64>) -> tensor<2x1x2x2xf64>
    %21 = stablehlo.reshape %arg2 : (tensor<1xf64>) -> tensor<1x1x1xf64>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<1x1x1xf64>) -> tensor<2x1x2x2xf64>
    %23 = stablehlo.multiply %20, %22 : tensor<2x1x2x2xf64>
    %24 = stablehlo.reshape %arg3 : (tensor<1xf64>) -> tensor<1x1x1xf64>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1, 2, 3] : (tensor<1x1x1xf64>) -> tensor<2x1x2x2xf64>
    %26 = stablehlo.add %23, %25 : tensor<2x1x2x2xf64>
    %27 = stablehlo.slice %26 [0:2:2, 0:1, 0:2, 0:2] : (tensor<2x1x2x2xf64>) -> tensor<1x1x2x2xf64>
    %28 = stablehlo.subtract %27, %arg4 : tensor<1x1x2x2xf64>
    %29 = stablehlo.power %28, %cst_1 : tensor<1x1x2x2xf64>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x1x2x2xf64>, tensor<f64>) -> tensor<f64>
    %31 = stablehlo.divide %30, %cst_4 : tensor<f64>
    %32 = stablehlo.multiply %28, %cst_0 : tensor<1x1x2x2xf64>
    %33 = stablehlo.subtract %arg4, %27 : tensor<1x1x2x2xf64>
    %34 = stablehlo.multiply %33, %cst_0 : tensor<1x1x2x2xf64>
    %35 = stablehlo.concatenate %32, %cst_7, dim = 1 : (tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>) -> tensor<1x2x2x2xf64>
    %36 = stablehlo.reshape %35 : (tensor<1x2x2x2xf64>) -> tensor<2x1x2x2xf64>
    %37 = stablehlo.slice %36 [0:1, 0:1, 0:2, 0:2] : (tensor<2x1x2x2xf64>) -> tensor<1x1x2x2xf64>
    %38 = stablehlo.pad %37, %cst_6, low = [0, 0, 0, 0], high = [1, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x1x2x2xf64>, tensor<f64>) -> tensor<2x1x2x2xf64>
    %39 = stablehlo.reshape %5 : (tensor<2x1x2x2xf64>) -> tensor<2x1x1x4xf64>
    %40 = stablehlo.reshape %9 : (tensor<2x1x1xf64>) -> tensor<2x1x1x1xf64>
    %41 = stablehlo.reshape %17 : (tensor<2x1x1xf64>) -> tensor<2x1x1x1xf64>
    %42 = stablehlo.reshape %38 : (tensor<2x1x2x2xf64>) -> tensor<2x1x1x4xf64>
    %43 = stablehlo.multiply %42, %39 : tensor<2x1x1x4xf64>
    %44 = stablehlo.reduce(%43 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<2x1x1x4xf64>, tensor<f64>) -> tensor<2x1x1xf64>
    %45 = stablehlo.reshape %44 : (tensor<2x1x1xf64>) -> tensor<2x1x1x1xf64>
    %46 = stablehlo.reduce(%42 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<2x1x1x4xf64>, tensor<f64>) -> tensor<2x1x1xf64>
    %47 = stablehlo.reshape %46 : (tensor<2x1x1xf64>) -> tensor<2x1x1x1xf64>
    %48 = stablehlo.reshape %arg2 : (tensor<1xf64>) -> tensor<1x1x1x1xf64>
    %49 = stablehlo.multiply %41, %41 : tensor<2x1x1x1xf64>
    %50 = stablehlo.multiply %49, %41 : tensor<2x1x1x1xf64>
    %51 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf64>) -> tensor<2x1x1x1xf64>
    %52 = stablehlo.multiply %41, %51 : tensor<2x1x1x1xf64>
    %53 = stablehlo.multiply %45, %51 : tensor<2x1x1x1xf64>
    %54 = stablehlo.reduce(%53 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x1x1x1xf64>, tensor<f64>) -> tensor<2x1x1xf64>
    %55 = stablehlo.reshape %54 : (tensor<2x1x1xf64>) -> tensor<2x1x1x1xf64>
    %56 = stablehlo.multiply %47, %51 : tensor<2x1x1x1xf64>
    %57 = stablehlo.reduce(%56 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x1x1x1xf64>, tensor<f64>) -> tensor<2x1x1xf64>
    %58 = stablehlo.reshape %57 : (tensor<2x1x1xf64>) -> tensor<2x1x1x1xf64>
    %59 = stablehlo.multiply %58, %40 : tensor<2x1x1x1xf64>
    %60 = stablehlo.subtract %59, %55 : tensor<2x1x1x1xf64>
    %61 = stablehlo.multiply %60, %50 : tensor<2x1x1x1xf64>
    %62 = stablehlo.multiply %61, %cst : tensor<2x1x1x1xf64>
    %63 = stablehlo.multiply %58, %41 : tensor<2x1x1x1xf64>
    %64 = stablehlo.multiply %63, %cst : tensor<2x1x1x1xf64>
    %65 = stablehlo.negate %62 : tensor<2x1x1x1xf64>
    %66 = stablehlo.multiply %65, %40 : tensor<2x1x1x1xf64>
    %67 = stablehlo.subtract %66, %64 : tensor<2x1x1x1xf64>
    %68 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xf64>) -> tensor<2x1x1x4xf64>
    %69 = stablehlo.multiply %68, %39 : tensor<2x1x1x4xf64>
    %70 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xf64>) -> tensor<2x1x1x4xf64>
    %71 = stablehlo.multiply %70, %42 : tensor<2x1x1x4xf64>
    %72 = stablehlo.add %71, %69 : tensor<2x1x1x4xf64>
    %73 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<2x1x1x1xf64>) -> tensor<2x1x1x4xf64>
    %74 = stablehlo.add %72, %73 : tensor<2x1x1x4xf64>
    %75 = stablehlo.reshape %74 : (tensor<2x1x1x4xf64>) -> tensor<2x1x2x2xf64>
    %76 = stablehlo.multiply %47, %40 : tensor<2x1x1x1xf64>
    %77 = stablehlo.subtract %45, %76 : tensor<2x1x1x1xf64>
    %78 = stablehlo.multiply %77, %41 : tensor<2x1x1x1xf64>
    %79 = stablehlo.reduce(%78 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<2x1x1x1xf64>, tensor<f64>) -> tensor<1x1x1xf64>
    %80 = stablehlo.reshape %79 : (tensor<1x1x1xf64>) -> tensor<1xf64>
    %81 = stablehlo.reduce(%47 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<2x1x1x1xf64>, tensor<f64>) -> tensor<1x1x1xf64>
    %82 = stablehlo.reshape %81 : (tensor<1x1x1xf64>) -> tensor<1xf64>
    %83 = stablehlo.negate %75 : tensor<2x1x2x2xf64>
    %84 = stablehlo.multiply %83, %cst_5 : tensor<2x1x2x2xf64>
    %85 = stablehlo.pad %84, %cst_6, low = [0, 1, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x1x2x2xf64>, tensor<f64>) -> tensor<2x2x2x2xf64>
    %86 = stablehlo.pad %75, %cst_6, low = [0, 0, 0, 0], high = [0, 1, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x1x2x2xf64>, tensor<f64>) -> tensor<2x2x2x2xf64>
    %87 = stablehlo.add %85, %86 : tensor<2x2x2x2xf64>
    %88 = stablehlo.slice %87 [0:2, 0:2, 0:1, 0:2] : (tensor<2x2x2x2xf64>) -> tensor<2x2x1x2xf64>
    %89 = stablehlo.reshape %88 : (tensor<2x2x1x2xf64>) -> tensor<2x2x2xf64>
    %90 = stablehlo.slice %87 [0:2, 0:2, 1:2, 0:2] : (tensor<2x2x2x2xf64>) -> tensor<2x2x1x2xf64>
    %91 = stablehlo.reshape %90 : (tensor<2x2x1x2xf64>) -> tensor<2x2x2xf64>
    return %31, %89, %91, %80, %82, %34 : tensor<f64>, tensor<2x2x2xf64>, tensor<2x2x2xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1x1x2x2xf64>
  }
}
