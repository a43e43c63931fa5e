// joint graph of max → cumsum → group_norm → gather → weighted_sum
// seed 0
// fuzz: plain close
// input 0: seed 4969 from -3 to 3
// input 1: seed 1553 from -2 to 2
// input 2: seed 4104 from -2 to 2
// input 3: seed 2407 from 0 to 1
// input 4: seed 1618 from -2 to 2
module {
  func.func @main(%arg0: tensor<5x4x4x2xf64>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>, %arg3: tensor<5x4x5xi64>, %arg4: tensor<5x4x5xf64>) -> (tensor<f64>, tensor<5x4x4x2xf64>, tensor<4xf64>, tensor<4xf64>, tensor<5x4x5xf64>) {
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<5x1x1x1xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<5x1x1xf64>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<5x1x1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<5x4x4x2xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<5x4x2xf64>
    %cst_4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.iota dim = 0 : tensor<4xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<4xi64>) -> tensor<5x4x4x2xi64>
    %2:2 = stablehlo.reduce(%arg0 init: %cst_4), (%1 init: %c) across dimensions = [2] : (tensor<5x4x4x2xf64>, tensor<5x4x4x2xi64>, tensor<f64>, tensor<i64>) -> (tensor<5x4x2xf64>, tensor<5x4x2xi64>)
     reducer(%arg5: tensor<f64>, %arg7: tensor<f64>) (%arg6: tensor<i64>, %arg8: tensor<i64>)  {
      %91 = stablehlo.compare GE, %arg5, %arg7, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %92 = stablehlo.select %91, %arg5, %arg7 : tensor<i1>, tensor<f64>
      %93 = stablehlo.compare EQ, %arg5, %arg7, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %94 = stablehlo.minimum %arg6, %arg8 : tensor<i64>
      %95 = stablehlo.select %91, %arg6, %arg8 : tensor<i1>, tensor<i64>
      %96 = stablehlo.select %93, %94, %95 : tensor<i1>, tensor<i64>
      stablehlo.return %92, %96 : tensor<f64>, tensor<i64>
    }
    %3 = "stablehlo.reduce_window"(%2#0, %cst_5) <{padding = dense<[[4, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 5, 1, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %91 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %91 : tensor<f64>
    }) : (tensor<5x4x2xf64>, tensor<f64>) -> tensor<5x4x2xf64>
    %4 = stablehlo.reshape %3 : (tensor<5x4x2xf64>) -> tensor<5x1x8xf64>
    %5 = stablehlo.reduce(%4 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<5x1x8xf64>, tensor<f64>) -> tensor<5x1xf64>
    %6 = stablehlo.reshape %5 : (tensor<5x1xf64>) -> tensor<5x1x1xf64>
    %7 = stablehlo.divide %6, %cst_1 : tensor<5x1x1xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<5x1x1xf64>) -> tensor<5x1x8xf64>
    %9 = stablehlo.subtract %4, %8 : tensor<5x1x8xf64>
    %10 = stablehlo.multiply %9, %9 : tensor<5x1x8xf64>
    %11 = stablehlo.reduce(%10 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<5x1x8xf64>, tensor<f64>) -> tensor<5x1xf64>
    %12 = stablehlo.reshape %11 : (tensor<5x1xf64>) -> tensor<5x1x1xf64>
    %13 = stablehlo.divide %12, %cst_1 : tensor<5x1x1xf64>
    %14 = stablehlo.add %13, %cst_0 : tensor<5x1x1xf64>
    %15 = stablehlo.rsqrt %14 : tensor<5x1x1xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<5x1x1xf64>) -> tensor<5x1x8xf64>
    %17 = stablehlo.multiply %9, %16 : tensor<5x1x8xf64>
    %18 = stablehlo.reshape %17 : (tensor<5x1x8xf64>) -> tensor<5x4x2xf64>
    %19 = stablehlo.reshape %arg1 : (tensor<4xf64>) -> tensor<4x1xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1, 2] : (tensor<4x1xf64>) -> tensor<5x4x2xf64>
    %21 = stablehlo.multiply %18, %20 : tensor<5x4x2xf64>
    %22 = stablehlo.reshape %arg2 : (tensor<4xf64>) -> tensor<4x1xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [1, 2] : (tensor<4x1xf64>) -> tensor<5x4x2xf64>
    %24 = stablehlo.add %21, %23 : tensor<5x4x2xf64>
    %25 = stablehlo.iota dim = 0 : tensor<5xi64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<5xi64>) -> tensor<5x4x5x1xi64>
    %27 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi64>) -> tensor<5x4x5x1xi64>
    %28 = stablehlo.reshape %arg3 : (tensor<5x4x5xi64>) -> tensor<5x4x5x1xi64>
    %29 = stablehlo.concatenate %26, %27, %28, dim = 3 : (tensor<5x4x5x1xi64>, tensor<5x4x5x1xi64>, tensor<5x4x5x1xi64>) -> tensor<5x4x5x3xi64>
    %30 = "stablehlo.gather"(%24, %29) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<5x4x2xf64>, tensor<5x4x5x3xi64>) -> tensor<5x4x5xf64>
    %31 = stablehlo.multiply %30, %arg4 : tensor<5x4x5xf64>
    %32 = stablehlo.reduce(%31 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<5x4x5xf64>, tensor<f64>) -> tensor<f64>
    %33 = "stablehlo.scatter"(%cst_3, %29, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %91 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %91 : tensor<f64>
    }) : (tensor<5x4x2xf64>, tensor<5x4x5x3xi64>, tensor<5x4x5xf64>) -> tensor<5x4x2xf64>
    %34 = stablehlo.reshape %3 : (tensor<5x4x2xf64>) -> tensor<5x1x4x2xf64>
    %35 = stablehlo.reshape %7 : (tensor<5x1x1xf64>) -> tensor<5x1x1x1xf64>
    %36 = stablehlo.reshape %15 : (tensor<5x1x1xf64>) -> tensor<5x1x1x1xf64>
    %37 = stablehlo.reshape %33 : (tensor<5x4x2xf64>) -> tensor<5x1x4x2xf64>
    %38 = stablehlo.multiply %37, %34 : tensor<5x1x4x2xf64>
    %39 = stablehlo.reduce(%38 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<5x1x4x2xf64>, tensor<f64>) -> tensor<5x1x4xf64>
    %40 = stablehlo.reshape %39 : (tensor<5x1x4xf64>) -> tensor<5x1x4x1xf64>
    %41 = stablehlo.reduce(%37 init: %cst_5) applies stablehlo.add across dimensions = [3] : (tensor<5x1x4x2xf64>, tensor<f64>) -> tensor<5x1x4xf64>
    %42 = stablehlo.reshape %41 : (tensor<5x1x4xf64>) -> tensor<5x1x4x1xf64>
    %43 = stablehlo.reshape %arg1 : (tensor<4xf64>) -> tensor<1x1x4x1xf64>
    %44 = stablehlo.multiply %36, %36 : tensor<5x1x1x1xf64>
    %45 = stablehlo.multiply %44, %36 : tensor<5x1x1x1xf64>
    %46 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<5x1x1x1xf64>) -> tensor<5x1x4x1xf64>
    %47 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x1x4x1xf64>) -> tensor<5x1x4x1xf64>
    %48 = stablehlo.multiply %46, %47 : tensor<5x1x4x1xf64>
    %49 = stablehlo.multiply %40, %47 : tensor<5x1x4x1xf64>
    %50 = stablehlo.reduce(%49 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<5x1x4x1xf64>, tensor<f64>) -> tensor<5x1x1xf64>
    %51 = stablehlo.reshape %50 : (tensor<5x1x1xf64>) -> tensor<5x1x1x1xf64>
    %52 = stablehlo.multiply %42, %47 : tensor<5x1x4x1xf64>
    %53 = stablehlo.reduce(%52 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<5x1x4x1xf64>, tensor<f64>) -> tensor<5x1x1xf64>
    %54 = stablehlo.reshape %53 : (tensor<5x1x1xf64>) -> tensor<5x1x1x1xf64>
    %55 = stablehlo.multiply %54, %35 : tensor<5x1x1x1xf64>
    %56 = stablehlo.subtract %55, %51 : tensor<5x1x1x1xf64>
    %57 = stablehlo.multiply %56, %45 : tensor<5x1x1x1xf64>
    %58 = stablehlo.multiply %57, %cst : tensor<5x1x1x1xf64>
    %59 = stablehlo.multiply %54, %36 : tensor<5x1x1x1xf64>
    %60 = stablehlo.multiply %59, %cst : tensor<5x1x1x1xf64>
    %61 = stablehlo.negate %58 : tensor<5x1x1x1xf64>
    %62 = stablehlo.multiply %61, %35 : tensor<5x1x1x1xf64>
    %63 = stablehlo.subtract %62, %60 : tensor<5x1x1x1xf64>
    %64 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<5x1x1x1xf64>) -> tensor<5x1x4x2xf64>
    %65 = stablehlo.multiply %64, %34 : tensor<5x1x4x2xf64>
    %66 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<5x1x4x1xf64>) -> tensor<5x1x4x2xf64>
    %67 = stablehlo.multiply %66, %37 : tensor<5x1x4x2xf64>
    %68 = stablehlo.add %67, %65 : tensor<5x1x4x2xf64>
    %69 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<5x1x1x1xf64>) -> tensor<5x1x4x2xf64>
    %70 = stablehlo.add %68, %69 : tensor<5x1x4x2xf64>
    %71 = stablehlo.reshape %70 : (tensor<5x1x4x2xf64>) -> tensor<5x4x2xf64>
    %72 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<5x1x1x1xf64>) -> tensor<5x1x4x1xf64>
    %73 = stablehlo.multiply %42, %72 : tensor<5x1x4x1xf64>
    %74 = stablehlo.subtract %40, %73 : tensor<5x1x4x1xf64>
    %75 = stablehlo.multiply %74, %46 : tensor<5x1x4x1xf64>
    %76 = stablehlo.reduce(%75 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<5x1x4x1xf64>, tensor<f64>) -> tensor<1x4x1xf64>
    %77 = stablehlo.reshape %76 : (tensor<1x4x1xf64>) -> tensor<4xf64>
    %78 = stablehlo.reduce(%42 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<5x1x4x1xf64>, tensor<f64>) -> tensor<1x4x1xf64>
    %79 = stablehlo.reshape %78 : (tensor<1x4x1xf64>) -> tensor<4xf64>
    %80 = stablehlo.reverse %71, dims = [0] : tensor<5x4x2xf64>
    %81 = "stablehlo.reduce_window"(%80, %cst_5) <{padding = dense<[[4, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 5, 1, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %91 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %91 : tensor<f64>
    }) : (tensor<5x4x2xf64>, tensor<f64>) -> tensor<5x4x2xf64>
    %82 = stablehlo.reverse %81, dims = [0] : tensor<5x4x2xf64>
    %83 = stablehlo.reshape %82 : (tensor<5x4x2xf64>) -> tensor<5x4x1x2xf64>
    %84 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<5xi64>) -> tensor<5x4x1x2x1xi64>
    %85 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi64>) -> tensor<5x4x1x2x1xi64>
    %86 = stablehlo.reshape %2#1 : (tensor<5x4x2xi64>) -> tensor<5x4x1x2x1xi64>
    %87 = stablehlo.iota dim = 0 : tensor<2xi64>
    %88 = stablehlo.broadcast_in_dim %87, dims = [3] : (tensor<2xi64>) -> tensor<5x4x1x2x1xi64>
    %89 = stablehlo.concatenate %84, %85, %86, %88, dim = 4 : (tensor<5x4x1x2x1xi64>, tensor<5x4x1x2x1xi64>, tensor<5x4x1x2x1xi64>, tensor<5x4x1x2x1xi64>) -> tensor<5x4x1x2x4xi64>
    %90 = "stablehlo.scatter"(%cst_2, %89, %83) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2, 3], scatter_dims_to_operand_dims = [0, 1, 2, 3], index_vector_dim = 4>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      stablehlo.return %arg6 : tensor<f64>
    }) : (tensor<5x4x4x2xf64>, tensor<5x4x1x2x4xi64>, tensor<5x4x1x2xf64>) -> tensor<5x4x4x2xf64>
    return %32, %90, %77, %79, %30 : tensor<f64>, tensor<5x4x4x2xf64>, tensor<4xf64>, tensor<4xf64>, tensor<5x4x5xf64>
  }
}
