// joint graph of silu → linear → add → avg_pool2d → group_norm → cat → weighted_sum
// seed 118
// fuzz: plain close
// input 0: seed 294 from -3 to 3
// input 1: seed 8095 from -2 to 2
// input 2: seed 9964 from -2 to 2
// input 3: seed 8420 from -2 to 2
// input 4: seed 1015 from -2 to 2
// input 5: seed 9115 from -2 to 2
// input 6: seed 7113 from -2 to 2
// input 7: seed 7366 from -2 to 2
module {
  func.func @main(%arg0: tensor<1x6x3x3xf64>, %arg1: tensor<5x3xf64>, %arg2: tensor<5xf64>, %arg3: tensor<1x6x1x5xf64>, %arg4: tensor<6xf64>, %arg5: tensor<6xf64>, %arg6: tensor<1x6x4x3xf64>, %arg7: tensor<1x6x5x3xf64>) -> (tensor<f64>, tensor<1x6x3x3xf64>, tensor<5x3xf64>, tensor<5xf64>, tensor<1x6x1x5xf64>, tensor<6xf64>, tensor<6xf64>, tensor<1x6x4x3xf64>, tensor<1x6x5x3xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<3x3x6x1xf64>
    %cst_0 = stablehlo.constant dense<0.055555555555555552> : tensor<1x1x1x1xf64>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<1x1x1xf64>
    %cst_2 = stablehlo.constant dense<1.800000e+01> : tensor<1x1x1xf64>
    %cst_3 = stablehlo.constant dense<9.000000e+00> : tensor<1x6x1x3xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<1x6x3x3xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.logistic %arg0 : tensor<1x6x3x3xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1x6x3x3xf64>
    %2 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<5x3xf64>) -> tensor<3x5xf64>
    %3 = stablehlo.reshape %1 : (tensor<1x6x3x3xf64>) -> tensor<18x3xf64>
    %4 = stablehlo.dot_general %3, %2, contracting_dims = [1] x [0] : (tensor<18x3xf64>, tensor<3x5xf64>) -> tensor<18x5xf64>
    %5 = stablehlo.reshape %4 : (tensor<18x5xf64>) -> tensor<1x6x3x5xf64>
    %6 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<5xf64>) -> tensor<1x6x3x5xf64>
    %7 = stablehlo.add %5, %6 : tensor<1x6x3x5xf64>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2, 3] : (tensor<1x6x1x5xf64>) -> tensor<1x6x3x5xf64>
    %9 = stablehlo.add %7, %8 : tensor<1x6x3x5xf64>
    %10 = "stablehlo.reduce_window"(%9, %cst_5) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %98 = stablehlo.add %arg8, %arg9 : tensor<f64>
      stablehlo.return %98 : tensor<f64>
    }) : (tensor<1x6x3x5xf64>, tensor<f64>) -> tensor<1x6x1x3xf64>
    %11 = stablehlo.divide %10, %cst_3 : tensor<1x6x1x3xf64>
    %12 = stablehlo.reshape %11 : (tensor<1x6x1x3xf64>) -> tensor<1x1x18xf64>
    %13 = stablehlo.reduce(%12 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<1x1x18xf64>, tensor<f64>) -> tensor<1x1xf64>
    %14 = stablehlo.reshape %13 : (tensor<1x1xf64>) -> tensor<1x1x1xf64>
    %15 = stablehlo.divide %14, %cst_2 : tensor<1x1x1xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x1x1xf64>) -> tensor<1x1x18xf64>
    %17 = stablehlo.subtract %12, %16 : tensor<1x1x18xf64>
    %18 = stablehlo.multiply %17, %17 : tensor<1x1x18xf64>
    %19 = stablehlo.reduce(%18 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<1x1x18xf64>, tensor<f64>) -> tensor<1x1xf64>
    %20 = stablehlo.reshape %19 : (tensor<1x1xf64>) -> tensor<1x1x1xf64>
    %21 = stablehlo.divide %20, %cst_2 : tensor<1x1x1xf64>
    %22 = stablehlo.add %21, %cst_1 : tensor<1x1x1xf64>
    %23 = stablehlo.rsqrt %22 : tensor<1x1x1xf64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x1xf64>) -> tensor<1x1x18xf64>
    %25 = stablehlo.multiply %17, %24 : tensor<1x1x18xf64>
    %26 = stablehlo.reshape %25 : (tensor<1x1x18xf64>) -> tensor<1x6x1x3xf64>
    %27 = stablehlo.reshape %arg4 : (tensor<6xf64>) -> tensor<6x1x1xf64>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1, 2, 3] : (tensor<6x1x1xf64>) -> tensor<1x6x1x3xf64>
    %29 = stablehlo.multiply %26, %28 : tensor<1x6x1x3xf64>
    %30 = stablehlo.reshape %arg5 : (tensor<6xf64>) -> tensor<6x1x1xf64>
    %31 = stablehlo.broadcast_in_dim %30, dims = [1, 2, 3] : (tensor<6x1x1xf64>) -> tensor<1x6x1x3xf64>
    %32 = stablehlo.add %29, %31 : tensor<1x6x1x3xf64>
    %33 = stablehlo.concatenate %arg6, %32, dim = 2 : (tensor<1x6x4x3xf64>, tensor<1x6x1x3xf64>) -> tensor<1x6x5x3xf64>
    %34 = stablehlo.multiply %33, %arg7 : tensor<1x6x5x3xf64>
    %35 = stablehlo.reduce(%34 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x6x5x3xf64>, tensor<f64>) -> tensor<f64>
    %36 = stablehlo.slice %arg7 [0:1, 0:6, 0:4, 0:3] : (tensor<1x6x5x3xf64>) -> tensor<1x6x4x3xf64>
    %37 = stablehlo.slice %arg7 [0:1, 0:6, 4:5, 0:3] : (tensor<1x6x5x3xf64>) -> tensor<1x6x1x3xf64>
    %38 = stablehlo.reshape %11 : (tensor<1x6x1x3xf64>) -> tensor<1x1x6x3xf64>
    %39 = stablehlo.reshape %15 : (tensor<1x1x1xf64>) -> tensor<1x1x1x1xf64>
    %40 = stablehlo.reshape %23 : (tensor<1x1x1xf64>) -> tensor<1x1x1x1xf64>
    %41 = stablehlo.reshape %37 : (tensor<1x6x1x3xf64>) -> tensor<1x1x6x3xf64>
    %42 = stablehlo.multiply %41, %38 : tensor<1x1x6x3xf64>
    %43 = stablehlo.reduce(%42 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<1x1x6x3xf64>, tensor<f64>) -> tensor<1x1x6xf64>
    %44 = stablehlo.reshape %43 : (tensor<1x1x6xf64>) -> tensor<1x1x6x1xf64>
    %45 = stablehlo.reduce(%41 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<1x1x6x3xf64>, tensor<f64>) -> tensor<1x1x6xf64>
    %46 = stablehlo.reshape %45 : (tensor<1x1x6xf64>) -> tensor<1x1x6x1xf64>
    %47 = stablehlo.reshape %arg4 : (tensor<6xf64>) -> tensor<1x1x6x1xf64>
    %48 = stablehlo.multiply %40, %40 : tensor<1x1x1x1xf64>
    %49 = stablehlo.multiply %48, %40 : tensor<1x1x1x1xf64>
    %50 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf64>) -> tensor<1x1x6x1xf64>
    %51 = stablehlo.multiply %50, %47 : tensor<1x1x6x1xf64>
    %52 = stablehlo.multiply %44, %47 : tensor<1x1x6x1xf64>
    %53 = stablehlo.reduce(%52 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<1x1x6x1xf64>, tensor<f64>) -> tensor<1x1x1xf64>
    %54 = stablehlo.reshape %53 : (tensor<1x1x1xf64>) -> tensor<1x1x1x1xf64>
    %55 = stablehlo.multiply %46, %47 : tensor<1x1x6x1xf64>
    %56 = stablehlo.reduce(%55 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<1x1x6x1xf64>, tensor<f64>) -> tensor<1x1x1xf64>
    %57 = stablehlo.reshape %56 : (tensor<1x1x1xf64>) -> tensor<1x1x1x1xf64>
    %58 = stablehlo.multiply %57, %39 : tensor<1x1x1x1xf64>
    %59 = stablehlo.subtract %58, %54 : tensor<1x1x1x1xf64>
    %60 = stablehlo.multiply %59, %49 : tensor<1x1x1x1xf64>
    %61 = stablehlo.multiply %60, %cst_0 : tensor<1x1x1x1xf64>
    %62 = stablehlo.multiply %57, %40 : tensor<1x1x1x1xf64>
    %63 = stablehlo.multiply %62, %cst_0 : tensor<1x1x1x1xf64>
    %64 = stablehlo.negate %61 : tensor<1x1x1x1xf64>
    %65 = stablehlo.multiply %64, %39 : tensor<1x1x1x1xf64>
    %66 = stablehlo.subtract %65, %63 : tensor<1x1x1x1xf64>
    %67 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf64>) -> tensor<1x1x6x3xf64>
    %68 = stablehlo.multiply %67, %38 : tensor<1x1x6x3xf64>
    %69 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<1x1x6x1xf64>) -> tensor<1x1x6x3xf64>
    %70 = stablehlo.multiply %69, %41 : tensor<1x1x6x3xf64>
    %71 = stablehlo.add %70, %68 : tensor<1x1x6x3xf64>
    %72 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf64>) -> tensor<1x1x6x3xf64>
    %73 = stablehlo.add %71, %72 : tensor<1x1x6x3xf64>
    %74 = stablehlo.reshape %73 : (tensor<1x1x6x3xf64>) -> tensor<1x6x1x3xf64>
    %75 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf64>) -> tensor<1x1x6x1xf64>
    %76 = stablehlo.multiply %46, %75 : tensor<1x1x6x1xf64>
    %77 = stablehlo.subtract %44, %76 : tensor<1x1x6x1xf64>
    %78 = stablehlo.multiply %77, %50 : tensor<1x1x6x1xf64>
    %79 = stablehlo.reduce(%78 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<1x1x6x1xf64>, tensor<f64>) -> tensor<1x6x1xf64>
    %80 = stablehlo.reshape %79 : (tensor<1x6x1xf64>) -> tensor<6xf64>
    %81 = stablehlo.reduce(%46 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<1x1x6x1xf64>, tensor<f64>) -> tensor<1x6x1xf64>
    %82 = stablehlo.reshape %81 : (tensor<1x6x1xf64>) -> tensor<6xf64>
    %83 = stablehlo.divide %74, %cst_3 : tensor<1x6x1x3xf64>
    %84 = stablehlo.convolution(%83, %cst) dim_numbers = [b, f, 0, 1]x[0, 1, o, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<1x6x1x3xf64>, tensor<3x3x6x1xf64>) -> tensor<1x6x3x5xf64>
    %85 = stablehlo.reduce(%84 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<1x6x3x5xf64>, tensor<f64>) -> tensor<1x6x5xf64>
    %86 = stablehlo.reshape %85 : (tensor<1x6x5xf64>) -> tensor<1x6x1x5xf64>
    %87 = stablehlo.reduce(%84 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x6x3x5xf64>, tensor<f64>) -> tensor<5xf64>
    %88 = stablehlo.reshape %84 : (tensor<1x6x3x5xf64>) -> tensor<18x5xf64>
    %89 = stablehlo.transpose %88, dims = [1, 0] : (tensor<18x5xf64>) -> tensor<5x18xf64>
    %90 = stablehlo.dot_general %89, %3, contracting_dims = [1] x [0] : (tensor<5x18xf64>, tensor<18x3xf64>) -> tensor<5x3xf64>
    %91 = stablehlo.dot_general %88, %arg1, contracting_dims = [1] x [0] : (tensor<18x5xf64>, tensor<5x3xf64>) -> tensor<18x3xf64>
    %92 = stablehlo.reshape %91 : (tensor<18x3xf64>) -> tensor<1x6x3x3xf64>
    %93 = stablehlo.subtract %cst_4, %0 : tensor<1x6x3x3xf64>
    %94 = stablehlo.multiply %arg0, %93 : tensor<1x6x3x3xf64>
    %95 = stablehlo.add %94, %cst_4 : tensor<1x6x3x3xf64>
    %96 = stablehlo.multiply %92, %0 : tensor<1x6x3x3xf64>
    %97 = stablehlo.multiply %96, %95 : tensor<1x6x3x3xf64>
    return %35, %97, %90, %87, %86, %80, %82, %36, %33 : tensor<f64>, tensor<1x6x3x3xf64>, tensor<5x3xf64>, tensor<5xf64>, tensor<1x6x1x5xf64>, tensor<6xf64>, tensor<6xf64>, tensor<1x6x4x3xf64>, tensor<1x6x5x3xf64>
  }
}
