// joint graph of embedding → index_add → split → attention → weighted_sum
// seed 151
// fuzz: plain close
// input 0: seed 4624 from -2 to 2
// input 1: seed 8018 from 0 to 3
// input 2: seed 7499 from 0 to 0
// input 3: seed 1754 from -2 to 2
// input 4: seed 9151 from -2 to 2
module {
  func.func @main(%arg0: tensor<4x3xf64>, %arg1: tensor<1x4xi64>, %arg2: tensor<1xi64>, %arg3: tensor<1x4x3xf64>, %arg4: tensor<1x2x3xf64>) -> (tensor<f64>, tensor<4x3xf64>, tensor<1x4x3xf64>, tensor<1x2x3xf64>) {
    %cst = stablehlo.constant dense<[[0.000000e+00, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00]]> : tensor<2x2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<1x4x3xf64>
    %cst_1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<1x2x2xf64>
    %cst_2 = stablehlo.constant dense<0.75983568565159265> : tensor<1x3x2xf64>
    %cst_3 = stablehlo.constant dense<0.75983568565159265> : tensor<1x2x3xf64>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<1x2x3xf64>
    %c = stablehlo.constant dense<3> : tensor<i64>
    %c_5 = stablehlo.constant dense<-4> : tensor<i64>
    %c_6 = stablehlo.constant dense<-1> : tensor<1x4xi64>
    %c_7 = stablehlo.constant dense<4> : tensor<1x4xi64>
    %c_8 = stablehlo.constant dense<0> : tensor<1x4xi64>
    %c_9 = stablehlo.constant dense<1> : tensor<1xi64>
    %c_10 = stablehlo.constant dense<0> : tensor<1xi64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<1x2x2xf64>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_14 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c_15 = stablehlo.constant dense<true> : tensor<i1>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf64>, tensor<1x4xi64>) -> tensor<1x4x3xf64>
    %1 = stablehlo.compare LT, %arg2, %c_10, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %2 = stablehlo.add %arg2, %c_9 : tensor<1xi64>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<1xi1>, tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<1x1xi64>
    %5 = "stablehlo.scatter"(%0, %4, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %70 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<1x4x3xf64>, tensor<1x1xi64>, tensor<1x4x3xf64>) -> tensor<1x4x3xf64>
    %6 = stablehlo.slice %5 [0:1, 0:2, 0:3] : (tensor<1x4x3xf64>) -> tensor<1x2x3xf64>
    %7 = stablehlo.slice %5 [0:1, 2:4, 0:3] : (tensor<1x4x3xf64>) -> tensor<1x2x3xf64>
    %8 = stablehlo.multiply %7, %cst_4 : tensor<1x2x3xf64>
    %9 = stablehlo.subtract %6, %8 : tensor<1x2x3xf64>
    %10 = stablehlo.multiply %9, %cst_3 : tensor<1x2x3xf64>
    %11 = stablehlo.transpose %9, dims = [0, 2, 1] : (tensor<1x2x3xf64>) -> tensor<1x3x2xf64>
    %12 = stablehlo.multiply %11, %cst_2 : tensor<1x3x2xf64>
    %13 = stablehlo.dot_general %10, %12, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x3xf64>, tensor<1x3x2xf64>) -> tensor<1x2x2xf64>
    %14 = stablehlo.reshape %cst : (tensor<2x2xf64>) -> tensor<1x2x2xf64>
    %15 = stablehlo.add %13, %14 : tensor<1x2x2xf64>
    %16 = stablehlo.reduce(%15 init: %cst_14) applies stablehlo.maximum across dimensions = [2] : (tensor<1x2x2xf64>, tensor<f64>) -> tensor<1x2xf64>
    %17 = stablehlo.reshape %16 : (tensor<1x2xf64>) -> tensor<1x2x1xf64>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x2x1xf64>) -> tensor<1x2x2xf64>
    %19 = stablehlo.subtract %15, %18 : tensor<1x2x2xf64>
    %20 = stablehlo.exponential %19 : tensor<1x2x2xf64>
    %21 = stablehlo.reduce(%20 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<1x2x2xf64>, tensor<f64>) -> tensor<1x2xf64>
    %22 = stablehlo.reshape %21 : (tensor<1x2xf64>) -> tensor<1x2x1xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x2x1xf64>) -> tensor<1x2x2xf64>
    %24 = stablehlo.divide %20, %23 : tensor<1x2x2xf64>
    %25 = stablehlo.compare EQ, %15, %cst_1, FLOAT : (tensor<1x2x2xf64>, tensor<1x2x2xf64>) -> tensor<1x2x2xi1>
    %26 = stablehlo.reduce(%25 init: %c_15) applies stablehlo.and across dimensions = [2] : (tensor<1x2x2xi1>, tensor<i1>) -> tensor<1x2xi1>
    %27 = stablehlo.reshape %26 : (tensor<1x2xi1>) -> tensor<1x2x1xi1>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x2x1xi1>) -> tensor<1x2x2xi1>
    %29 = stablehlo.select %28, %cst_12, %24 : tensor<1x2x2xi1>, tensor<1x2x2xf64>
    %30 = stablehlo.dot_general %29, %9, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x2xf64>, tensor<1x2x3xf64>) -> tensor<1x2x3xf64>
    %31 = stablehlo.multiply %30, %arg4 : tensor<1x2x3xf64>
    %32 = stablehlo.reduce(%31 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x2x3xf64>, tensor<f64>) -> tensor<f64>
    %33 = stablehlo.transpose %29, dims = [0, 2, 1] : (tensor<1x2x2xf64>) -> tensor<1x2x2xf64>
    %34 = stablehlo.dot_general %33, %arg4, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x2xf64>, tensor<1x2x3xf64>) -> tensor<1x2x3xf64>
    %35 = stablehlo.dot_general %arg4, %11, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x3xf64>, tensor<1x3x2xf64>) -> tensor<1x2x2xf64>
    %36 = stablehlo.multiply %35, %29 : tensor<1x2x2xf64>
    %37 = stablehlo.reduce(%36 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<1x2x2xf64>, tensor<f64>) -> tensor<1x2xf64>
    %38 = stablehlo.reshape %37 : (tensor<1x2xf64>) -> tensor<1x2x1xf64>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<1x2x1xf64>) -> tensor<1x2x2xf64>
    %40 = stablehlo.multiply %29, %39 : tensor<1x2x2xf64>
    %41 = stablehlo.subtract %36, %40 : tensor<1x2x2xf64>
    %42 = stablehlo.transpose %10, dims = [0, 2, 1] : (tensor<1x2x3xf64>) -> tensor<1x3x2xf64>
    %43 = stablehlo.dot_general %42, %41, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x3x2xf64>, tensor<1x2x2xf64>) -> tensor<1x3x2xf64>
    %44 = stablehlo.transpose %12, dims = [0, 2, 1] : (tensor<1x3x2xf64>) -> tensor<1x2x3xf64>
    %45 = stablehlo.dot_general %41, %44, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x2xf64>, tensor<1x2x3xf64>) -> tensor<1x2x3xf64>
    %46 = stablehlo.multiply %43, %cst_2 : tensor<1x3x2xf64>
    %47 = stablehlo.transpose %46, dims = [0, 2, 1] : (tensor<1x3x2xf64>) -> tensor<1x2x3xf64>
    %48 = stablehlo.add %34, %47 : tensor<1x2x3xf64>
    %49 = stablehlo.multiply %45, %cst_3 : tensor<1x2x3xf64>
    %50 = stablehlo.add %48, %49 : tensor<1x2x3xf64>
    %51 = stablehlo.negate %50 : tensor<1x2x3xf64>
    %52 = stablehlo.multiply %51, %cst_4 : tensor<1x2x3xf64>
    %53 = stablehlo.pad %52, %cst_13, low = [0, 2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x2x3xf64>, tensor<f64>) -> tensor<1x4x3xf64>
    %54 = stablehlo.pad %50, %cst_13, low = [0, 0, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<1x2x3xf64>, tensor<f64>) -> tensor<1x4x3xf64>
    %55 = stablehlo.add %53, %54 : tensor<1x4x3xf64>
    %56 = stablehlo.compare GE, %arg1, %c_8, SIGNED : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %57 = stablehlo.compare LT, %arg1, %c_7, SIGNED : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %58 = stablehlo.and %56, %57 : tensor<1x4xi1>
    %59 = stablehlo.compare NE, %arg1, %c_6, SIGNED : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %60 = stablehlo.and %58, %59 : tensor<1x4xi1>
    %61 = stablehlo.reshape %60 : (tensor<1x4xi1>) -> tensor<1x4x1xi1>
    %62 = stablehlo.clamp %c_5, %arg1, %c : (tensor<i64>, tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
    %63 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x4x1xi1>) -> tensor<1x4x3xi1>
    %64 = stablehlo.select %63, %55, %cst_0 : tensor<1x4x3xi1>, tensor<1x4x3xf64>
    %65 = stablehlo.compare LT, %62, %c_8, SIGNED : (tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<1x4xi1>
    %66 = stablehlo.add %62, %c_7 : tensor<1x4xi64>
    %67 = stablehlo.select %65, %66, %62 : tensor<1x4xi1>, tensor<1x4xi64>
    %68 = stablehlo.reshape %67 : (tensor<1x4xi64>) -> tensor<1x4x1xi64>
    %69 = "stablehlo.scatter"(%cst_11, %68, %64) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %70 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %70 : tensor<f64>
    }) : (tensor<4x3xf64>, tensor<1x4x1xi64>, tensor<1x4x3xf64>) -> tensor<4x3xf64>
    return %32, %69, %55, %30 : tensor<f64>, tensor<4x3xf64>, tensor<1x4x3xf64>, tensor<1x2x3xf64>
  }
}
