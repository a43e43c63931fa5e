// joint graph of multiply → reshape → where → split → mean → nll_loss
// seed 9
// fuzz: plain equal
// input 0: seed 105 from -3 to 3
// input 1: seed 5472 from -2 to 2
// input 2: seed 2775 from -2 to 2
// input 3: seed 9673 from 0 to 5
module {
  func.func @main(%arg0: tensor<2x2x7x6xf64>, %arg1: tensor<2x2x7x1xf64>, %arg2: tensor<6xf64>, %arg3: tensor<3xi64>) -> (tensor<f64>, tensor<2x2x7x6xf64>, tensor<2x2x7x1xf64>, tensor<6xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x7x6xf64>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<4x3x6xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<3x1xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<3x1xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<3xf64>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<3x6xf64>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<4x3x6xf64>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<4x7x6xf64>
    %c = stablehlo.constant dense<0> : tensor<3x1xi64>
    %c_7 = stablehlo.constant dense<-100> : tensor<3x1xi64>
    %c_8 = stablehlo.constant dense<0> : tensor<3xi64>
    %c_9 = stablehlo.constant dense<-100> : tensor<3xi64>
    %cst_10 = stablehlo.constant dense<-1.000000e+00> : tensor<3x1xf64>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<3x6xf64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2, 3] : (tensor<2x2x7x1xf64>) -> tensor<2x2x7x6xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2x2x7x6xf64>
    %2 = stablehlo.reshape %1 : (tensor<2x2x7x6xf64>) -> tensor<4x7x6xf64>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<6xf64>) -> tensor<4x7x6xf64>
    %4 = stablehlo.compare GT, %2, %3, FLOAT : (tensor<4x7x6xf64>, tensor<4x7x6xf64>) -> tensor<4x7x6xi1>
    %5 = stablehlo.multiply %2, %cst_6 : tensor<4x7x6xf64>
    %6 = stablehlo.subtract %3, %2 : tensor<4x7x6xf64>
    %7 = stablehlo.select %4, %5, %6 : tensor<4x7x6xi1>, tensor<4x7x6xf64>
    %8 = stablehlo.slice %7 [0:4, 0:3, 0:6] : (tensor<4x7x6xf64>) -> tensor<4x3x6xf64>
    %9 = stablehlo.slice %7 [0:4, 4:7, 0:6] : (tensor<4x7x6xf64>) -> tensor<4x3x6xf64>
    %10 = stablehlo.multiply %9, %cst_5 : tensor<4x3x6xf64>
    %11 = stablehlo.subtract %8, %10 : tensor<4x3x6xf64>
    %12 = stablehlo.reduce(%11 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<4x3x6xf64>, tensor<f64>) -> tensor<3x6xf64>
    %13 = stablehlo.divide %12, %cst_4 : tensor<3x6xf64>
    %14 = stablehlo.compare NE, %arg3, %c_9, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %15 = stablehlo.select %14, %arg3, %c_8 : tensor<3xi1>, tensor<3xi64>
    %16 = stablehlo.iota dim = 0 : tensor<3xi64>
    %17 = stablehlo.reshape %16 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %18 = stablehlo.reshape %15 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %19 = stablehlo.concatenate %17, %18, dim = 2 : (tensor<3x1x1xi64>, tensor<3x1x1xi64>) -> tensor<3x1x2xi64>
    %20 = "stablehlo.gather"(%13, %19) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x6xf64>, tensor<3x1x2xi64>) -> tensor<3x1xf64>
    %21 = stablehlo.reshape %20 : (tensor<3x1xf64>) -> tensor<3xf64>
    %22 = stablehlo.negate %21 : tensor<3xf64>
    %23 = stablehlo.select %14, %22, %cst_3 : tensor<3xi1>, tensor<3xf64>
    %24 = stablehlo.reduce(%23 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %25 = stablehlo.reshape %arg3 : (tensor<3xi64>) -> tensor<3x1xi64>
    %26 = stablehlo.compare NE, %25, %c_7, SIGNED : (tensor<3x1xi64>, tensor<3x1xi64>) -> tensor<3x1xi1>
    %27 = stablehlo.select %26, %25, %c : tensor<3x1xi1>, tensor<3x1xi64>
    %28 = stablehlo.reshape %27 : (tensor<3x1xi64>) -> tensor<3x1x1xi64>
    %29 = stablehlo.concatenate %17, %28, dim = 2 : (tensor<3x1x1xi64>, tensor<3x1x1xi64>) -> tensor<3x1x2xi64>
    %30 = "stablehlo.scatter"(%cst_11, %29, %cst_10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
      stablehlo.return %arg5 : tensor<f64>
    }) : (tensor<3x6xf64>, tensor<3x1x2xi64>, tensor<3x1xf64>) -> tensor<3x6xf64>
    %31 = stablehlo.select %26, %cst_2, %cst_1 : tensor<3x1xi1>, tensor<3x1xf64>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x6xf64>
    %33 = stablehlo.multiply %30, %32 : tensor<3x6xf64>
    %34 = stablehlo.reshape %33 : (tensor<3x6xf64>) -> tensor<1x3x6xf64>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x3x6xf64>) -> tensor<4x3x6xf64>
    %36 = stablehlo.divide %35, %cst_0 : tensor<4x3x6xf64>
    %37 = stablehlo.negate %36 : tensor<4x3x6xf64>
    %38 = stablehlo.multiply %37, %cst_5 : tensor<4x3x6xf64>
    %39 = stablehlo.pad %38, %cst_12, low = [0, 4, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<4x3x6xf64>, tensor<f64>) -> tensor<4x7x6xf64>
    %40 = stablehlo.pad %36, %cst_12, low = [0, 0, 0], high = [0, 4, 0], interior = [0, 0, 0] : (tensor<4x3x6xf64>, tensor<f64>) -> tensor<4x7x6xf64>
    %41 = stablehlo.add %39, %40 : tensor<4x7x6xf64>
    %42 = stablehlo.select %4, %cst, %41 : tensor<4x7x6xi1>, tensor<4x7x6xf64>
    %43 = stablehlo.select %4, %41, %cst : tensor<4x7x6xi1>, tensor<4x7x6xf64>
    %44 = stablehlo.negate %42 : tensor<4x7x6xf64>
    %45 = stablehlo.reduce(%42 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x7x6xf64>, tensor<f64>) -> tensor<6xf64>
    %46 = stablehlo.multiply %43, %cst_6 : tensor<4x7x6xf64>
    %47 = stablehlo.add %44, %46 : tensor<4x7x6xf64>
    %48 = stablehlo.reshape %47 : (tensor<4x7x6xf64>) -> tensor<2x2x7x6xf64>
    %49 = stablehlo.multiply %48, %arg0 : tensor<2x2x7x6xf64>
    %50 = stablehlo.multiply %48, %0 : tensor<2x2x7x6xf64>
    %51 = stablehlo.reduce(%49 init: %cst_12) applies stablehlo.add across dimensions = [3] : (tensor<2x2x7x6xf64>, tensor<f64>) -> tensor<2x2x7xf64>
    %52 = stablehlo.reshape %51 : (tensor<2x2x7xf64>) -> tensor<2x2x7x1xf64>
    return %24, %50, %52, %45 : tensor<f64>, tensor<2x2x7x6xf64>, tensor<2x2x7x1xf64>, tensor<6xf64>
  }
}
