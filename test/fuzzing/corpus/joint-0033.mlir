// joint graph of cat → attention → nll_loss
// seed 33
// fuzz: plain close
// input 0: seed 7847 from -3 to 3
// input 1: seed 8247 from 0 to 5
module {
  func.func @main(%arg0: tensor<7x7x3xf64>, %arg1: tensor<49xi64>) -> (tensor<f64>, tensor<7x7x3xf64>) {
    %cst = stablehlo.constant dense<[[0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<7x7xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<49x1xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<49x1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<49xf64>
    %cst_3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<7x7x7xf64>
    %cst_4 = stablehlo.constant dense<0.63894310424627254> : tensor<7x6x7xf64>
    %cst_5 = stablehlo.constant dense<0.63894310424627254> : tensor<7x7x6xf64>
    %c = stablehlo.constant dense<0> : tensor<49x1xi64>
    %c_6 = stablehlo.constant dense<-100> : tensor<49x1xi64>
    %c_7 = stablehlo.constant dense<0> : tensor<49xi64>
    %c_8 = stablehlo.constant dense<-100> : tensor<49xi64>
    %cst_9 = stablehlo.constant dense<-1.000000e+00> : tensor<49x1xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<49x6xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<7x7x7xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_13 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c_14 = stablehlo.constant dense<true> : tensor<i1>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<7x7x3xf64>
    %0 = stablehlo.multiply %arg0, %cst_15 : tensor<7x7x3xf64>
    %1 = stablehlo.concatenate %arg0, %0, dim = 2 : (tensor<7x7x3xf64>, tensor<7x7x3xf64>) -> tensor<7x7x6xf64>
    %2 = stablehlo.multiply %1, %cst_5 : tensor<7x7x6xf64>
    %3 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<7x7x6xf64>) -> tensor<7x6x7xf64>
    %4 = stablehlo.multiply %3, %cst_4 : tensor<7x6x7xf64>
    %5 = stablehlo.dot_general %2, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x7x6xf64>, tensor<7x6x7xf64>) -> tensor<7x7x7xf64>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [1, 2] : (tensor<7x7xf64>) -> tensor<7x7x7xf64>
    %7 = stablehlo.add %5, %6 : tensor<7x7x7xf64>
    %8 = stablehlo.reduce(%7 init: %cst_13) applies stablehlo.maximum across dimensions = [2] : (tensor<7x7x7xf64>, tensor<f64>) -> tensor<7x7xf64>
    %9 = stablehlo.reshape %8 : (tensor<7x7xf64>) -> tensor<7x7x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<7x7x1xf64>) -> tensor<7x7x7xf64>
    %11 = stablehlo.subtract %7, %10 : tensor<7x7x7xf64>
    %12 = stablehlo.exponential %11 : tensor<7x7x7xf64>
    %13 = stablehlo.reduce(%12 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<7x7x7xf64>, tensor<f64>) -> tensor<7x7xf64>
    %14 = stablehlo.reshape %13 : (tensor<7x7xf64>) -> tensor<7x7x1xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<7x7x1xf64>) -> tensor<7x7x7xf64>
    %16 = stablehlo.divide %12, %15 : tensor<7x7x7xf64>
    %17 = stablehlo.compare EQ, %7, %cst_3, FLOAT : (tensor<7x7x7xf64>, tensor<7x7x7xf64>) -> tensor<7x7x7xi1>
    %18 = stablehlo.reduce(%17 init: %c_14) applies stablehlo.and across dimensions = [2] : (tensor<7x7x7xi1>, tensor<i1>) -> tensor<7x7xi1>
    %19 = stablehlo.reshape %18 : (tensor<7x7xi1>) -> tensor<7x7x1xi1>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<7x7x1xi1>) -> tensor<7x7x7xi1>
    %21 = stablehlo.select %20, %cst_11, %16 : tensor<7x7x7xi1>, tensor<7x7x7xf64>
    %22 = stablehlo.dot_general %21, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x7x7xf64>, tensor<7x7x6xf64>) -> tensor<7x7x6xf64>
    %23 = stablehlo.reshape %22 : (tensor<7x7x6xf64>) -> tensor<49x6xf64>
    %24 = stablehlo.compare NE, %arg1, %c_8, SIGNED : (tensor<49xi64>, tensor<49xi64>) -> tensor<49xi1>
    %25 = stablehlo.select %24, %arg1, %c_7 : tensor<49xi1>, tensor<49xi64>
    %26 = stablehlo.iota dim = 0 : tensor<49xi64>
    %27 = stablehlo.reshape %26 : (tensor<49xi64>) -> tensor<49x1x1xi64>
    %28 = stablehlo.reshape %25 : (tensor<49xi64>) -> tensor<49x1x1xi64>
    %29 = stablehlo.concatenate %27, %28, dim = 2 : (tensor<49x1x1xi64>, tensor<49x1x1xi64>) -> tensor<49x1x2xi64>
    %30 = "stablehlo.gather"(%23, %29) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<49x6xf64>, tensor<49x1x2xi64>) -> tensor<49x1xf64>
    %31 = stablehlo.reshape %30 : (tensor<49x1xf64>) -> tensor<49xf64>
    %32 = stablehlo.negate %31 : tensor<49xf64>
    %33 = stablehlo.select %24, %32, %cst_2 : tensor<49xi1>, tensor<49xf64>
    %34 = stablehlo.reduce(%33 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<49xf64>, tensor<f64>) -> tensor<f64>
    %35 = stablehlo.reshape %arg1 : (tensor<49xi64>) -> tensor<49x1xi64>
    %36 = stablehlo.compare NE, %35, %c_6, SIGNED : (tensor<49x1xi64>, tensor<49x1xi64>) -> tensor<49x1xi1>
    %37 = stablehlo.select %36, %35, %c : tensor<49x1xi1>, tensor<49x1xi64>
    %38 = stablehlo.reshape %37 : (tensor<49x1xi64>) -> tensor<49x1x1xi64>
    %39 = stablehlo.concatenate %27, %38, dim = 2 : (tensor<49x1x1xi64>, tensor<49x1x1xi64>) -> tensor<49x1x2xi64>
    %40 = "stablehlo.scatter"(%cst_10, %39, %cst_9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<49x6xf64>, tensor<49x1x2xi64>, tensor<49x1xf64>) -> tensor<49x6xf64>
    %41 = stablehlo.select %36, %cst_1, %cst_0 : tensor<49x1xi1>, tensor<49x1xf64>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<49x1xf64>) -> tensor<49x6xf64>
    %43 = stablehlo.multiply %40, %42 : tensor<49x6xf64>
    %44 = stablehlo.reshape %43 : (tensor<49x6xf64>) -> tensor<7x7x6xf64>
    %45 = stablehlo.transpose %21, dims = [0, 2, 1] : (tensor<7x7x7xf64>) -> tensor<7x7x7xf64>
    %46 = stablehlo.dot_general %45, %44, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x7x7xf64>, tensor<7x7x6xf64>) -> tensor<7x7x6xf64>
    %47 = stablehlo.dot_general %44, %3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x7x6xf64>, tensor<7x6x7xf64>) -> tensor<7x7x7xf64>
    %48 = stablehlo.multiply %47, %21 : tensor<7x7x7xf64>
    %49 = stablehlo.reduce(%48 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<7x7x7xf64>, tensor<f64>) -> tensor<7x7xf64>
    %50 = stablehlo.reshape %49 : (tensor<7x7xf64>) -> tensor<7x7x1xf64>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<7x7x1xf64>) -> tensor<7x7x7xf64>
    %52 = stablehlo.multiply %21, %51 : tensor<7x7x7xf64>
    %53 = stablehlo.subtract %48, %52 : tensor<7x7x7xf64>
    %54 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<7x7x6xf64>) -> tensor<7x6x7xf64>
    %55 = stablehlo.dot_general %54, %53, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x6x7xf64>, tensor<7x7x7xf64>) -> tensor<7x6x7xf64>
    %56 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<7x6x7xf64>) -> tensor<7x7x6xf64>
    %57 = stablehlo.dot_general %53, %56, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<7x7x7xf64>, tensor<7x7x6xf64>) -> tensor<7x7x6xf64>
    %58 = stablehlo.multiply %55, %cst_4 : tensor<7x6x7xf64>
    %59 = stablehlo.transpose %58, dims = [0, 2, 1] : (tensor<7x6x7xf64>) -> tensor<7x7x6xf64>
    %60 = stablehlo.add %46, %59 : tensor<7x7x6xf64>
    %61 = stablehlo.multiply %57, %cst_5 : tensor<7x7x6xf64>
    %62 = stablehlo.add %60, %61 : tensor<7x7x6xf64>
    %63 = stablehlo.slice %62 [0:7, 0:7, 0:3] : (tensor<7x7x6xf64>) -> tensor<7x7x3xf64>
    %64 = stablehlo.slice %62 [0:7, 0:7, 3:6] : (tensor<7x7x6xf64>) -> tensor<7x7x3xf64>
    %65 = stablehlo.multiply %64, %cst_15 : tensor<7x7x3xf64>
    %66 = stablehlo.add %63, %65 : tensor<7x7x3xf64>
    return %34, %66 : tensor<f64>, tensor<7x7x3xf64>
  }
}
