// joint graph of window_max → sort → nll_loss
// seed 109
// fuzz: plain close
// input 0: seed 1662 from -3 to 3
// input 1: seed 4508 from 0 to 0
module {
  func.func @main(%arg0: tensor<5x1xf64>, %arg1: tensor<5xi64>) -> (tensor<f64>, tensor<5x1xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<5x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<5xf64>
    %c = stablehlo.constant dense<0> : tensor<5x1x1xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<5x1xi64>
    %c_2 = stablehlo.constant dense<-100> : tensor<5x1xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<5xi64>
    %c_4 = stablehlo.constant dense<-100> : tensor<5xi64>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<5x1xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<5x1xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_8 = stablehlo.constant dense<0> : tensor<i64>
    %cst_9 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reshape %arg0 : (tensor<5x1xf64>) -> tensor<5x1x1xf64>
    %1 = stablehlo.reduce(%0 init: %cst_9) applies stablehlo.maximum across dimensions = [2] : (tensor<5x1x1xf64>, tensor<f64>) -> tensor<5x1xf64>
    %2 = stablehlo.iota dim = 0 : tensor<5xi64>
    %3 = stablehlo.reshape %2 : (tensor<5xi64>) -> tensor<5x1xi64>
    %4:2 = "stablehlo.sort"(%1, %3) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>, %arg4: tensor<i64>, %arg5: tensor<i64>):
      %39 = stablehlo.compare GT, %arg2, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %39 : tensor<i1>
    }) : (tensor<5x1xf64>, tensor<5x1xi64>) -> (tensor<5x1xf64>, tensor<5x1xi64>)
    %5 = stablehlo.compare NE, %arg1, %c_4, SIGNED : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
    %6 = stablehlo.select %5, %arg1, %c_3 : tensor<5xi1>, tensor<5xi64>
    %7 = stablehlo.reshape %2 : (tensor<5xi64>) -> tensor<5x1x1xi64>
    %8 = stablehlo.reshape %6 : (tensor<5xi64>) -> tensor<5x1x1xi64>
    %9 = stablehlo.concatenate %7, %8, dim = 2 : (tensor<5x1x1xi64>, tensor<5x1x1xi64>) -> tensor<5x1x2xi64>
    %10 = "stablehlo.gather"(%4#0, %9) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<5x1xf64>, tensor<5x1x2xi64>) -> tensor<5x1xf64>
    %11 = stablehlo.reshape %10 : (tensor<5x1xf64>) -> tensor<5xf64>
    %12 = stablehlo.negate %11 : tensor<5xf64>
    %13 = stablehlo.select %5, %12, %cst_0 : tensor<5xi1>, tensor<5xf64>
    %14 = stablehlo.reduce(%13 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %15 = stablehlo.reshape %arg1 : (tensor<5xi64>) -> tensor<5x1xi64>
    %16 = stablehlo.compare NE, %15, %c_2, SIGNED : (tensor<5x1xi64>, tensor<5x1xi64>) -> tensor<5x1xi1>
    %17 = stablehlo.select %16, %15, %c_1 : tensor<5x1xi1>, tensor<5x1xi64>
    %18 = stablehlo.reshape %17 : (tensor<5x1xi64>) -> tensor<5x1x1xi64>
    %19 = stablehlo.concatenate %7, %18, dim = 2 : (tensor<5x1x1xi64>, tensor<5x1x1xi64>) -> tensor<5x1x2xi64>
    %20 = "stablehlo.scatter"(%cst_6, %19, %cst_5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<5x1xf64>, tensor<5x1x2xi64>, tensor<5x1xf64>) -> tensor<5x1xf64>
    %21 = stablehlo.select %16, %cst, %cst_6 : tensor<5x1xi1>, tensor<5x1xf64>
    %22 = stablehlo.multiply %20, %21 : tensor<5x1xf64>
    %23 = stablehlo.reshape %4#1 : (tensor<5x1xi64>) -> tensor<5x1x1xi64>
    %24 = stablehlo.concatenate %23, %c, dim = 2 : (tensor<5x1x1xi64>, tensor<5x1x1xi64>) -> tensor<5x1x2xi64>
    %25 = "stablehlo.scatter"(%cst_6, %24, %22) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<5x1xf64>, tensor<5x1x2xi64>, tensor<5x1xf64>) -> tensor<5x1xf64>
    %26 = stablehlo.reshape %1 : (tensor<5x1xf64>) -> tensor<5x1x1xf64>
    %27 = stablehlo.compare EQ, %26, %0, FLOAT : (tensor<5x1x1xf64>, tensor<5x1x1xf64>) -> tensor<5x1x1xi1>
    %28 = stablehlo.reshape %25 : (tensor<5x1xf64>) -> tensor<5x1x1xf64>
    %29 = stablehlo.convert %27 : (tensor<5x1x1xi1>) -> tensor<5x1x1xi64>
    %30 = stablehlo.reduce(%29 init: %c_8) applies stablehlo.add across dimensions = [2] : (tensor<5x1x1xi64>, tensor<i64>) -> tensor<5x1xi64>
    %31 = stablehlo.reshape %30 : (tensor<5x1xi64>) -> tensor<5x1x1xi64>
    %32 = stablehlo.convert %31 : (tensor<5x1x1xi64>) -> tensor<5x1x1xf64>
    %33 = stablehlo.divide %28, %32 : tensor<5x1x1xf64>
    %34 = stablehlo.convert %27 : (tensor<5x1x1xi1>) -> tensor<5x1x1xf64>
    %35 = stablehlo.multiply %33, %34 : tensor<5x1x1xf64>
    %36 = stablehlo.reshape %35 : (tensor<5x1x1xf64>) -> tensor<5x1xf64>
    %37 = stablehlo.concatenate %7, %c, dim = 2 : (tensor<5x1x1xi64>, tensor<5x1x1xi64>) -> tensor<5x1x2xi64>
    %38 = "stablehlo.scatter"(%cst_6, %37, %36) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %39 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %39 : tensor<f64>
    }) : (tensor<5x1xf64>, tensor<5x1x2xi64>, tensor<5x1xf64>) -> tensor<5x1xf64>
    return %14, %38 : tensor<f64>, tensor<5x1xf64>
  }
}
