// joint graph of gather → tril → matmul → split → cross_entropy
// seed 31
// fuzz: plain close
// input 0: seed 708 from -3 to 3
// input 1: seed 2415 from 0 to 1
// input 2: seed 8776 from -2 to 2
// input 3: seed 3357 from 0 to 2
module {
  func.func @main(%arg0: tensor<2x6xf64>, %arg1: tensor<2x6xi64>, %arg2: tensor<2x2xf64>, %arg3: tensor<2xi64>) -> (tensor<f64>, tensor<2x6xf64>, tensor<2x2xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<2x3xf64>
    %c = stablehlo.constant dense<0> : tensor<2x1xi64>
    %c_2 = stablehlo.constant dense<-100> : tensor<2x1xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<2xi64>
    %c_4 = stablehlo.constant dense<-100> : tensor<2xi64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<2x6xf64>
    %cst_6 = stablehlo.constant dense<-1.000000e+00> : tensor<2x1xf64>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf64>
    %cst_8 = stablehlo.constant dense<0.033333333333333333> : tensor<f64>
    %cst_9 = stablehlo.constant dense<9.000000e-01> : tensor<f64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_11 = stablehlo.constant dense<0> : tensor<i64>
    %c_12 = stablehlo.constant dense<[[false, false, false, false, false, false], [true, false, false, false, false, false]]> : tensor<2x6xi1>
    %cst_13 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reshape %arg1 : (tensor<2x6xi64>) -> tensor<2x6x1xi64>
    %1 = stablehlo.iota dim = 0 : tensor<6xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<6xi64>) -> tensor<2x6x1xi64>
    %3 = stablehlo.concatenate %0, %2, dim = 2 : (tensor<2x6x1xi64>, tensor<2x6x1xi64>) -> tensor<2x6x2xi64>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x6xf64>, tensor<2x6x2xi64>) -> tensor<2x6xf64>
    %5 = stablehlo.select %c_12, %4, %cst_5 : tensor<2x6xi1>, tensor<2x6xf64>
    %6 = stablehlo.dot_general %arg2, %5, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x6xf64>) -> tensor<2x6xf64>
    %7 = stablehlo.slice %6 [0:2, 0:3] : (tensor<2x6xf64>) -> tensor<2x3xf64>
    %8 = stablehlo.slice %6 [0:2, 3:6] : (tensor<2x6xf64>) -> tensor<2x3xf64>
    %9 = stablehlo.multiply %8, %cst_1 : tensor<2x3xf64>
    %10 = stablehlo.subtract %7, %9 : tensor<2x3xf64>
    %11 = stablehlo.reduce(%10 init: %cst_13) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %12 = stablehlo.reshape %11 : (tensor<2xf64>) -> tensor<2x1xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %14 = stablehlo.subtract %10, %13 : tensor<2x3xf64>
    %15 = stablehlo.exponential %14 : tensor<2x3xf64>
    %16 = stablehlo.reduce(%15 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %17 = stablehlo.reshape %16 : (tensor<2xf64>) -> tensor<2x1xf64>
    %18 = stablehlo.log %17 : tensor<2x1xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %20 = stablehlo.subtract %14, %19 : tensor<2x3xf64>
    %21 = stablehlo.compare NE, %arg3, %c_4, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %22 = stablehlo.select %21, %arg3, %c_3 : tensor<2xi1>, tensor<2xi64>
    %23 = stablehlo.iota dim = 0 : tensor<2xi64>
    %24 = stablehlo.reshape %23 : (tensor<2xi64>) -> tensor<2x1x1xi64>
    %25 = stablehlo.reshape %22 : (tensor<2xi64>) -> tensor<2x1x1xi64>
    %26 = stablehlo.concatenate %24, %25, dim = 2 : (tensor<2x1x1xi64>, tensor<2x1x1xi64>) -> tensor<2x1x2xi64>
    %27 = "stablehlo.gather"(%20, %26) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf64>, tensor<2x1x2xi64>) -> tensor<2x1xf64>
    %28 = stablehlo.reshape %27 : (tensor<2x1xf64>) -> tensor<2xf64>
    %29 = stablehlo.negate %28 : tensor<2xf64>
    %30 = stablehlo.select %21, %29, %cst_0 : tensor<2xi1>, tensor<2xf64>
    %31 = stablehlo.convert %21 : (tensor<2xi1>) -> tensor<2xi64>
    %32 = stablehlo.reduce(%31 init: %c_11) applies stablehlo.add across dimensions = [0] : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %33 = stablehlo.convert %32 : (tensor<i64>) -> tensor<f64>
    %34 = stablehlo.reduce(%30 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %35 = stablehlo.divide %34, %33 : tensor<f64>
    %36 = stablehlo.reduce(%20 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %37 = stablehlo.negate %36 : tensor<2xf64>
    %38 = stablehlo.compare EQ, %arg3, %c_4, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %39 = stablehlo.select %38, %cst_0, %37 : tensor<2xi1>, tensor<2xf64>
    %40 = stablehlo.not %38 : tensor<2xi1>
    %41 = stablehlo.convert %40 : (tensor<2xi1>) -> tensor<2xi64>
    %42 = stablehlo.reduce(%41 init: %c_11) applies stablehlo.add across dimensions = [0] : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
    %43 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    %44 = stablehlo.convert %42 : (tensor<i64>) -> tensor<f64>
    %45 = stablehlo.divide %43, %44 : tensor<f64>
    %46 = stablehlo.multiply %45, %cst_8 : tensor<f64>
    %47 = stablehlo.multiply %35, %cst_9 : tensor<f64>
    %48 = stablehlo.add %47, %46 : tensor<f64>
    %49 = stablehlo.divide %cst_8, %44 : tensor<f64>
    %50 = stablehlo.broadcast_in_dim %49, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %51 = stablehlo.select %38, %cst_0, %50 : tensor<2xi1>, tensor<2xf64>
    %52 = stablehlo.negate %51 : tensor<2xf64>
    %53 = stablehlo.reshape %52 : (tensor<2xf64>) -> tensor<2x1xf64>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %55 = stablehlo.divide %cst_9, %33 : tensor<f64>
    %56 = stablehlo.reshape %arg3 : (tensor<2xi64>) -> tensor<2x1xi64>
    %57 = stablehlo.compare NE, %56, %c_2, SIGNED : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x1xi1>
    %58 = stablehlo.select %57, %56, %c : tensor<2x1xi1>, tensor<2x1xi64>
    %59 = stablehlo.reshape %58 : (tensor<2x1xi64>) -> tensor<2x1x1xi64>
    %60 = stablehlo.concatenate %24, %59, dim = 2 : (tensor<2x1x1xi64>, tensor<2x1x1xi64>) -> tensor<2x1x2xi64>
    %61 = "stablehlo.scatter"(%cst_7, %60, %cst_6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      stablehlo.return %arg5 : tensor<f64>
    }) : (tensor<2x3xf64>, tensor<2x1x2xi64>, tensor<2x1xf64>) -> tensor<2x3xf64>
    %62 = stablehlo.broadcast_in_dim %55, dims = [] : (tensor<f64>) -> tensor<2x1xf64>
    %63 = stablehlo.select %57, %62, %cst : tensor<2x1xi1>, tensor<2x1xf64>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %65 = stablehlo.multiply %61, %64 : tensor<2x3xf64>
    %66 = stablehlo.add %54, %65 : tensor<2x3xf64>
    %67 = stablehlo.exponential %20 : tensor<2x3xf64>
    %68 = stablehlo.reduce(%66 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %69 = stablehlo.reshape %68 : (tensor<2xf64>) -> tensor<2x1xf64>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %71 = stablehlo.multiply %67, %70 : tensor<2x3xf64>
    %72 = stablehlo.subtract %66, %71 : tensor<2x3xf64>
    %73 = stablehlo.negate %72 : tensor<2x3xf64>
    %74 = stablehlo.multiply %73, %cst_1 : tensor<2x3xf64>
    %75 = stablehlo.pad %74, %cst_10, low = [0, 3], high = [0, 0], interior = [0, 0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x6xf64>
    %76 = stablehlo.pad %72, %cst_10, low = [0, 0], high = [0, 3], interior = [0, 0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x6xf64>
    %77 = stablehlo.add %75, %76 : tensor<2x6xf64>
    %78 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2x2xf64>) -> tensor<2x2xf64>
    %79 = stablehlo.dot_general %78, %77, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x6xf64>) -> tensor<2x6xf64>
    %80 = stablehlo.transpose %5, dims = [1, 0] : (tensor<2x6xf64>) -> tensor<6x2xf64>
    %81 = stablehlo.dot_general %77, %80, contracting_dims = [1] x [0] : (tensor<2x6xf64>, tensor<6x2xf64>) -> tensor<2x2xf64>
    %82 = stablehlo.select %c_12, %79, %cst_5 : tensor<2x6xi1>, tensor<2x6xf64>
    %83 = "stablehlo.scatter"(%cst_5, %3, %82) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      %84 = stablehlo.add %arg4, %arg5 : tensor<f64>
      stablehlo.return %84 : tensor<f64>
    }) : (tensor<2x6xf64>, tensor<2x6x2xi64>, tensor<2x6xf64>) -> tensor<2x6xf64>
    return %48, %83, %81 : tensor<f64>, tensor<2x6xf64>, tensor<2x2xf64>
  }
}
