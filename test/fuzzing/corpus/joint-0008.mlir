// joint graph of softmax → cat → logsumexp → cross_entropy
// seed 8
// fuzz: plain close
// input 0: seed 1395 from -3 to 3
// input 1: seed 9390 from 0 to 0
module {
  func.func @main(%arg0: tensor<2x6x1xf64>, %arg1: tensor<4xi64>) -> (tensor<f64>, tensor<2x6x1xf64>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x1xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4x1x1xf64>
    %cst_2 = stablehlo.constant dense<0x7FF0000000000000> : tensor<4x1x1xf64>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<2x6x1xf64>
    %c = stablehlo.constant dense<0> : tensor<4x1xi64>
    %c_4 = stablehlo.constant dense<-100> : tensor<4x1xi64>
    %c_5 = stablehlo.constant dense<0> : tensor<4xi64>
    %c_6 = stablehlo.constant dense<-100> : tensor<4xi64>
    %cst_7 = stablehlo.constant dense<-1.000000e+00> : tensor<4x1xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<4x1xf64>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_10 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst_10) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x1xf64>, tensor<f64>) -> tensor<2x6xf64>
    %1 = stablehlo.reshape %0 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %2 = stablehlo.subtract %arg0, %1 : tensor<2x6x1xf64>
    %3 = stablehlo.exponential %2 : tensor<2x6x1xf64>
    %4 = stablehlo.reduce(%3 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf64>, tensor<f64>) -> tensor<2x6xf64>
    %5 = stablehlo.reshape %4 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %6 = stablehlo.divide %3, %5 : tensor<2x6x1xf64>
    %7 = stablehlo.multiply %6, %cst_3 : tensor<2x6x1xf64>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<2x6x1xf64>, tensor<2x6x1xf64>) -> tensor<4x6x1xf64>
    %9 = stablehlo.reduce(%8 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    %10 = stablehlo.reshape %9 : (tensor<4x1xf64>) -> tensor<4x1x1xf64>
    %11 = stablehlo.abs %10 : tensor<4x1x1xf64>
    %12 = stablehlo.compare EQ, %11, %cst_2, FLOAT : (tensor<4x1x1xf64>, tensor<4x1x1xf64>) -> tensor<4x1x1xi1>
    %13 = stablehlo.select %12, %cst_1, %10 : tensor<4x1x1xi1>, tensor<4x1x1xf64>
    %14 = stablehlo.reshape %13 : (tensor<4x1x1xf64>) -> tensor<4x1xf64>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<4x1x1xf64>) -> tensor<4x6x1xf64>
    %16 = stablehlo.subtract %8, %15 : tensor<4x6x1xf64>
    %17 = stablehlo.exponential %16 : tensor<4x6x1xf64>
    %18 = stablehlo.reduce(%17 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<4x6x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    %19 = stablehlo.log %18 : tensor<4x1xf64>
    %20 = stablehlo.add %19, %14 : tensor<4x1xf64>
    %21 = stablehlo.reduce(%20 init: %cst_10) applies stablehlo.maximum across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %22 = stablehlo.reshape %21 : (tensor<4xf64>) -> tensor<4x1xf64>
    %23 = stablehlo.subtract %20, %22 : tensor<4x1xf64>
    %24 = stablehlo.exponential %23 : tensor<4x1xf64>
    %25 = stablehlo.reduce(%24 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %26 = stablehlo.reshape %25 : (tensor<4xf64>) -> tensor<4x1xf64>
    %27 = stablehlo.log %26 : tensor<4x1xf64>
    %28 = stablehlo.subtract %23, %27 : tensor<4x1xf64>
    %29 = stablehlo.compare NE, %arg1, %c_6, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %30 = stablehlo.select %29, %arg1, %c_5 : tensor<4xi1>, tensor<4xi64>
    %31 = stablehlo.iota dim = 0 : tensor<4xi64>
    %32 = stablehlo.reshape %31 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %33 = stablehlo.reshape %30 : (tensor<4xi64>) -> tensor<4x1x1xi64>
    %34 = stablehlo.concatenate %32, %33, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %35 = "stablehlo.gather"(%28, %34) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x1xf64>, tensor<4x1x2xi64>) -> tensor<4x1xf64>
    %36 = stablehlo.reshape %35 : (tensor<4x1xf64>) -> tensor<4xf64>
    %37 = stablehlo.negate %36 : tensor<4xf64>
    %38 = stablehlo.select %29, %37, %cst_0 : tensor<4xi1>, tensor<4xf64>
    %39 = stablehlo.reduce(%38 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %40 = stablehlo.reshape %arg1 : (tensor<4xi64>) -> tensor<4x1xi64>
    %41 = stablehlo.compare NE, %40, %c_4, SIGNED : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %42 = stablehlo.select %41, %40, %c : tensor<4x1xi1>, tensor<4x1xi64>
    %43 = stablehlo.reshape %42 : (tensor<4x1xi64>) -> tensor<4x1x1xi64>
    %44 = stablehlo.concatenate %32, %43, dim = 2 : (tensor<4x1x1xi64>, tensor<4x1x1xi64>) -> tensor<4x1x2xi64>
    %45 = "stablehlo.scatter"(%cst_8, %44, %cst_7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<4x1xf64>, tensor<4x1x2xi64>, tensor<4x1xf64>) -> tensor<4x1xf64>
    %46 = stablehlo.select %41, %cst, %cst_8 : tensor<4x1xi1>, tensor<4x1xf64>
    %47 = stablehlo.multiply %45, %46 : tensor<4x1xf64>
    %48 = stablehlo.exponential %28 : tensor<4x1xf64>
    %49 = stablehlo.reduce(%47 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf64>, tensor<f64>) -> tensor<4xf64>
    %50 = stablehlo.reshape %49 : (tensor<4xf64>) -> tensor<4x1xf64>
    %51 = stablehlo.multiply %48, %50 : tensor<4x1xf64>
    %52 = stablehlo.subtract %47, %51 : tensor<4x1xf64>
    %53 = stablehlo.reshape %52 : (tensor<4x1xf64>) -> tensor<4x1x1xf64>
    %54 = stablehlo.reshape %20 : (tensor<4x1xf64>) -> tensor<4x1x1xf64>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2] : (tensor<4x1x1xf64>) -> tensor<4x6x1xf64>
    %56 = stablehlo.subtract %8, %55 : tensor<4x6x1xf64>
    %57 = stablehlo.exponential %56 : tensor<4x6x1xf64>
    %58 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<4x1x1xf64>) -> tensor<4x6x1xf64>
    %59 = stablehlo.multiply %58, %57 : tensor<4x6x1xf64>
    %60 = stablehlo.slice %59 [0:2, 0:6, 0:1] : (tensor<4x6x1xf64>) -> tensor<2x6x1xf64>
    %61 = stablehlo.slice %59 [2:4, 0:6, 0:1] : (tensor<4x6x1xf64>) -> tensor<2x6x1xf64>
    %62 = stablehlo.multiply %61, %cst_3 : tensor<2x6x1xf64>
    %63 = stablehlo.add %60, %62 : tensor<2x6x1xf64>
    %64 = stablehlo.multiply %63, %6 : tensor<2x6x1xf64>
    %65 = stablehlo.reduce(%64 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf64>, tensor<f64>) -> tensor<2x6xf64>
    %66 = stablehlo.reshape %65 : (tensor<2x6xf64>) -> tensor<2x6x1xf64>
    %67 = stablehlo.multiply %6, %66 : tensor<2x6x1xf64>
    %68 = stablehlo.subtract %64, %67 : tensor<2x6x1xf64>
    return %39, %68 : tensor<f64>, tensor<2x6x1xf64>
  }
}
