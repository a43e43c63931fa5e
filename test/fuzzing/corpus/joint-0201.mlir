// joint graph of hardtanh → reshape → max → max → max
// seed 201
// fuzz: plain equal
// input 0: seed 4633 from -3 to 3
module {
  func.func @main(%arg0: tensor<1x7xf64>) -> (tensor<f64>, tensor<1x7xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x7x1x1xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<1x7xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<1x7x1xi64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<1x7xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<1x7x1xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<1x7xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<7xf64>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<1xf64>
    %cst_6 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %cst_8 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %cst_9 = stablehlo.constant dense<-1.000000e+00> : tensor<1x7xf64>
    %0 = stablehlo.maximum %arg0, %cst_9 : tensor<1x7xf64>
    %1 = stablehlo.minimum %0, %cst : tensor<1x7xf64>
    %2 = stablehlo.reshape %1 : (tensor<1x7xf64>) -> tensor<1x7x1xf64>
    %3:2 = stablehlo.reduce(%2 init: %cst_6), (%c_1 init: %c_7) across dimensions = [2] : (tensor<1x7x1xf64>, tensor<1x7x1xi64>, tensor<f64>, tensor<i64>) -> (tensor<1x7xf64>, tensor<1x7xi64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %24 = stablehlo.compare GE, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %25 = stablehlo.select %24, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %26 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %27 = stablehlo.minimum %arg2, %arg4 : tensor<i64>
      %28 = stablehlo.select %24, %arg2, %arg4 : tensor<i1>, tensor<i64>
      %29 = stablehlo.select %26, %27, %28 : tensor<i1>, tensor<i64>
      stablehlo.return %25, %29 : tensor<f64>, tensor<i64>
    }
    %4:2 = stablehlo.reduce(%3#0 init: %cst_6), (%c_0 init: %c_7) across dimensions = [0] : (tensor<1x7xf64>, tensor<1x7xi64>, tensor<f64>, tensor<i64>) -> (tensor<7xf64>, tensor<7xi64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %24 = stablehlo.compare GE, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %25 = stablehlo.select %24, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %26 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %27 = stablehlo.minimum %arg2, %arg4 : tensor<i64>
      %28 = stablehlo.select %24, %arg2, %arg4 : tensor<i1>, tensor<i64>
      %29 = stablehlo.select %26, %27, %28 : tensor<i1>, tensor<i64>
      stablehlo.return %25, %29 : tensor<f64>, tensor<i64>
    }
    %5 = stablehlo.iota dim = 0 : tensor<7xi64>
    %6:2 = stablehlo.reduce(%4#0 init: %cst_8), (%5 init: %c_7) across dimensions = [0] : (tensor<7xf64>, tensor<7xi64>, tensor<f64>, tensor<i64>) -> (tensor<f64>, tensor<i64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %24 = stablehlo.compare LE, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %25 = stablehlo.select %24, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %26 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %27 = stablehlo.minimum %arg2, %arg4 : tensor<i64>
      %28 = stablehlo.select %24, %arg2, %arg4 : tensor<i1>, tensor<i64>
      %29 = stablehlo.select %26, %27, %28 : tensor<i1>, tensor<i64>
      stablehlo.return %25, %29 : tensor<f64>, tensor<i64>
    }
    %7 = stablehlo.reshape %6#1 : (tensor<i64>) -> tensor<1x1xi64>
    %8 = "stablehlo.scatter"(%cst_4, %7, %cst_5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<7xf64>, tensor<1x1xi64>, tensor<1xf64>) -> tensor<7xf64>
    %9 = stablehlo.reshape %8 : (tensor<7xf64>) -> tensor<1x7xf64>
    %10 = stablehlo.reshape %4#1 : (tensor<7xi64>) -> tensor<1x7x1xi64>
    %11 = stablehlo.reshape %5 : (tensor<7xi64>) -> tensor<1x7x1xi64>
    %12 = stablehlo.concatenate %10, %11, dim = 2 : (tensor<1x7x1xi64>, tensor<1x7x1xi64>) -> tensor<1x7x2xi64>
    %13 = "stablehlo.scatter"(%cst_3, %12, %9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<1x7xf64>, tensor<1x7x2xi64>, tensor<1x7xf64>) -> tensor<1x7xf64>
    %14 = stablehlo.reshape %13 : (tensor<1x7xf64>) -> tensor<1x7x1xf64>
    %15 = stablehlo.reshape %5 : (tensor<7xi64>) -> tensor<1x7x1x1xi64>
    %16 = stablehlo.reshape %3#1 : (tensor<1x7xi64>) -> tensor<1x7x1x1xi64>
    %17 = stablehlo.concatenate %c, %15, %16, dim = 3 : (tensor<1x7x1x1xi64>, tensor<1x7x1x1xi64>, tensor<1x7x1x1xi64>) -> tensor<1x7x1x3xi64>
    %18 = "stablehlo.scatter"(%cst_2, %17, %14) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<1x7x1xf64>, tensor<1x7x1x3xi64>, tensor<1x7x1xf64>) -> tensor<1x7x1xf64>
    %19 = stablehlo.compare LE, %arg0, %cst_9, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %20 = stablehlo.compare GE, %arg0, %cst, FLOAT : (tensor<1x7xf64>, tensor<1x7xf64>) -> tensor<1x7xi1>
    %21 = stablehlo.or %19, %20 : tensor<1x7xi1>
    %22 = stablehlo.reshape %18 : (tensor<1x7x1xf64>) -> tensor<1x7xf64>
    %23 = stablehlo.select %21, %cst_3, %22 : tensor<1x7xi1>, tensor<1x7xf64>
    return %6#0, %23 : tensor<f64>, tensor<1x7xf64>
  }
}
