// joint graph of add → var → bmm → group_norm → weighted_sum
// seed 54
// fuzz: plain close
// input 0: seed 7315 from -3 to 3
// input 1: seed 3277 from -2 to 2
// input 2: seed 5572 from -2 to 2
// input 3: seed 4475 from -2 to 2
// input 4: seed 8912 from -2 to 2
// input 5: seed 1585 from -2 to 2
module {
  func.func @main(%arg0: tensor<4x4x4x2xf64>, %arg1: tensor<4x4x4x1xf64>, %arg2: tensor<4x4x5xf64>, %arg3: tensor<4xf64>, %arg4: tensor<4xf64>, %arg5: tensor<4x4x5xf64>) -> (tensor<f64>, tensor<4x4x4x2xf64>, tensor<4x4x4x1xf64>, tensor<4x4x5xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x4x5xf64>) {
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<4x2x1x1xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<4x2x1xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+01> : tensor<4x2x1xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<4x4x4xf64>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<4x4x4x1xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf64>) -> tensor<4x4x4x2xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<4x4x4x2xf64>
    %2 = stablehlo.reduce(%1 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<4x4x4x2xf64>, tensor<f64>) -> tensor<4x4x4xf64>
    %3 = stablehlo.reshape %2 : (tensor<4x4x4xf64>) -> tensor<4x4x4x1xf64>
    %4 = stablehlo.divide %3, %cst_3 : tensor<4x4x4x1xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf64>) -> tensor<4x4x4x2xf64>
    %6 = stablehlo.subtract %1, %5 : tensor<4x4x4x2xf64>
    %7 = stablehlo.multiply %6, %6 : tensor<4x4x4x2xf64>
    %8 = stablehlo.reduce(%7 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<4x4x4x2xf64>, tensor<f64>) -> tensor<4x4x4xf64>
    %9 = stablehlo.divide %8, %cst_2 : tensor<4x4x4xf64>
    %10 = stablehlo.dot_general %9, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x4x4xf64>, tensor<4x4x5xf64>) -> tensor<4x4x5xf64>
    %11 = stablehlo.reshape %10 : (tensor<4x4x5xf64>) -> tensor<4x2x10xf64>
    %12 = stablehlo.reduce(%11 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<4x2x10xf64>, tensor<f64>) -> tensor<4x2xf64>
    %13 = stablehlo.reshape %12 : (tensor<4x2xf64>) -> tensor<4x2x1xf64>
    %14 = stablehlo.divide %13, %cst_1 : tensor<4x2x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<4x2x1xf64>) -> tensor<4x2x10xf64>
    %16 = stablehlo.subtract %11, %15 : tensor<4x2x10xf64>
    %17 = stablehlo.multiply %16, %16 : tensor<4x2x10xf64>
    %18 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<4x2x10xf64>, tensor<f64>) -> tensor<4x2xf64>
    %19 = stablehlo.reshape %18 : (tensor<4x2xf64>) -> tensor<4x2x1xf64>
    %20 = stablehlo.divide %19, %cst_1 : tensor<4x2x1xf64>
    %21 = stablehlo.add %20, %cst_0 : tensor<4x2x1xf64>
    %22 = stablehlo.rsqrt %21 : tensor<4x2x1xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<4x2x1xf64>) -> tensor<4x2x10xf64>
    %24 = stablehlo.multiply %16, %23 : tensor<4x2x10xf64>
    %25 = stablehlo.reshape %24 : (tensor<4x2x10xf64>) -> tensor<4x4x5xf64>
    %26 = stablehlo.reshape %arg3 : (tensor<4xf64>) -> tensor<4x1xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [1, 2] : (tensor<4x1xf64>) -> tensor<4x4x5xf64>
    %28 = stablehlo.multiply %25, %27 : tensor<4x4x5xf64>
    %29 = stablehlo.reshape %arg4 : (tensor<4xf64>) -> tensor<4x1xf64>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2] : (tensor<4x1xf64>) -> tensor<4x4x5xf64>
    %31 = stablehlo.add %28, %30 : tensor<4x4x5xf64>
    %32 = stablehlo.multiply %31, %arg5 : tensor<4x4x5xf64>
    %33 = stablehlo.reduce(%32 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x4x5xf64>, tensor<f64>) -> tensor<f64>
    %34 = stablehlo.reshape %10 : (tensor<4x4x5xf64>) -> tensor<4x2x2x5xf64>
    %35 = stablehlo.reshape %14 : (tensor<4x2x1xf64>) -> tensor<4x2x1x1xf64>
    %36 = stablehlo.reshape %22 : (tensor<4x2x1xf64>) -> tensor<4x2x1x1xf64>
    %37 = stablehlo.reshape %arg5 : (tensor<4x4x5xf64>) -> tensor<4x2x2x5xf64>
    %38 = stablehlo.multiply %37, %34 : tensor<4x2x2x5xf64>
    %39 = stablehlo.reduce(%38 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<4x2x2x5xf64>, tensor<f64>) -> tensor<4x2x2xf64>
    %40 = stablehlo.reshape %39 : (tensor<4x2x2xf64>) -> tensor<4x2x2x1xf64>
    %41 = stablehlo.reduce(%37 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<4x2x2x5xf64>, tensor<f64>) -> tensor<4x2x2xf64>
    %42 = stablehlo.reshape %41 : (tensor<4x2x2xf64>) -> tensor<4x2x2x1xf64>
    %43 = stablehlo.reshape %arg3 : (tensor<4xf64>) -> tensor<1x2x2x1xf64>
    %44 = stablehlo.multiply %36, %36 : tensor<4x2x1x1xf64>
    %45 = stablehlo.multiply %44, %36 : tensor<4x2x1x1xf64>
    %46 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<4x2x1x1xf64>) -> tensor<4x2x2x1xf64>
    %47 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x2x2x1xf64>) -> tensor<4x2x2x1xf64>
    %48 = stablehlo.multiply %46, %47 : tensor<4x2x2x1xf64>
    %49 = stablehlo.multiply %40, %47 : tensor<4x2x2x1xf64>
    %50 = stablehlo.reduce(%49 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<4x2x2x1xf64>, tensor<f64>) -> tensor<4x2x1xf64>
    %51 = stablehlo.reshape %50 : (tensor<4x2x1xf64>) -> tensor<4x2x1x1xf64>
    %52 = stablehlo.multiply %42, %47 : tensor<4x2x2x1xf64>
    %53 = stablehlo.reduce(%52 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<4x2x2x1xf64>, tensor<f64>) -> tensor<4x2x1xf64>
    %54 = stablehlo.reshape %53 : (tensor<4x2x1xf64>) -> tensor<4x2x1x1xf64>
    %55 = stablehlo.multiply %54, %35 : tensor<4x2x1x1xf64>
    %56 = stablehlo.subtract %55, %51 : tensor<4x2x1x1xf64>
    %57 = stablehlo.multiply %56, %45 : tensor<4x2x1x1xf64>
    %58 = stablehlo.multiply %57, %cst : tensor<4x2x1x1xf64>
    %59 = stablehlo.multiply %54, %36 : tensor<4x2x1x1xf64>
    %60 = stablehlo.multiply %59, %cst : tensor<4x2x1x1xf64>
    %61 = stablehlo.negate %58 : tensor<4x2x1x1xf64>
    %62 = stablehlo.multiply %61, %35 : tensor<4x2x1x1xf64>
    %63 = stablehlo.subtract %62, %60 : tensor<4x2x1x1xf64>
    %64 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<4x2x1x1xf64>) -> tensor<4x2x2x5xf64>
    %65 = stablehlo.multiply %64, %34 : tensor<4x2x2x5xf64>
    %66 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<4x2x2x1xf64>) -> tensor<4x2x2x5xf64>
    %67 = stablehlo.multiply %66, %37 : tensor<4x2x2x5xf64>
    %68 = stablehlo.add %67, %65 : tensor<4x2x2x5xf64>
    %69 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<4x2x1x1xf64>) -> tensor<4x2x2x5xf64>
    %70 = stablehlo.add %68, %69 : tensor<4x2x2x5xf64>
    %71 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<4x2x1x1xf64>) -> tensor<4x2x2x1xf64>
    %72 = stablehlo.multiply %42, %71 : tensor<4x2x2x1xf64>
    %73 = stablehlo.subtract %40, %72 : tensor<4x2x2x1xf64>
    %74 = stablehlo.multiply %73, %46 : tensor<4x2x2x1xf64>
    %75 = stablehlo.reduce(%74 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<4x2x2x1xf64>, tensor<f64>) -> tensor<2x2x1xf64>
    %76 = stablehlo.reshape %75 : (tensor<2x2x1xf64>) -> tensor<4xf64>
    %77 = stablehlo.reduce(%42 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<4x2x2x1xf64>, tensor<f64>) -> tensor<2x2x1xf64>
    %78 = stablehlo.reshape %77 : (tensor<2x2x1xf64>) -> tensor<4xf64>
    %79 = stablehlo.reshape %70 : (tensor<4x2x2x5xf64>) -> tensor<4x4x5xf64>
    %80 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<4x4x4xf64>) -> tensor<4x4x4xf64>
    %81 = stablehlo.dot_general %80, %79, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x4x4xf64>, tensor<4x4x5xf64>) -> tensor<4x4x5xf64>
    %82 = stablehlo.transpose %arg2, dims = [0, 2, 1] : (tensor<4x4x5xf64>) -> tensor<4x5x4xf64>
    %83 = stablehlo.dot_general %79, %82, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x4x5xf64>, tensor<4x5x4xf64>) -> tensor<4x4x4xf64>
    %84 = stablehlo.reshape %83 : (tensor<4x4x4xf64>) -> tensor<4x4x4x1xf64>
    %85 = stablehlo.multiply %84, %cst_3 : tensor<4x4x4x1xf64>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2, 3] : (tensor<4x4x4x1xf64>) -> tensor<4x4x4x2xf64>
    %87 = stablehlo.multiply %86, %6 : tensor<4x4x4x2xf64>
    %88 = stablehlo.reduce(%87 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<4x4x4x2xf64>, tensor<f64>) -> tensor<4x4x4xf64>
    %89 = stablehlo.reshape %88 : (tensor<4x4x4xf64>) -> tensor<4x4x4x1xf64>
    return %33, %87, %89, %81, %76, %78, %31 : tensor<f64>, tensor<4x4x4x2xf64>, tensor<4x4x4x1xf64>, tensor<4x4x5xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x4x5xf64>
  }
}
