// forward pass of embedding → gram → gather → cross_entropy
// seed 13
// fuzz: plain close
// input 0: seed 3777 from -2 to 2
// input 1: seed 3069 from 0 to 2
// input 2: seed 491 from 0 to 1
// input 3: seed 2069 from 0 to 1
module {
  func.func @main(%arg0: tensor<3x6xf64> {dist.kind = "input", dist.name = "input0"}, %arg1: tensor<2xi64> {dist.kind = "input", dist.name = "input1"}, %arg2: tensor<3x2xi64> {dist.kind = "input", dist.name = "input2"}, %arg3: tensor<3xi64> {dist.kind = "input", dist.name = "input3"}) -> (tensor<3x2xf64> {dist.name = "0"}, tensor<f64> {dist.name = "1"}) {
    %0 = stablehlo.composite "distc.embedding" %arg0, %arg1 {decomposition = @embedding_0} : (tensor<3x6xf64>, tensor<2xi64>) -> tensor<2x6xf64>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x6xf64>) -> tensor<6x2xf64>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x6xf64>, tensor<6x2xf64>) -> tensor<2x2xf64>
    %3 = stablehlo.reshape %arg2 : (tensor<3x2xi64>) -> tensor<3x2x1xi64>
    %4 = stablehlo.iota dim = 0 : tensor<2xi64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xi64>) -> tensor<3x2x1xi64>
    %6 = stablehlo.concatenate %3, %5, dim = 2 : (tensor<3x2x1xi64>, tensor<3x2x1xi64>) -> tensor<3x2x2xi64>
    %7 = "stablehlo.gather"(%2, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2xf64>, tensor<3x2x2xi64>) -> tensor<3x2xf64>
    %8 = stablehlo.composite "distc.cross_entropy" %7, %arg3 {composite_attributes = {ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64, reduction = "mean"}, decomposition = @cross_entropy_0} : (tensor<3x2xf64>, tensor<3xi64>) -> tensor<f64>
    return %7, %8 : tensor<3x2xf64>, tensor<f64>
  }
  func.func private @embedding_0(%arg0: tensor<3x6xf64>, %arg1: tensor<2xi64>) -> tensor<2x6xf64> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<3x6xf64>, tensor<2xi64>) -> tensor<2x6xf64>
    return %0 : tensor<2x6xf64>
  }
  func.func private @cross_entropy_0(%arg0: tensor<3x2xf64>, %arg1: tensor<3xi64>) -> tensor<f64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3xf64>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<3xf64>
    %cst_1 = stablehlo.constant dense<9.000000e-01> : tensor<3xf64>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<3xi64>
    %c_3 = stablehlo.constant dense<-100> : tensor<3xi64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_5 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.reshape %0 : (tensor<3xf64>) -> tensor<3x1xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<3x2xf64>
    %4 = stablehlo.exponential %3 : tensor<3x2xf64>
    %5 = stablehlo.reduce(%4 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %6 = stablehlo.reshape %5 : (tensor<3xf64>) -> tensor<3x1xf64>
    %7 = stablehlo.log %6 : tensor<3x1xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x2xf64>
    %9 = stablehlo.subtract %3, %8 : tensor<3x2xf64>
    %10 = stablehlo.compare NE, %arg1, %c_3, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %11 = stablehlo.select %10, %arg1, %c : tensor<3xi1>, tensor<3xi64>
    %12 = stablehlo.iota dim = 0 : tensor<3xi64>
    %13 = stablehlo.reshape %12 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %14 = stablehlo.reshape %11 : (tensor<3xi64>) -> tensor<3x1x1xi64>
    %15 = stablehlo.concatenate %13, %14, dim = 2 : (tensor<3x1x1xi64>, tensor<3x1x1xi64>) -> tensor<3x1x2xi64>
    %16 = "stablehlo.gather"(%9, %15) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x2xf64>, tensor<3x1x2xi64>) -> tensor<3x1xf64>
    %17 = stablehlo.reshape %16 : (tensor<3x1xf64>) -> tensor<3xf64>
    %18 = stablehlo.negate %17 : tensor<3xf64>
    %19 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf64>, tensor<f64>) -> tensor<3xf64>
    %20 = stablehlo.divide %19, %cst_2 : tensor<3xf64>
    %21 = stablehlo.negate %20 : tensor<3xf64>
    %22 = stablehlo.multiply %18, %cst_1 : tensor<3xf64>
    %23 = stablehlo.multiply %21, %cst_0 : tensor<3xf64>
    %24 = stablehlo.add %22, %23 : tensor<3xf64>
    %25 = stablehlo.select %10, %24, %cst : tensor<3xi1>, tensor<3xf64>
    %26 = stablehlo.reduce(%25 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %27 = stablehlo.convert %10 : (tensor<3xi1>) -> tensor<3xf64>
    %28 = stablehlo.reduce(%27 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %29 = stablehlo.divide %26, %28 : tensor<f64>
    return %29 : tensor<f64>
  }
}
