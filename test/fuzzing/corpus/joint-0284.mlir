// joint graph of cumsum → max → clamp → smooth_l1
// seed 284
// fuzz: plain close
// input 0: seed 4888 from -3 to 3
// input 1: seed 2149 from -2 to 2
module {
  func.func @main(%arg0: tensor<7x4xf64>, %arg1: tensor<4xf64>) -> (tensor<f64>, tensor<7x4xf64>, tensor<4xf64>) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<4xf64>
    %cst_0 = stablehlo.constant dense<-2.000000e+00> : tensor<4xf64>
    %cst_1 = stablehlo.constant dense<-1.000000e+00> : tensor<4xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<4xf64>
    %cst_3 = stablehlo.constant dense<2.500000e-01> : tensor<4xf64>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<4xf64>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<4xf64>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<4xf64>
    %cst_8 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %cst_9 = stablehlo.constant dense<-2.000000e+00> : tensor<f64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<7x4xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_12 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst_11) <{padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 7, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %47 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %47 : tensor<f64>
    }) : (tensor<7x4xf64>, tensor<f64>) -> tensor<7x4xf64>
    %1 = stablehlo.iota dim = 0 : tensor<7xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<7xi64>) -> tensor<7x4xi64>
    %3:2 = stablehlo.reduce(%0 init: %cst_12), (%2 init: %c) across dimensions = [0] : (tensor<7x4xf64>, tensor<7x4xi64>, tensor<f64>, tensor<i64>) -> (tensor<4xf64>, tensor<4xi64>)
     reducer(%arg2: tensor<f64>, %arg4: tensor<f64>) (%arg3: tensor<i64>, %arg5: tensor<i64>)  {
      %47 = stablehlo.compare LE, %arg2, %arg4, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %48 = stablehlo.select %47, %arg2, %arg4 : tensor<i1>, tensor<f64>
      %49 = stablehlo.compare EQ, %arg2, %arg4, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %50 = stablehlo.minimum %arg3, %arg5 : tensor<i64>
      %51 = stablehlo.select %47, %arg3, %arg5 : tensor<i1>, tensor<i64>
      %52 = stablehlo.select %49, %50, %51 : tensor<i1>, tensor<i64>
      stablehlo.return %48, %52 : tensor<f64>, tensor<i64>
    }
    %4 = stablehlo.clamp %cst_9, %3#0, %cst_8 : (tensor<f64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %5 = stablehlo.subtract %4, %arg1 : tensor<4xf64>
    %6 = stablehlo.abs %5 : tensor<4xf64>
    %7 = stablehlo.compare LT, %6, %cst_7, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %8 = stablehlo.power %6, %cst_6 : tensor<4xf64>
    %9 = stablehlo.multiply %8, %cst_5 : tensor<4xf64>
    %10 = stablehlo.divide %9, %cst_7 : tensor<4xf64>
    %11 = stablehlo.subtract %6, %cst_5 : tensor<4xf64>
    %12 = stablehlo.select %7, %10, %11 : tensor<4xi1>, tensor<4xf64>
    %13 = stablehlo.reduce(%12 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %14 = stablehlo.divide %13, %cst_4 : tensor<f64>
    %15 = stablehlo.multiply %5, %cst_3 : tensor<4xf64>
    %16 = stablehlo.divide %15, %cst_7 : tensor<4xf64>
    %17 = stablehlo.compare GT, %5, %cst_2, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %18 = stablehlo.compare LT, %5, %cst_2, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %19 = stablehlo.select %17, %cst_7, %cst_2 : tensor<4xi1>, tensor<4xf64>
    %20 = stablehlo.select %18, %cst_1, %19 : tensor<4xi1>, tensor<4xf64>
    %21 = stablehlo.multiply %20, %cst_3 : tensor<4xf64>
    %22 = stablehlo.select %7, %16, %21 : tensor<4xi1>, tensor<4xf64>
    %23 = stablehlo.subtract %arg1, %4 : tensor<4xf64>
    %24 = stablehlo.abs %23 : tensor<4xf64>
    %25 = stablehlo.compare LT, %24, %cst_7, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %26 = stablehlo.multiply %23, %cst_3 : tensor<4xf64>
    %27 = stablehlo.divide %26, %cst_7 : tensor<4xf64>
    %28 = stablehlo.compare GT, %23, %cst_2, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %29 = stablehlo.compare LT, %23, %cst_2, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %30 = stablehlo.select %28, %cst_7, %cst_2 : tensor<4xi1>, tensor<4xf64>
    %31 = stablehlo.select %29, %cst_1, %30 : tensor<4xi1>, tensor<4xf64>
    %32 = stablehlo.multiply %31, %cst_3 : tensor<4xf64>
    %33 = stablehlo.select %25, %27, %32 : tensor<4xi1>, tensor<4xf64>
    %34 = stablehlo.compare GE, %3#0, %cst_0, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %35 = stablehlo.compare LE, %3#0, %cst, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %36 = stablehlo.and %34, %35 : tensor<4xi1>
    %37 = stablehlo.select %36, %22, %cst_2 : tensor<4xi1>, tensor<4xf64>
    %38 = stablehlo.reshape %37 : (tensor<4xf64>) -> tensor<1x4xf64>
    %39 = stablehlo.reshape %3#1 : (tensor<4xi64>) -> tensor<1x4x1xi64>
    %40 = stablehlo.iota dim = 0 : tensor<4xi64>
    %41 = stablehlo.reshape %40 : (tensor<4xi64>) -> tensor<1x4x1xi64>
    %42 = stablehlo.concatenate %39, %41, dim = 2 : (tensor<1x4x1xi64>, tensor<1x4x1xi64>) -> tensor<1x4x2xi64>
    %43 = "stablehlo.scatter"(%cst_10, %42, %38) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<7x4xf64>, tensor<1x4x2xi64>, tensor<1x4xf64>) -> tensor<7x4xf64>
    %44 = stablehlo.reverse %43, dims = [0] : tensor<7x4xf64>
    %45 = "stablehlo.reduce_window"(%44, %cst_11) <{padding = dense<[[6, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 7, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %47 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %47 : tensor<f64>
    }) : (tensor<7x4xf64>, tensor<f64>) -> tensor<7x4xf64>
    %46 = stablehlo.reverse %45, dims = [0] : tensor<7x4xf64>
    return %14, %46, %33 : tensor<f64>, tensor<7x4xf64>, tensor<4xf64>
  }
}
