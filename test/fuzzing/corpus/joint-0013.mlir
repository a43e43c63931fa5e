// joint graph of embedding → gram → gather → cross_entropy
// seed 13
// fuzz: plain close
// input 0: seed 3777 from -2 to 2
// input 1: seed 3069 from 0 to 2
// input 2: seed 491 from 0 to 1
// input 3: seed 2069 from 0 to 1
module {
  func.func @main(%arg0: tensor<3x6xf64>, %arg1: tensor<2xi64>, %arg2: tensor<3x2xi64>, %arg3: tensor<3xi64>) -> (tensor<f64>, tensor<3x6xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x6xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<3x1xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<3xf64>
    %c = stablehlo.constant dense<2> : tensor<i64>
    %c_2 = stablehlo.constant dense<-3> : tensor<i64>
    %c_3 = stablehlo.constant dense<-1> : tensor<2xi64>
    %c_4 = stablehlo.constant dense<3> : tensor<2xi64>
    %c_5 = stablehlo.constant dense<0> : tensor<2xi64>
    %c_6 = stablehlo.constant dense<0> : tensor<3x1xi64>
    %c_7 = stablehlo.constant dense<-100> : tensor<3x1xi64>
    %c_8 = stablehlo.constant dense<0> : tensor<3xi64>
    %c_9 = stablehlo.constant dense<-100> : tensor<3xi64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<3x6xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<2x2xf64>
    %cst_12 = stablehlo.constant dense<-1.000000e+00> : tensor<3x1xf64>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<3x2xf64>
    %cst_14 = stablehlo.constant dense<5.000000e-02> : tensor<f64>
    %cst_15 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_17 = stablehlo.constant dense<0> : tensor<i64>
    %cst_18 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<3x6xf64>, tensor<2xi64>) -> tensor<2x6xf64>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x6xf64>) -> tensor<6x2xf64>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x6xf64>, tensor<6x2xf64>) -> tensor<2x2xf64>
    %3 = stablehlo.reshape %arg2 : (tensor<3x2xi64>) -> tensor<3x2x1xi64>
    %4 = stablehlo.iota dim = 0 : tensor<2xi64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xi64>) -> tensor<3x2x1xi64>
    %6 = stablehlo.concatenate %3, %5, dim = 2 : (tensor<3x2x1xi64>, tensor<3x2x1xi64>) -> tensor<3x2x2xi64>
    %7 = "stablehlo.gather"(%2, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2xf64>, tensor<3x2x2xi64>) -> tensor<3x2xf64>
    %8 = stablehlo.reduce(%7 init: %cst_18) applies stablehlo.maximum across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %9 = stablehlo.reshape %8 : (tensor<3xf64>) -> tensor<3x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %11 = stablehlo.subtract %7, %10 : tensor<3x2xf64>
    %12 = stablehlo.exponential %11 : tensor<3x2xf64>
    %13 = stablehlo.reduce(%12 init: %cst_16) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %14 = stablehlo.reshape %13 : (tensor<3xf64>) -> tensor<3x1xf64>
    %15 = stablehlo.log %14 : tensor<3x1xf64>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %17 = stablehlo.subtract %11, %16 : tensor<3x2xf64>
    %18 = stablehlo.compare NE, %arg3, %c_9, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %19 = stablehlo.select %18, %arg3, %c_8 : tensor<3xi1>, tensor<3xi64>
    %20 = stablehlo.iota dim = 0 : tensor<3xi64>
    %21 = stablehlo.reshape %20 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %22 = stablehlo.reshape %19 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %23 = stablehlo.concatenate %21, %22, dim = 2 : (tensor<3x1x1xi64>, tensor<3x1x1xi64>) -> tensor<3x1x2xi64>
    %24 = "stablehlo.gather"(%17, %23) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x2xf64>, tensor<3x1x2xi64>) -> tensor<3x1xf64>
    %25 = stablehlo.reshape %24 : (tensor<3x1xf64>) -> tensor<3xf64>
    %26 = stablehlo.negate %25 : tensor<3xf64>
    %27 = stablehlo.select %18, %26, %cst_1 : tensor<3xi1>, tensor<3xf64>
    %28 = stablehlo.convert %18 : (tensor<3xi1>) -> tensor<3xi64>
    %29 = stablehlo.reduce(%28 init: %c_17) applies stablehlo.add across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    %30 = stablehlo.convert %29 : (tensor<i64>) -> tensor<f64>
    %31 = stablehlo.reduce(%27 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %32 = stablehlo.divide %31, %30 : tensor<f64>
    %33 = stablehlo.reduce(%17 init: %cst_16) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %34 = stablehlo.negate %33 : tensor<3xf64>
    %35 = stablehlo.compare EQ, %arg3, %c_9, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %36 = stablehlo.select %35, %cst_1, %34 : tensor<3xi1>, tensor<3xf64>
    %37 = stablehlo.not %35 : tensor<3xi1>
    %38 = stablehlo.convert %37 : (tensor<3xi1>) -> tensor<3xi64>
    %39 = stablehlo.reduce(%38 init: %c_17) applies stablehlo.add across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    %40 = stablehlo.reduce(%36 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %41 = stablehlo.convert %39 : (tensor<i64>) -> tensor<f64>
    %42 = stablehlo.divide %40, %41 : tensor<f64>
    %43 = stablehlo.multiply %42, %cst_14 : tensor<f64>
    %44 = stablehlo.multiply %32, %cst_15 : tensor<f64>
    %45 = stablehlo.add %44, %43 : tensor<f64>
    %46 = stablehlo.divide %cst_14, %41 : tensor<f64>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %48 = stablehlo.select %35, %cst_1, %47 : tensor<3xi1>, tensor<3xf64>
    %49 = stablehlo.negate %48 : tensor<3xf64>
    %50 = stablehlo.reshape %49 : (tensor<3xf64>) -> tensor<3x1xf64>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %52 = stablehlo.divide %cst_15, %30 : tensor<f64>
    %53 = stablehlo.reshape %arg3 : (tensor<3xi64>) -> tensor<3x1xi64>
    %54 = stablehlo.compare NE, %53, %c_7, SIGNED : (tensor<3x1xi64>, tensor<3x1xi64>) -> tensor<3x1xi1>
    %55 = stablehlo.select %54, %53, %c_6 : tensor<3x1xi1>, tensor<3x1xi64>
    %56 = stablehlo.reshape %55 : (tensor<3x1xi64>) -> tensor<3x1x1xi64>
    %57 = stablehlo.concatenate %21, %56, dim = 2 : (tensor<3x1x1xi64>, tensor<3x1x1xi64>) -> tensor<3x1x2xi64>
    %58 = "stablehlo.scatter"(%cst_13, %57, %cst_12) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      stablehlo.return %arg5 : tensor<f64>
    }) : (tensor<3x2xf64>, tensor<3x1x2xi64>, tensor<3x1xf64>) -> tensor<3x2xf64>
    %59 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %60 = stablehlo.select %54, %59, %cst_0 : tensor<3x1xi1>, tensor<3x1xf64>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %62 = stablehlo.multiply %58, %61 : tensor<3x2xf64>
    %63 = stablehlo.add %51, %62 : tensor<3x2xf64>
    %64 = stablehlo.exponential %17 : tensor<3x2xf64>
    %65 = stablehlo.reduce(%63 init: %cst_16) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %66 = stablehlo.reshape %65 : (tensor<3xf64>) -> tensor<3x1xf64>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %68 = stablehlo.multiply %64, %67 : tensor<3x2xf64>
    %69 = stablehlo.subtract %63, %68 : tensor<3x2xf64>
    %70 = "stablehlo.scatter"(%cst_11, %6, %69) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %89 = stablehlo.add %arg4, %arg5 : tensor<f64>
      stablehlo.return %89 : tensor<f64>
    }) : (tensor<2x2xf64>, tensor<3x2x2xi64>, tensor<3x2xf64>) -> tensor<2x2xf64>
    %71 = stablehlo.transpose %70, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %72 = stablehlo.dot_general %71, %0, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x6xf64>) -> tensor<2x6xf64>
    %73 = stablehlo.dot_general %70, %0, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x6xf64>) -> tensor<2x6xf64>
    %74 = stablehlo.add %73, %72 : tensor<2x6xf64>
    %75 = stablehlo.compare GE, %arg1, %c_5, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %76 = stablehlo.compare LT, %arg1, %c_4, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %77 = stablehlo.and %75, %76 : tensor<2xi1>
    %78 = stablehlo.compare NE, %arg1, %c_3, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %79 = stablehlo.and %77, %78 : tensor<2xi1>
    %80 = stablehlo.reshape %79 : (tensor<2xi1>) -> tensor<2x1xi1>
    %81 = stablehlo.clamp %c_2, %arg1, %c : (tensor<i64>, tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
    %82 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x6xi1>
    %83 = stablehlo.select %82, %74, %cst : tensor<2x6xi1>, tensor<2x6xf64>
    %84 = stablehlo.compare LT, %81, %c_5, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %85 = stablehlo.add %81, %c_4 : tensor<2xi64>
    %86 = stablehlo.select %84, %85, %81 : tensor<2xi1>, tensor<2xi64>
    %87 = stablehlo.reshape %86 : (tensor<2xi64>) -> tensor<2x1xi64>
    %88 = "stablehlo.scatter"(%cst_10, %87, %83) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %89 = stablehlo.add %arg4, %arg5 : tensor<f64>
      stablehlo.return %89 : tensor<f64>
    }) : (tensor<3x6xf64>, tensor<2x1xi64>, tensor<2x6xf64>) -> tensor<3x6xf64>
    return %45, %88 : tensor<f64>, tensor<3x6xf64>
  }
}
