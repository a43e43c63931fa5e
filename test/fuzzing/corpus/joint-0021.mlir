// joint graph of embedding → attention → softmax → square → nll_loss
// seed 21
// fuzz: plain close
// input 0: seed 4608 from -2 to 2
// input 1: seed 8396 from 0 to 6
// input 2: seed 7015 from 0 to 5
module {
  func.func @main(%arg0: tensor<7x6xf64>, %arg1: tensor<2x4xi64>, %arg2: tensor<8xi64>) -> (tensor<f64>, tensor<7x6xf64>) {
    %cst = stablehlo.constant dense<[[0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0xFFF0000000000000, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0xFFF0000000000000], [0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<4x4xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2x4x6xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<8x1xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<8x1xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<8xf64>
    %cst_4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<2x4x4xf64>
    %cst_5 = stablehlo.constant dense<0.63894310424627254> : tensor<2x6x4xf64>
    %cst_6 = stablehlo.constant dense<0.63894310424627254> : tensor<2x4x6xf64>
    %c = stablehlo.constant dense<6> : tensor<i64>
    %c_7 = stablehlo.constant dense<-7> : tensor<i64>
    %c_8 = stablehlo.constant dense<-1> : tensor<2x4xi64>
    %c_9 = stablehlo.constant dense<7> : tensor<2x4xi64>
    %c_10 = stablehlo.constant dense<0> : tensor<2x4xi64>
    %c_11 = stablehlo.constant dense<0> : tensor<8x1xi64>
    %c_12 = stablehlo.constant dense<-100> : tensor<8x1xi64>
    %c_13 = stablehlo.constant dense<0> : tensor<8xi64>
    %c_14 = stablehlo.constant dense<-100> : tensor<8xi64>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<7x6xf64>
    %cst_16 = stablehlo.constant dense<-1.000000e+00> : tensor<8x1xf64>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<8x6xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<2x4x4xf64>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_20 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<7x6xf64>, tensor<2x4xi64>) -> tensor<2x4x6xf64>
    %1 = stablehlo.multiply %0, %cst_6 : tensor<2x4x6xf64>
    %2 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<2x4x6xf64>) -> tensor<2x6x4xf64>
    %3 = stablehlo.multiply %2, %cst_5 : tensor<2x6x4xf64>
    %4 = stablehlo.dot_general %1, %3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x6xf64>, tensor<2x6x4xf64>) -> tensor<2x4x4xf64>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [1, 2] : (tensor<4x4xf64>) -> tensor<2x4x4xf64>
    %6 = stablehlo.add %4, %5 : tensor<2x4x4xf64>
    %7 = stablehlo.reduce(%6 init: %cst_20) applies stablehlo.maximum across dimensions = [2] : (tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %8 = stablehlo.reshape %7 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<2x4x1xf64>) -> tensor<2x4x4xf64>
    %10 = stablehlo.subtract %6, %9 : tensor<2x4x4xf64>
    %11 = stablehlo.exponential %10 : tensor<2x4x4xf64>
    %12 = stablehlo.reduce(%11 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %13 = stablehlo.reshape %12 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<2x4x1xf64>) -> tensor<2x4x4xf64>
    %15 = stablehlo.divide %11, %14 : tensor<2x4x4xf64>
    %16 = stablehlo.compare EQ, %6, %cst_4, FLOAT : (tensor<2x4x4xf64>, tensor<2x4x4xf64>) -> tensor<2x4x4xi1>
    %17 = stablehlo.reduce(%16 init: %c_21) applies stablehlo.and across dimensions = [2] : (tensor<2x4x4xi1>, tensor<i1>) -> tensor<2x4xi1>
    %18 = stablehlo.reshape %17 : (tensor<2x4xi1>) -> tensor<2x4x1xi1>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x4x1xi1>) -> tensor<2x4x4xi1>
    %20 = stablehlo.select %19, %cst_18, %15 : tensor<2x4x4xi1>, tensor<2x4x4xf64>
    %21 = stablehlo.dot_general %20, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x4xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %22 = stablehlo.reduce(%21 init: %cst_20) applies stablehlo.maximum across dimensions = [0] : (tensor<2x4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    %23 = stablehlo.reshape %22 : (tensor<4x6xf64>) -> tensor<1x4x6xf64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x4x6xf64>) -> tensor<2x4x6xf64>
    %25 = stablehlo.subtract %21, %24 : tensor<2x4x6xf64>
    %26 = stablehlo.exponential %25 : tensor<2x4x6xf64>
    %27 = stablehlo.reduce(%26 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<2x4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    %28 = stablehlo.reshape %27 : (tensor<4x6xf64>) -> tensor<1x4x6xf64>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x4x6xf64>) -> tensor<2x4x6xf64>
    %30 = stablehlo.divide %26, %29 : tensor<2x4x6xf64>
    %31 = stablehlo.multiply %30, %30 : tensor<2x4x6xf64>
    %32 = stablehlo.reshape %31 : (tensor<2x4x6xf64>) -> tensor<8x6xf64>
    %33 = stablehlo.compare NE, %arg2, %c_14, SIGNED : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
    %34 = stablehlo.select %33, %arg2, %c_13 : tensor<8xi1>, tensor<8xi64>
    %35 = stablehlo.iota dim = 0 : tensor<8xi64>
    %36 = stablehlo.reshape %35 : (tensor<8xi64>) -> tensor<8x1x1xi64>
    %37 = stablehlo.reshape %34 : (tensor<8xi64>) -> tensor<8x1x1xi64>
    %38 = stablehlo.concatenate %36, %37, dim = 2 : (tensor<8x1x1xi64>, tensor<8x1x1xi64>) -> tensor<8x1x2xi64>
    %39 = "stablehlo.gather"(%32, %38) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x6xf64>, tensor<8x1x2xi64>) -> tensor<8x1xf64>
    %40 = stablehlo.reshape %39 : (tensor<8x1xf64>) -> tensor<8xf64>
    %41 = stablehlo.negate %40 : tensor<8xf64>
    %42 = stablehlo.select %33, %41, %cst_3 : tensor<8xi1>, tensor<8xf64>
    %43 = stablehlo.reduce(%42 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %44 = stablehlo.reshape %arg2 : (tensor<8xi64>) -> tensor<8x1xi64>
    %45 = stablehlo.compare NE, %44, %c_12, SIGNED : (tensor<8x1xi64>, tensor<8x1xi64>) -> tensor<8x1xi1>
    %46 = stablehlo.select %45, %44, %c_11 : tensor<8x1xi1>, tensor<8x1xi64>
    %47 = stablehlo.reshape %46 : (tensor<8x1xi64>) -> tensor<8x1x1xi64>
    %48 = stablehlo.concatenate %36, %47, dim = 2 : (tensor<8x1x1xi64>, tensor<8x1x1xi64>) -> tensor<8x1x2xi64>
    %49 = "stablehlo.scatter"(%cst_17, %48, %cst_16) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<8x6xf64>, tensor<8x1x2xi64>, tensor<8x1xf64>) -> tensor<8x6xf64>
    %50 = stablehlo.select %45, %cst_2, %cst_1 : tensor<8x1xi1>, tensor<8x1xf64>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<8x1xf64>) -> tensor<8x6xf64>
    %52 = stablehlo.multiply %49, %51 : tensor<8x6xf64>
    %53 = stablehlo.reshape %52 : (tensor<8x6xf64>) -> tensor<2x4x6xf64>
    %54 = stablehlo.multiply %53, %30 : tensor<2x4x6xf64>
    %55 = stablehlo.add %54, %54 : tensor<2x4x6xf64>
    %56 = stablehlo.multiply %55, %30 : tensor<2x4x6xf64>
    %57 = stablehlo.reduce(%56 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<2x4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    %58 = stablehlo.reshape %57 : (tensor<4x6xf64>) -> tensor<1x4x6xf64>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<1x4x6xf64>) -> tensor<2x4x6xf64>
    %60 = stablehlo.multiply %30, %59 : tensor<2x4x6xf64>
    %61 = stablehlo.subtract %56, %60 : tensor<2x4x6xf64>
    %62 = stablehlo.transpose %20, dims = [0, 2, 1] : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
    %63 = stablehlo.dot_general %62, %61, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x4xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %64 = stablehlo.dot_general %61, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x6xf64>, tensor<2x6x4xf64>) -> tensor<2x4x4xf64>
    %65 = stablehlo.multiply %64, %20 : tensor<2x4x4xf64>
    %66 = stablehlo.reduce(%65 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<2x4x4xf64>, tensor<f64>) -> tensor<2x4xf64>
    %67 = stablehlo.reshape %66 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<2x4x1xf64>) -> tensor<2x4x4xf64>
    %69 = stablehlo.multiply %20, %68 : tensor<2x4x4xf64>
    %70 = stablehlo.subtract %65, %69 : tensor<2x4x4xf64>
    %71 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x4x6xf64>) -> tensor<2x6x4xf64>
    %72 = stablehlo.dot_general %71, %70, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x6x4xf64>, tensor<2x4x4xf64>) -> tensor<2x6x4xf64>
    %73 = stablehlo.transpose %3, dims = [0, 2, 1] : (tensor<2x6x4xf64>) -> tensor<2x4x6xf64>
    %74 = stablehlo.dot_general %70, %73, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x4xf64>, tensor<2x4x6xf64>) -> tensor<2x4x6xf64>
    %75 = stablehlo.multiply %72, %cst_5 : tensor<2x6x4xf64>
    %76 = stablehlo.transpose %75, dims = [0, 2, 1] : (tensor<2x6x4xf64>) -> tensor<2x4x6xf64>
    %77 = stablehlo.add %63, %76 : tensor<2x4x6xf64>
    %78 = stablehlo.multiply %74, %cst_6 : tensor<2x4x6xf64>
    %79 = stablehlo.add %77, %78 : tensor<2x4x6xf64>
    %80 = stablehlo.compare GE, %arg1, %c_10, SIGNED : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi1>
    %81 = stablehlo.compare LT, %arg1, %c_9, SIGNED : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi1>
    %82 = stablehlo.and %80, %81 : tensor<2x4xi1>
    %83 = stablehlo.compare NE, %arg1, %c_8, SIGNED : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi1>
    %84 = stablehlo.and %82, %83 : tensor<2x4xi1>
    %85 = stablehlo.reshape %84 : (tensor<2x4xi1>) -> tensor<2x4x1xi1>
    %86 = stablehlo.clamp %c_7, %arg1, %c : (tensor<i64>, tensor<2x4xi64>, tensor<i64>) -> tensor<2x4xi64>
    %87 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<2x4x1xi1>) -> tensor<2x4x6xi1>
    %88 = stablehlo.select %87, %79, %cst_0 : tensor<2x4x6xi1>, tensor<2x4x6xf64>
    %89 = stablehlo.compare LT, %86, %c_10, SIGNED : (tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<2x4xi1>
    %90 = stablehlo.add %86, %c_9 : tensor<2x4xi64>
    %91 = stablehlo.select %89, %90, %86 : tensor<2x4xi1>, tensor<2x4xi64>
    %92 = stablehlo.reshape %91 : (tensor<2x4xi64>) -> tensor<2x4x1xi64>
    %93 = "stablehlo.scatter"(%cst_15, %92, %88) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %94 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %94 : tensor<f64>
    }) : (tensor<7x6xf64>, tensor<2x4x1xi64>, tensor<2x4x6xf64>) -> tensor<7x6xf64>
    return %43, %93 : tensor<f64>, tensor<7x6xf64>
  }
}
