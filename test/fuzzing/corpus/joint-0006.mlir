// joint graph of max → smooth_l1
// seed 6
// fuzz: plain close
// input 0: seed 9608 from -3 to 3
// input 1: seed 358 from -2 to 2
module {
  func.func @main(%arg0: tensor<1x1x2x6xf64>, %arg1: tensor<1x1x6xf64>) -> (tensor<f64>, tensor<1x1x2x6xf64>, tensor<1x1x6xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x1x1x6x1xi64>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<1x1x6xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<1x1x6xf64>
    %cst_1 = stablehlo.constant dense<0.16666666666666666> : tensor<1x1x6xf64>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<1x1x6xf64>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<1x1x6xf64>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<1x1x6xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<1x1x2x6xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_8 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.iota dim = 0 : tensor<2xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<2xi64>) -> tensor<1x1x2x6xi64>
    %2:2 = stablehlo.reduce(%arg0 init: %cst_8), (%1 init: %c_9) across dimensions = [2] : (tensor<1x1x2x6xf64>, tensor<1x1x2x6xi64>, tensor<f64>, tensor<i64>) -> (tensor<1x1x6xf64>, tensor<1x1x6xi64>)
     reducer(%arg2: tensor<f64>, %arg4: tensor<f64>) (%arg3: tensor<i64>, %arg5: tensor<i64>)  {
      %38 = stablehlo.compare LE, %arg2, %arg4, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %39 = stablehlo.select %38, %arg2, %arg4 : tensor<i1>, tensor<f64>
      %40 = stablehlo.compare EQ, %arg2, %arg4, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %41 = stablehlo.minimum %arg3, %arg5 : tensor<i64>
      %42 = stablehlo.select %38, %arg3, %arg5 : tensor<i1>, tensor<i64>
      %43 = stablehlo.select %40, %41, %42 : tensor<i1>, tensor<i64>
      stablehlo.return %39, %43 : tensor<f64>, tensor<i64>
    }
    %3 = stablehlo.subtract %2#0, %arg1 : tensor<1x1x6xf64>
    %4 = stablehlo.abs %3 : tensor<1x1x6xf64>
    %5 = stablehlo.compare LT, %4, %cst_5, FLOAT : (tensor<1x1x6xf64>, tensor<1x1x6xf64>) -> tensor<1x1x6xi1>
    %6 = stablehlo.power %4, %cst_4 : tensor<1x1x6xf64>
    %7 = stablehlo.multiply %6, %cst_3 : tensor<1x1x6xf64>
    %8 = stablehlo.divide %7, %cst_5 : tensor<1x1x6xf64>
    %9 = stablehlo.subtract %4, %cst_3 : tensor<1x1x6xf64>
    %10 = stablehlo.select %5, %8, %9 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %11 = stablehlo.reduce(%10 init: %cst_7) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x6xf64>, tensor<f64>) -> tensor<f64>
    %12 = stablehlo.divide %11, %cst_2 : tensor<f64>
    %13 = stablehlo.multiply %3, %cst_1 : tensor<1x1x6xf64>
    %14 = stablehlo.divide %13, %cst_5 : tensor<1x1x6xf64>
    %15 = stablehlo.compare GT, %3, %cst_0, FLOAT : (tensor<1x1x6xf64>, tensor<1x1x6xf64>) -> tensor<1x1x6xi1>
    %16 = stablehlo.compare LT, %3, %cst_0, FLOAT : (tensor<1x1x6xf64>, tensor<1x1x6xf64>) -> tensor<1x1x6xi1>
    %17 = stablehlo.select %15, %cst_5, %cst_0 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %18 = stablehlo.select %16, %cst, %17 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %19 = stablehlo.multiply %18, %cst_1 : tensor<1x1x6xf64>
    %20 = stablehlo.select %5, %14, %19 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %21 = stablehlo.subtract %arg1, %2#0 : tensor<1x1x6xf64>
    %22 = stablehlo.abs %21 : tensor<1x1x6xf64>
    %23 = stablehlo.compare LT, %22, %cst_5, FLOAT : (tensor<1x1x6xf64>, tensor<1x1x6xf64>) -> tensor<1x1x6xi1>
    %24 = stablehlo.multiply %21, %cst_1 : tensor<1x1x6xf64>
    %25 = stablehlo.divide %24, %cst_5 : tensor<1x1x6xf64>
    %26 = stablehlo.compare GT, %21, %cst_0, FLOAT : (tensor<1x1x6xf64>, tensor<1x1x6xf64>) -> tensor<1x1x6xi1>
    %27 = stablehlo.compare LT, %21, %cst_0, FLOAT : (tensor<1x1x6xf64>, tensor<1x1x6xf64>) -> tensor<1x1x6xi1>
    %28 = stablehlo.select %26, %cst_5, %cst_0 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %29 = stablehlo.select %27, %cst, %28 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %30 = stablehlo.multiply %29, %cst_1 : tensor<1x1x6xf64>
    %31 = stablehlo.select %23, %25, %30 : tensor<1x1x6xi1>, tensor<1x1x6xf64>
    %32 = stablehlo.reshape %20 : (tensor<1x1x6xf64>) -> tensor<1x1x1x6xf64>
    %33 = stablehlo.reshape %2#1 : (tensor<1x1x6xi64>) -> tensor<1x1x1x6x1xi64>
    %34 = stablehlo.iota dim = 0 : tensor<6xi64>
    %35 = stablehlo.reshape %34 : (tensor<6xi64>) -> tensor<1x1x1x6x1xi64>
    %36 = stablehlo.concatenate %c, %c, %33, %35, dim = 4 : (tensor<1x1x1x6x1xi64>, tensor<1x1x1x6x1xi64>, tensor<1x1x1x6x1xi64>, tensor<1x1x1x6x1xi64>) -> tensor<1x1x1x6x4xi64>
    %37 = "stablehlo.scatter"(%cst_6, %36, %32) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2, 3], scatter_dims_to_operand_dims = [0, 1, 2, 3], index_vector_dim = 4>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<1x1x2x6xf64>, tensor<1x1x1x6x4xi64>, tensor<1x1x1x6xf64>) -> tensor<1x1x2x6xf64>
    return %12, %37, %31 : tensor<f64>, tensor<1x1x2x6xf64>, tensor<1x1x6xf64>
  }
}
