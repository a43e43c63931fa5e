// joint graph of embedding → window_max → window_sum → group_norm → select → weighted_sum
// seed 72
// fuzz: plain close
// input 0: seed 8912 from -2 to 2
// input 1: seed 5616 from 0 to 2
// input 2: seed 1492 from -2 to 2
// input 3: seed 8285 from -2 to 2
// input 4: seed 5683 from -2 to 2
module {
  func.func @main(%arg0: tensor<3x3xf64>, %arg1: tensor<3x2xi64>, %arg2: tensor<1xf64>, %arg3: tensor<1xf64>, %arg4: tensor<1x3xf64>) -> (tensor<f64>, tensor<3x3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1x3xf64>) {
    %cst = stablehlo.constant dense<0.33333333333333331> : tensor<3x1x1x1xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<3x1x1xf64>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<3x1x1xf64>
    %c = stablehlo.constant dense<2> : tensor<i64>
    %c_2 = stablehlo.constant dense<-3> : tensor<i64>
    %c_3 = stablehlo.constant dense<-1> : tensor<3x2xi64>
    %c_4 = stablehlo.constant dense<3> : tensor<3x2xi64>
    %c_5 = stablehlo.constant dense<0> : tensor<3x2xi64>
    %c_6 = stablehlo.constant dense<2> : tensor<2xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<2xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<3x1x3x1xi64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<3x3xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<3x2x3xf64>
    %cst_12 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c_13 = stablehlo.constant dense<0> : tensor<i64>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<1x1x3xf64>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<3x3xf64>, tensor<3x2xi64>) -> tensor<3x2x3xf64>
    %1 = stablehlo.slice %0 [0:3, 0:1, 0:3] : (tensor<3x2x3xf64>) -> tensor<3x1x3xf64>
    %2 = stablehlo.reshape %1 : (tensor<3x1x3xf64>) -> tensor<3x3x1xf64>
    %3 = stablehlo.slice %0 [0:3, 1:2, 0:3] : (tensor<3x2x3xf64>) -> tensor<3x1x3xf64>
    %4 = stablehlo.reshape %3 : (tensor<3x1x3xf64>) -> tensor<3x3x1xf64>
    %5 = stablehlo.concatenate %2, %4, dim = 1 : (tensor<3x3x1xf64>, tensor<3x3x1xf64>) -> tensor<3x6x1xf64>
    %6 = stablehlo.reshape %5 : (tensor<3x6x1xf64>) -> tensor<3x2x3x1xf64>
    %7 = stablehlo.reduce(%6 init: %cst_12) applies stablehlo.maximum across dimensions = [3] : (tensor<3x2x3x1xf64>, tensor<f64>) -> tensor<3x2x3xf64>
    %8 = stablehlo.slice %7 [0:3, 0:1, 0:3] : (tensor<3x2x3xf64>) -> tensor<3x1x3xf64>
    %9 = stablehlo.reshape %8 : (tensor<3x1x3xf64>) -> tensor<3x1x3x1xf64>
    %10 = stablehlo.reduce(%9 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<3x1x3x1xf64>, tensor<f64>) -> tensor<3x1x3xf64>
    %11 = stablehlo.reduce(%10 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<3x1x3xf64>, tensor<f64>) -> tensor<3x1xf64>
    %12 = stablehlo.reshape %11 : (tensor<3x1xf64>) -> tensor<3x1x1xf64>
    %13 = stablehlo.divide %12, %cst_1 : tensor<3x1x1xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<3x1x1xf64>) -> tensor<3x1x3xf64>
    %15 = stablehlo.subtract %10, %14 : tensor<3x1x3xf64>
    %16 = stablehlo.multiply %15, %15 : tensor<3x1x3xf64>
    %17 = stablehlo.reduce(%16 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<3x1x3xf64>, tensor<f64>) -> tensor<3x1xf64>
    %18 = stablehlo.reshape %17 : (tensor<3x1xf64>) -> tensor<3x1x1xf64>
    %19 = stablehlo.divide %18, %cst_1 : tensor<3x1x1xf64>
    %20 = stablehlo.add %19, %cst_0 : tensor<3x1x1xf64>
    %21 = stablehlo.rsqrt %20 : tensor<3x1x1xf64>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<3x1x1xf64>) -> tensor<3x1x3xf64>
    %23 = stablehlo.multiply %15, %22 : tensor<3x1x3xf64>
    %24 = stablehlo.reshape %arg2 : (tensor<1xf64>) -> tensor<1x1xf64>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1, 2] : (tensor<1x1xf64>) -> tensor<3x1x3xf64>
    %26 = stablehlo.multiply %23, %25 : tensor<3x1x3xf64>
    %27 = stablehlo.reshape %arg3 : (tensor<1xf64>) -> tensor<1x1xf64>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<1x1xf64>) -> tensor<3x1x3xf64>
    %29 = stablehlo.add %26, %28 : tensor<3x1x3xf64>
    %30 = stablehlo.slice %29 [1:2, 0:1, 0:3] : (tensor<3x1x3xf64>) -> tensor<1x1x3xf64>
    %31 = stablehlo.reshape %30 : (tensor<1x1x3xf64>) -> tensor<1x3xf64>
    %32 = stablehlo.multiply %31, %arg4 : tensor<1x3xf64>
    %33 = stablehlo.reduce(%32 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x3xf64>, tensor<f64>) -> tensor<f64>
    %34 = stablehlo.reshape %arg4 : (tensor<1x3xf64>) -> tensor<1x1x3xf64>
    %35 = stablehlo.concatenate %cst_14, %34, %cst_14, dim = 0 : (tensor<1x1x3xf64>, tensor<1x1x3xf64>, tensor<1x1x3xf64>) -> tensor<3x1x3xf64>
    %36 = stablehlo.reshape %10 : (tensor<3x1x3xf64>) -> tensor<3x1x1x3xf64>
    %37 = stablehlo.reshape %13 : (tensor<3x1x1xf64>) -> tensor<3x1x1x1xf64>
    %38 = stablehlo.reshape %21 : (tensor<3x1x1xf64>) -> tensor<3x1x1x1xf64>
    %39 = stablehlo.reshape %35 : (tensor<3x1x3xf64>) -> tensor<3x1x1x3xf64>
    %40 = stablehlo.multiply %39, %36 : tensor<3x1x1x3xf64>
    %41 = stablehlo.reduce(%40 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<3x1x1x3xf64>, tensor<f64>) -> tensor<3x1x1xf64>
    %42 = stablehlo.reshape %41 : (tensor<3x1x1xf64>) -> tensor<3x1x1x1xf64>
    %43 = stablehlo.reduce(%39 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<3x1x1x3xf64>, tensor<f64>) -> tensor<3x1x1xf64>
    %44 = stablehlo.reshape %43 : (tensor<3x1x1xf64>) -> tensor<3x1x1x1xf64>
    %45 = stablehlo.reshape %arg2 : (tensor<1xf64>) -> tensor<1x1x1x1xf64>
    %46 = stablehlo.multiply %38, %38 : tensor<3x1x1x1xf64>
    %47 = stablehlo.multiply %46, %38 : tensor<3x1x1x1xf64>
    %48 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf64>) -> tensor<3x1x1x1xf64>
    %49 = stablehlo.multiply %38, %48 : tensor<3x1x1x1xf64>
    %50 = stablehlo.multiply %42, %48 : tensor<3x1x1x1xf64>
    %51 = stablehlo.reduce(%50 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<3x1x1x1xf64>, tensor<f64>) -> tensor<3x1x1xf64>
    %52 = stablehlo.reshape %51 : (tensor<3x1x1xf64>) -> tensor<3x1x1x1xf64>
    %53 = stablehlo.multiply %44, %48 : tensor<3x1x1x1xf64>
    %54 = stablehlo.reduce(%53 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<3x1x1x1xf64>, tensor<f64>) -> tensor<3x1x1xf64>
    %55 = stablehlo.reshape %54 : (tensor<3x1x1xf64>) -> tensor<3x1x1x1xf64>
    %56 = stablehlo.multiply %55, %37 : tensor<3x1x1x1xf64>
    %57 = stablehlo.subtract %56, %52 : tensor<3x1x1x1xf64>
    %58 = stablehlo.multiply %57, %47 : tensor<3x1x1x1xf64>
    %59 = stablehlo.multiply %58, %cst : tensor<3x1x1x1xf64>
    %60 = stablehlo.multiply %55, %38 : tensor<3x1x1x1xf64>
    %61 = stablehlo.multiply %60, %cst : tensor<3x1x1x1xf64>
    %62 = stablehlo.negate %59 : tensor<3x1x1x1xf64>
    %63 = stablehlo.multiply %62, %37 : tensor<3x1x1x1xf64>
    %64 = stablehlo.subtract %63, %61 : tensor<3x1x1x1xf64>
    %65 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xf64>) -> tensor<3x1x1x3xf64>
    %66 = stablehlo.multiply %65, %36 : tensor<3x1x1x3xf64>
    %67 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xf64>) -> tensor<3x1x1x3xf64>
    %68 = stablehlo.multiply %67, %39 : tensor<3x1x1x3xf64>
    %69 = stablehlo.add %68, %66 : tensor<3x1x1x3xf64>
    %70 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<3x1x1x1xf64>) -> tensor<3x1x1x3xf64>
    %71 = stablehlo.add %69, %70 : tensor<3x1x1x3xf64>
    %72 = stablehlo.multiply %44, %37 : tensor<3x1x1x1xf64>
    %73 = stablehlo.subtract %42, %72 : tensor<3x1x1x1xf64>
    %74 = stablehlo.multiply %73, %38 : tensor<3x1x1x1xf64>
    %75 = stablehlo.reduce(%74 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<3x1x1x1xf64>, tensor<f64>) -> tensor<1x1x1xf64>
    %76 = stablehlo.reshape %75 : (tensor<1x1x1xf64>) -> tensor<1xf64>
    %77 = stablehlo.reduce(%44 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<3x1x1x1xf64>, tensor<f64>) -> tensor<1x1x1xf64>
    %78 = stablehlo.reshape %77 : (tensor<1x1x1xf64>) -> tensor<1xf64>
    %79 = stablehlo.reshape %71 : (tensor<3x1x1x3xf64>) -> tensor<3x1x3xf64>
    %80 = stablehlo.iota dim = 0 : tensor<3xi64>
    %81 = stablehlo.reshape %80 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<3x1x1xi64>) -> tensor<3x1x3xi64>
    %83 = stablehlo.reshape %82 : (tensor<3x1x3xi64>) -> tensor<3x1x3x1xi64>
    %84 = stablehlo.broadcast_in_dim %80, dims = [2] : (tensor<3xi64>) -> tensor<3x1x3xi64>
    %85 = stablehlo.reshape %84 : (tensor<3x1x3xi64>) -> tensor<3x1x3x1xi64>
    %86 = stablehlo.concatenate %83, %c_8, %85, dim = 3 : (tensor<3x1x3x1xi64>, tensor<3x1x3x1xi64>, tensor<3x1x3x1xi64>) -> tensor<3x1x3x3xi64>
    %87 = "stablehlo.scatter"(%cst_11, %86, %79) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %127 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %127 : tensor<f64>
    }) : (tensor<3x2x3xf64>, tensor<3x1x3x3xi64>, tensor<3x1x3xf64>) -> tensor<3x2x3xf64>
    %88 = stablehlo.reshape %7 : (tensor<3x2x3xf64>) -> tensor<3x2x3x1xf64>
    %89 = stablehlo.compare EQ, %88, %6, FLOAT : (tensor<3x2x3x1xf64>, tensor<3x2x3x1xf64>) -> tensor<3x2x3x1xi1>
    %90 = stablehlo.reshape %87 : (tensor<3x2x3xf64>) -> tensor<3x2x3x1xf64>
    %91 = stablehlo.convert %89 : (tensor<3x2x3x1xi1>) -> tensor<3x2x3x1xi64>
    %92 = stablehlo.reduce(%91 init: %c_13) applies stablehlo.add across dimensions = [3] : (tensor<3x2x3x1xi64>, tensor<i64>) -> tensor<3x2x3xi64>
    %93 = stablehlo.reshape %92 : (tensor<3x2x3xi64>) -> tensor<3x2x3x1xi64>
    %94 = stablehlo.convert %93 : (tensor<3x2x3x1xi64>) -> tensor<3x2x3x1xf64>
    %95 = stablehlo.divide %90, %94 : tensor<3x2x3x1xf64>
    %96 = stablehlo.convert %89 : (tensor<3x2x3x1xi1>) -> tensor<3x2x3x1xf64>
    %97 = stablehlo.multiply %95, %96 : tensor<3x2x3x1xf64>
    %98 = stablehlo.iota dim = 0 : tensor<2xi32>
    %99 = stablehlo.reshape %97 : (tensor<3x2x3x1xf64>) -> tensor<3x2x3xf64>
    %100 = stablehlo.compare LT, %98, %c_7, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %101 = stablehlo.add %98, %c_6 : tensor<2xi32>
    %102 = stablehlo.select %100, %101, %98 : tensor<2xi1>, tensor<2xi32>
    %103 = stablehlo.reshape %102 : (tensor<2xi32>) -> tensor<2x1xi32>
    %104 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<3x1x1xi64>) -> tensor<3x2x3xi64>
    %105 = stablehlo.reshape %104 : (tensor<3x2x3xi64>) -> tensor<3x2x3x1xi64>
    %106 = stablehlo.convert %103 : (tensor<2x1xi32>) -> tensor<2x1xi64>
    %107 = stablehlo.broadcast_in_dim %106, dims = [1, 2] : (tensor<2x1xi64>) -> tensor<3x2x3xi64>
    %108 = stablehlo.reshape %107 : (tensor<3x2x3xi64>) -> tensor<3x2x3x1xi64>
    %109 = stablehlo.broadcast_in_dim %80, dims = [2] : (tensor<3xi64>) -> tensor<3x2x3xi64>
    %110 = stablehlo.reshape %109 : (tensor<3x2x3xi64>) -> tensor<3x2x3x1xi64>
    %111 = stablehlo.concatenate %105, %108, %110, dim = 3 : (tensor<3x2x3x1xi64>, tensor<3x2x3x1xi64>, tensor<3x2x3x1xi64>) -> tensor<3x2x3x3xi64>
    %112 = "stablehlo.scatter"(%cst_11, %111, %99) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1, 2], scatter_dims_to_operand_dims = [0, 1, 2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %127 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %127 : tensor<f64>
    }) : (tensor<3x2x3xf64>, tensor<3x2x3x3xi64>, tensor<3x2x3xf64>) -> tensor<3x2x3xf64>
    %113 = stablehlo.compare GE, %arg1, %c_5, SIGNED : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi1>
    %114 = stablehlo.compare LT, %arg1, %c_4, SIGNED : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi1>
    %115 = stablehlo.and %113, %114 : tensor<3x2xi1>
    %116 = stablehlo.compare NE, %arg1, %c_3, SIGNED : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi1>
    %117 = stablehlo.and %115, %116 : tensor<3x2xi1>
    %118 = stablehlo.reshape %117 : (tensor<3x2xi1>) -> tensor<3x2x1xi1>
    %119 = stablehlo.clamp %c_2, %arg1, %c : (tensor<i64>, tensor<3x2xi64>, tensor<i64>) -> tensor<3x2xi64>
    %120 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<3x2x1xi1>) -> tensor<3x2x3xi1>
    %121 = stablehlo.select %120, %112, %cst_11 : tensor<3x2x3xi1>, tensor<3x2x3xf64>
    %122 = stablehlo.compare LT, %119, %c_5, SIGNED : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi1>
    %123 = stablehlo.add %119, %c_4 : tensor<3x2xi64>
    %124 = stablehlo.select %122, %123, %119 : tensor<3x2xi1>, tensor<3x2xi64>
    %125 = stablehlo.reshape %124 : (tensor<3x2xi64>) -> tensor<3x2x1xi64>
    %126 = "stablehlo.scatter"(%cst_10, %125, %121) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f64>, %arg6: tensor<f64>):
      %127 = stablehlo.add %arg5, %arg6 : tensor<f64>
      stablehlo.return %127 : tensor<f64>
    }) : (tensor<3x3xf64>, tensor<3x2x1xi64>, tensor<3x2x3xf64>) -> tensor<3x3xf64>
    return %33, %126, %76, %78, %31 : tensor<f64>, tensor<3x3xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1x3xf64>
  }
}
