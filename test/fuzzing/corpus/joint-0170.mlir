// joint graph of avg_pool2d → cumsum → index_add → index_add → abs → cross_entropy
// seed 170
// fuzz: plain close
// input 0: seed 9510 from -3 to 3
// input 1: seed 1964 from 0 to 0
// input 2: seed 8480 from -2 to 2
// input 3: seed 102 from 0 to 0
// input 4: seed 2991 from -2 to 2
// input 5: seed 9263 from 0 to 1
module {
  func.func @main(%arg0: tensor<1x2x3x3xf64>, %arg1: tensor<4xi64>, %arg2: tensor<4x2x2x2xf64>, %arg3: tensor<2xi64>, %arg4: tensor<2x2x2x2xf64>, %arg5: tensor<4xi64>) -> (tensor<f64>, tensor<1x2x3x3xf64>, tensor<4x2x2x2xf64>, tensor<2x2x2x2xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<1x1x2x1xf64>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<1x2x2x2xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1x2x2x2xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<4x1xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<4xf64>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<1x2x2x2xf64>
    %c = stablehlo.constant dense<0> : tensor<4x1xi64>
    %c_5 = stablehlo.constant dense<-100> : tensor<4x1xi64>
    %c_6 = stablehlo.constant dense<-100> : tensor<4xi64>
    %c_7 = stablehlo.constant dense<1> : tensor<2xi64>
    %c_8 = stablehlo.constant dense<0> : tensor<2xi64>
    %c_9 = stablehlo.constant dense<1> : tensor<4xi64>
    %c_10 = stablehlo.constant dense<0> : tensor<4xi64>
    %cst_11 = stablehlo.constant dense<-1.000000e+00> : tensor<4x1xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<4x2xf64>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_15 = stablehlo.constant dense<0> : tensor<i64>
    %cst_16 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst_14) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 1, 1>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %70 = stablehlo.add %arg6, %arg7 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<1x2x3x3xf64>, tensor<f64>) -> tensor<1x2x2x2xf64>
    %1 = stablehlo.divide %0, %cst_4 : tensor<1x2x2x2xf64>
    %2 = "stablehlo.reduce_window"(%1, %cst_14) <{padding = dense<[[0, 0], [0, 0], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %70 = stablehlo.add %arg6, %arg7 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<1x2x2x2xf64>, tensor<f64>) -> tensor<1x2x2x2xf64>
    %3 = stablehlo.compare LT, %arg1, %c_10, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %4 = stablehlo.add %arg1, %c_9 : tensor<4xi64>
    %5 = stablehlo.select %3, %4, %arg1 : tensor<4xi1>, tensor<4xi64>
    %6 = stablehlo.reshape %5 : (tensor<4xi64>) -> tensor<4x1xi64>
    %7 = "stablehlo.scatter"(%2, %6, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %70 = stablehlo.add %arg6, %arg7 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<1x2x2x2xf64>, tensor<4x1xi64>, tensor<4x2x2x2xf64>) -> tensor<1x2x2x2xf64>
    %8 = stablehlo.compare LT, %arg3, %c_8, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %9 = stablehlo.add %arg3, %c_7 : tensor<2xi64>
    %10 = stablehlo.select %8, %9, %arg3 : tensor<2xi1>, tensor<2xi64>
    %11 = stablehlo.reshape %10 : (tensor<2xi64>) -> tensor<2x1xi64>
    %12 = "stablehlo.scatter"(%7, %11, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %70 = stablehlo.add %arg6, %arg7 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<1x2x2x2xf64>, tensor<2x1xi64>, tensor<2x2x2x2xf64>) -> tensor<1x2x2x2xf64>
    %13 = stablehlo.abs %12 : tensor<1x2x2x2xf64>
    %14 = stablehlo.reshape %13 : (tensor<1x2x2x2xf64>) -> tensor<4x2xf64>
    %15 = stablehlo.reduce(%14 init: %cst_16) applies stablehlo.maximum across dimensions = [1] : (tensor<4x2xf64>, tensor<f64>) -> tensor<4xf64>
    %16 = stablehlo.reshape %15 : (tensor<4xf64>) -> tensor<4x1xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x2xf64>
    %18 = stablehlo.subtract %14, %17 : tensor<4x2xf64>
    %19 = stablehlo.exponential %18 : tensor<4x2xf64>
    %20 = stablehlo.reduce(%19 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf64>, tensor<f64>) -> tensor<4xf64>
    %21 = stablehlo.reshape %20 : (tensor<4xf64>) -> tensor<4x1xf64>
    %22 = stablehlo.log %21 : tensor<4x1xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x2xf64>
    %24 = stablehlo.subtract %18, %23 : tensor<4x2xf64>
    %25 = stablehlo.compare NE, %arg5, %c_6, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %26 = stablehlo.select %25, %arg5, %c_10 : tensor<4xi1>, tensor<4xi64>
    %27 = stablehlo.iota dim = 0 : tensor<4xi64>
    %28 = stablehlo.reshape %27 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %29 = stablehlo.reshape %26 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %30 = stablehlo.concatenate %28, %29, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %31 = "stablehlo.gather"(%24, %30) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x2xf64>, tensor<4x1x2xi64>) -> tensor<4x1xf64>
    %32 = stablehlo.reshape %31 : (tensor<4x1xf64>) -> tensor<4xf64>
    %33 = stablehlo.negate %32 : tensor<4xf64>
    %34 = stablehlo.select %25, %33, %cst_3 : tensor<4xi1>, tensor<4xf64>
    %35 = stablehlo.convert %25 : (tensor<4xi1>) -> tensor<4xi64>
    %36 = stablehlo.reduce(%35 init: %c_15) applies stablehlo.add across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
    %37 = stablehlo.convert %36 : (tensor<i64>) -> tensor<f64>
    %38 = stablehlo.reduce(%34 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %39 = stablehlo.divide %38, %37 : tensor<f64>
    %40 = stablehlo.divide %cst_13, %37 : tensor<f64>
    %41 = stablehlo.reshape %arg5 : (tensor<4xi64>) -> tensor<4x1xi64>
    %42 = stablehlo.compare NE, %41, %c_5, SIGNED : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %43 = stablehlo.select %42, %41, %c : tensor<4x1xi1>, tensor<4x1xi64>
    %44 = stablehlo.reshape %43 : (tensor<4x1xi64>) -> tensor<4x1x1xi64>
    %45 = stablehlo.concatenate %28, %44, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %46 = "stablehlo.scatter"(%cst_12, %45, %cst_11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      stablehlo.return %arg7 : tensor<f64>
    }) : (tensor<4x2xf64>, tensor<4x1x2xi64>, tensor<4x1xf64>) -> tensor<4x2xf64>
    %47 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %48 = stablehlo.select %42, %47, %cst_2 : tensor<4x1xi1>, tensor<4x1xf64>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x2xf64>
    %50 = stablehlo.multiply %46, %49 : tensor<4x2xf64>
    %51 = stablehlo.exponential %24 : tensor<4x2xf64>
    %52 = stablehlo.reduce(%50 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf64>, tensor<f64>) -> tensor<4xf64>
    %53 = stablehlo.reshape %52 : (tensor<4xf64>) -> tensor<4x1xf64>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x2xf64>
    %55 = stablehlo.multiply %51, %54 : tensor<4x2xf64>
    %56 = stablehlo.subtract %50, %55 : tensor<4x2xf64>
    %57 = stablehlo.reshape %56 : (tensor<4x2xf64>) -> tensor<1x2x2x2xf64>
    %58 = stablehlo.compare GT, %12, %cst_1, FLOAT : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xi1>
    %59 = stablehlo.compare LT, %12, %cst_1, FLOAT : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xi1>
    %60 = stablehlo.select %58, %cst_4, %cst_1 : tensor<1x2x2x2xi1>, tensor<1x2x2x2xf64>
    %61 = stablehlo.select %59, %cst_0, %60 : tensor<1x2x2x2xi1>, tensor<1x2x2x2xf64>
    %62 = stablehlo.multiply %57, %61 : tensor<1x2x2x2xf64>
    %63 = "stablehlo.gather"(%62, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 2, 2>}> : (tensor<1x2x2x2xf64>, tensor<2xi64>) -> tensor<2x2x2x2xf64>
    %64 = "stablehlo.gather"(%62, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2, 2, 2>}> : (tensor<1x2x2x2xf64>, tensor<4xi64>) -> tensor<4x2x2x2xf64>
    %65 = stablehlo.reverse %62, dims = [2] : tensor<1x2x2x2xf64>
    %66 = "stablehlo.reduce_window"(%65, %cst_14) <{padding = dense<[[0, 0], [0, 0], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      %70 = stablehlo.add %arg6, %arg7 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<1x2x2x2xf64>, tensor<f64>) -> tensor<1x2x2x2xf64>
    %67 = stablehlo.reverse %66, dims = [2] : tensor<1x2x2x2xf64>
    %68 = stablehlo.divide %67, %cst_4 : tensor<1x2x2x2xf64>
    %69 = stablehlo.convolution(%68, %cst) dim_numbers = [b, f, 0, 1]x[0, 1, o, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x2x2xf64>, tensor<1x1x2x1xf64>) -> tensor<1x2x3x3xf64>
    return %39, %69, %64, %63 : tensor<f64>, tensor<1x2x3x3xf64>, tensor<4x2x2x2xf64>, tensor<2x2x2x2xf64>
  }
}
