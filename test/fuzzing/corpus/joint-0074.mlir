// joint graph of multiply → conv → conv → index_put → linear → cross_entropy
// seed 74
// fuzz: plain close
// input 0: seed 3548 from -3 to 3
// input 1: seed 4552 from -2 to 2
// input 2: seed 7183 from -2 to 2
// input 3: seed 2614 from -2 to 2
// input 4: seed 3557 from 0 to 0
// input 5: seed 5464 from -2 to 2
// input 6: seed 1728 from -2 to 2
// input 7: seed 9287 from -2 to 2
// input 8: seed 6486 from 0 to 0
module {
  func.func @main(%arg0: tensor<1x7x3x2xf64>, %arg1: tensor<1x7x3x2xf64>, %arg2: tensor<7x2x3x1xf64>, %arg3: tensor<2x1x2x2xf64>, %arg4: tensor<1xi64>, %arg5: tensor<1x2x2x1xf64>, %arg6: tensor<1x1xf64>, %arg7: tensor<1xf64>, %arg8: tensor<4xi64>) -> (tensor<f64>, tensor<1x7x3x2xf64>, tensor<1x7x3x2xf64>, tensor<7x2x3x1xf64>, tensor<2x1x2x2xf64>, tensor<1x2x2x1xf64>, tensor<1x1xf64>, tensor<1xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf64>
    %c = stablehlo.constant dense<0> : tensor<4x1xi64>
    %c_0 = stablehlo.constant dense<-100> : tensor<4x1xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<4xi64>
    %c_2 = stablehlo.constant dense<-100> : tensor<4xi64>
    %c_3 = stablehlo.constant dense<1> : tensor<1xi64>
    %c_4 = stablehlo.constant dense<0> : tensor<1xi64>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<4x1xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<4x1xf64>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %cst_10 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<1x7x3x2xf64>
    %1 = stablehlo.transpose %arg2, dims = [2, 3, 1, 0] : (tensor<7x2x3x1xf64>) -> tensor<3x1x2x7xf64>
    %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<3x1x2x7xf64>
    %3 = stablehlo.convolution(%0, %2) dim_numbers = [b, f, 0, 1]x[0, 1, o, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x3x2xf64>, tensor<3x1x2x7xf64>) -> tensor<1x2x5x2xf64>
    %4 = stablehlo.convolution(%3, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [3, 3], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x5x2xf64>, tensor<2x1x2x2xf64>) -> tensor<1x2x2x1xf64>
    %5 = stablehlo.compare LT, %arg4, %c_4, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %6 = stablehlo.add %arg4, %c_3 : tensor<1xi64>
    %7 = stablehlo.select %5, %6, %arg4 : tensor<1xi1>, tensor<1xi64>
    %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<1x1xi64>
    %9 = "stablehlo.scatter"(%4, %8, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f64>, %arg10: tensor<f64>):
      %75 = stablehlo.add %arg9, %arg10 : tensor<f64>
      stablehlo.return %75 : tensor<f64>
    }) : (tensor<1x2x2x1xf64>, tensor<1x1xi64>, tensor<1x2x2x1xf64>) -> tensor<1x2x2x1xf64>
    %10 = stablehlo.reshape %9 : (tensor<1x2x2x1xf64>) -> tensor<4x1xf64>
    %11 = stablehlo.dot_general %10, %arg6, contracting_dims = [1] x [0] : (tensor<4x1xf64>, tensor<1x1xf64>) -> tensor<4x1xf64>
    %12 = stablehlo.reshape %11 : (tensor<4x1xf64>) -> tensor<1x2x2x1xf64>
    %13 = stablehlo.broadcast_in_dim %arg7, dims = [3] : (tensor<1xf64>) -> tensor<1x2x2x1xf64>
    %14 = stablehlo.add %12, %13 : tensor<1x2x2x1xf64>
    %15 = stablehlo.reshape %14 : (tensor<1x2x2x1xf64>) -> tensor<4x1xf64>
    %16 = stablehlo.reduce(%15 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %17 = stablehlo.reshape %16 : (tensor<4xf64>) -> tensor<4x1xf64>
    %18 = stablehlo.subtract %15, %17 : tensor<4x1xf64>
    %19 = stablehlo.exponential %18 : tensor<4x1xf64>
    %20 = stablehlo.reduce(%19 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %21 = stablehlo.reshape %20 : (tensor<4xf64>) -> tensor<4x1xf64>
    %22 = stablehlo.log %21 : tensor<4x1xf64>
    %23 = stablehlo.subtract %18, %22 : tensor<4x1xf64>
    %24 = stablehlo.compare NE, %arg8, %c_2, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %25 = stablehlo.select %24, %arg8, %c_1 : tensor<4xi1>, tensor<4xi64>
    %26 = stablehlo.iota dim = 0 : tensor<4xi64>
    %27 = stablehlo.reshape %26 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %28 = stablehlo.reshape %25 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %29 = stablehlo.concatenate %27, %28, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %30 = "stablehlo.gather"(%23, %29) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x1xf64>, tensor<4x1x2xi64>) -> tensor<4x1xf64>
    %31 = stablehlo.reshape %30 : (tensor<4x1xf64>) -> tensor<4xf64>
    %32 = stablehlo.negate %31 : tensor<4xf64>
    %33 = stablehlo.select %24, %32, %cst : tensor<4xi1>, tensor<4xf64>
    %34 = stablehlo.convert %24 : (tensor<4xi1>) -> tensor<4xi64>
    %35 = stablehlo.reduce(%34 init: %c_9) applies stablehlo.add across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
    %36 = stablehlo.convert %35 : (tensor<i64>) -> tensor<f64>
    %37 = stablehlo.reduce(%33 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %38 = stablehlo.divide %37, %36 : tensor<f64>
    %39 = stablehlo.divide %cst_7, %36 : tensor<f64>
    %40 = stablehlo.reshape %arg8 : (tensor<4xi64>) -> tensor<4x1xi64>
    %41 = stablehlo.compare NE, %40, %c_0, SIGNED : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %42 = stablehlo.select %41, %40, %c : tensor<4x1xi1>, tensor<4x1xi64>
    %43 = stablehlo.reshape %42 : (tensor<4x1xi64>) -> tensor<4x1x1xi64>
    %44 = stablehlo.concatenate %27, %43, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %45 = "stablehlo.scatter"(%cst_6, %44, %cst_5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f64>, %arg10: tensor<f64>):
      stablehlo.return %arg10 : tensor<f64>
    }) : (tensor<4x1xf64>, tensor<4x1x2xi64>, tensor<4x1xf64>) -> tensor<4x1xf64>
    %46 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f64>) -> tensor<4x1xf64>
    %47 = stablehlo.select %41, %46, %cst_6 : tensor<4x1xi1>, tensor<4x1xf64>
    %48 = stablehlo.multiply %45, %47 : tensor<4x1xf64>
    %49 = stablehlo.exponential %23 : tensor<4x1xf64>
    %50 = stablehlo.reduce(%48 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %51 = stablehlo.reshape %50 : (tensor<4xf64>) -> tensor<4x1xf64>
    %52 = stablehlo.multiply %49, %51 : tensor<4x1xf64>
    %53 = stablehlo.subtract %48, %52 : tensor<4x1xf64>
    %54 = stablehlo.reshape %53 : (tensor<4x1xf64>) -> tensor<1x2x2x1xf64>
    %55 = stablehlo.reduce(%54 init: %cst_8) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x2x2x1xf64>, tensor<f64>) -> tensor<1xf64>
    %56 = stablehlo.reshape %53 : (tensor<4x1xf64>) -> tensor<1x4xf64>
    %57 = stablehlo.dot_general %56, %10, contracting_dims = [1] x [0] : (tensor<1x4xf64>, tensor<4x1xf64>) -> tensor<1x1xf64>
    %58 = stablehlo.dot_general %53, %arg6, contracting_dims = [1] x [0] : (tensor<4x1xf64>, tensor<1x1xf64>) -> tensor<4x1xf64>
    %59 = stablehlo.reshape %58 : (tensor<4x1xf64>) -> tensor<1x2x2x1xf64>
    %60 = "stablehlo.gather"(%59, %8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 2, 1>}> : (tensor<1x2x2x1xf64>, tensor<1x1xi64>) -> tensor<1x2x2x1xf64>
    %61 = stablehlo.transpose %arg3, dims = [2, 3, 1, 0] : (tensor<2x1x2x2xf64>) -> tensor<2x2x1x2xf64>
    %62 = stablehlo.reverse %61, dims = [0, 1] : tensor<2x2x1x2xf64>
    %63 = stablehlo.reshape %62 : (tensor<2x2x1x2xf64>) -> tensor<2x2x2x1xf64>
    %64 = stablehlo.convolution(%59, %63) dim_numbers = [b, f, 0, 1]x[0, 1, o, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [3, 3], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x2x1xf64>, tensor<2x2x2x1xf64>) -> tensor<1x2x5x2xf64>
    %65 = stablehlo.reshape %58 : (tensor<4x1xf64>) -> tensor<2x1x2x1xf64>
    %66 = stablehlo.convolution(%3, %65) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [3, 3]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x5x2xf64>, tensor<2x1x2x1xf64>) -> tensor<1x2x2x2xf64>
    %67 = stablehlo.reshape %66 : (tensor<1x2x2x2xf64>) -> tensor<2x1x2x2xf64>
    %68 = stablehlo.convolution(%64, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x2xf64>, tensor<7x2x3x1xf64>) -> tensor<1x7x3x2xf64>
    %69 = stablehlo.reshape %64 : (tensor<1x2x5x2xf64>) -> tensor<2x1x5x2xf64>
    %70 = stablehlo.reshape %0 : (tensor<1x7x3x2xf64>) -> tensor<7x1x3x2xf64>
    %71 = stablehlo.convolution(%69, %70) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x5x2xf64>, tensor<7x1x3x2xf64>) -> tensor<2x7x3x1xf64>
    %72 = stablehlo.transpose %71, dims = [1, 0, 2, 3] : (tensor<2x7x3x1xf64>) -> tensor<7x2x3x1xf64>
    %73 = stablehlo.multiply %68, %arg0 : tensor<1x7x3x2xf64>
    %74 = stablehlo.multiply %68, %arg1 : tensor<1x7x3x2xf64>
    return %38, %74, %73, %72, %67, %60, %57, %55 : tensor<f64>, tensor<1x7x3x2xf64>, tensor<1x7x3x2xf64>, tensor<7x2x3x1xf64>, tensor<2x1x2x2xf64>, tensor<1x2x2x1xf64>, tensor<1x1xf64>, tensor<1xf64>
  }
}
