// joint graph of where → linear → flip → roll → where → cross_entropy
// seed 44
// fuzz: plain close
// input 0: seed 1911 from -3 to 3
// input 1: seed 3689 from -2 to 2
// input 2: seed 1911 from -2 to 2
// input 3: seed 144 from -2 to 2
// input 4: seed 9682 from -2 to 2
// input 5: seed 5343 from 0 to 1
module {
  func.func @main(%arg0: tensor<7xf64>, %arg1: tensor<7xf64>, %arg2: tensor<2x7xf64>, %arg3: tensor<2xf64>, %arg4: tensor<2xf64>, %arg5: tensor<1xi64>) -> (tensor<f64>, tensor<7xf64>, tensor<7xf64>, tensor<2x7xf64>, tensor<2xf64>, tensor<2xf64>) {
    %c = stablehlo.constant dense<0> : tensor<1x1x1xi64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<7xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1x1xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<1xf64>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<2xf64>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<7xf64>
    %c_5 = stablehlo.constant dense<0> : tensor<1x1xi64>
    %c_6 = stablehlo.constant dense<-100> : tensor<1x1xi64>
    %c_7 = stablehlo.constant dense<0> : tensor<1xi64>
    %c_8 = stablehlo.constant dense<-100> : tensor<1xi64>
    %cst_9 = stablehlo.constant dense<-1.000000e+00> : tensor<1x1xf64>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<1x2xf64>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %c_13 = stablehlo.constant dense<0> : tensor<i64>
    %cst_14 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<7xf64>, tensor<7xf64>) -> tensor<7xi1>
    %1 = stablehlo.multiply %arg0, %cst_4 : tensor<7xf64>
    %2 = stablehlo.subtract %arg1, %arg0 : tensor<7xf64>
    %3 = stablehlo.select %0, %1, %2 : tensor<7xi1>, tensor<7xf64>
    %4 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<2x7xf64>) -> tensor<7x2xf64>
    %5 = stablehlo.reshape %3 : (tensor<7xf64>) -> tensor<1x7xf64>
    %6 = stablehlo.dot_general %5, %4, contracting_dims = [1] x [0] : (tensor<1x7xf64>, tensor<7x2xf64>) -> tensor<1x2xf64>
    %7 = stablehlo.reshape %6 : (tensor<1x2xf64>) -> tensor<2xf64>
    %8 = stablehlo.add %7, %arg3 : tensor<2xf64>
    %9 = stablehlo.reverse %8, dims = [0] : tensor<2xf64>
    %10 = stablehlo.slice %9 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %11 = stablehlo.slice %9 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %12 = stablehlo.concatenate %10, %11, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %13 = stablehlo.compare GT, %12, %arg4, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %14 = stablehlo.multiply %12, %cst_3 : tensor<2xf64>
    %15 = stablehlo.subtract %arg4, %12 : tensor<2xf64>
    %16 = stablehlo.select %13, %14, %15 : tensor<2xi1>, tensor<2xf64>
    %17 = stablehlo.reshape %16 : (tensor<2xf64>) -> tensor<1x2xf64>
    %18 = stablehlo.reduce(%17 init: %cst_14) applies stablehlo.maximum across dimensions = [1] : (tensor<1x2xf64>, tensor<f64>) -> tensor<1xf64>
    %19 = stablehlo.reshape %18 : (tensor<1xf64>) -> tensor<1x1xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x2xf64>
    %21 = stablehlo.subtract %17, %20 : tensor<1x2xf64>
    %22 = stablehlo.exponential %21 : tensor<1x2xf64>
    %23 = stablehlo.reduce(%22 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<1x2xf64>, tensor<f64>) -> tensor<1xf64>
    %24 = stablehlo.reshape %23 : (tensor<1xf64>) -> tensor<1x1xf64>
    %25 = stablehlo.log %24 : tensor<1x1xf64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x2xf64>
    %27 = stablehlo.subtract %21, %26 : tensor<1x2xf64>
    %28 = stablehlo.compare NE, %arg5, %c_8, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %29 = stablehlo.select %28, %arg5, %c_7 : tensor<1xi1>, tensor<1xi64>
    %30 = stablehlo.reshape %29 : (tensor<1xi64>) -> tensor<1x1x1xi64>
    %31 = stablehlo.concatenate %c, %30, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %32 = "stablehlo.gather"(%27, %31) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x2xf64>, tensor<1x1x2xi64>) -> tensor<1x1xf64>
    %33 = stablehlo.reshape %32 : (tensor<1x1xf64>) -> tensor<1xf64>
    %34 = stablehlo.negate %33 : tensor<1xf64>
    %35 = stablehlo.select %28, %34, %cst_2 : tensor<1xi1>, tensor<1xf64>
    %36 = stablehlo.convert %28 : (tensor<1xi1>) -> tensor<1xi64>
    %37 = stablehlo.reduce(%36 init: %c_13) applies stablehlo.add across dimensions = [0] : (tensor<1xi64>, tensor<i64>) -> tensor<i64>
    %38 = stablehlo.convert %37 : (tensor<i64>) -> tensor<f64>
    %39 = stablehlo.reduce(%35 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<f64>
    %40 = stablehlo.divide %39, %38 : tensor<f64>
    %41 = stablehlo.divide %cst_11, %38 : tensor<f64>
    %42 = stablehlo.reshape %arg5 : (tensor<1xi64>) -> tensor<1x1xi64>
    %43 = stablehlo.compare NE, %42, %c_6, SIGNED : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi1>
    %44 = stablehlo.select %43, %42, %c_5 : tensor<1x1xi1>, tensor<1x1xi64>
    %45 = stablehlo.reshape %44 : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
    %46 = stablehlo.concatenate %c, %45, dim = 2 : (tensor<1x1x1xi64>, tensor<1x1x1xi64>) -> tensor<1x1x2xi64>
    %47 = "stablehlo.scatter"(%cst_10, %46, %cst_9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg6: tensor<f64>, %arg7: tensor<f64>):
      stablehlo.return %arg7 : tensor<f64>
    }) : (tensor<1x2xf64>, tensor<1x1x2xi64>, tensor<1x1xf64>) -> tensor<1x2xf64>
    %48 = stablehlo.reshape %41 : (tensor<f64>) -> tensor<1x1xf64>
    %49 = stablehlo.select %43, %48, %cst_1 : tensor<1x1xi1>, tensor<1x1xf64>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x2xf64>
    %51 = stablehlo.multiply %47, %50 : tensor<1x2xf64>
    %52 = stablehlo.exponential %27 : tensor<1x2xf64>
    %53 = stablehlo.reduce(%51 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<1x2xf64>, tensor<f64>) -> tensor<1xf64>
    %54 = stablehlo.reshape %53 : (tensor<1xf64>) -> tensor<1x1xf64>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<1x2xf64>
    %56 = stablehlo.multiply %52, %55 : tensor<1x2xf64>
    %57 = stablehlo.subtract %51, %56 : tensor<1x2xf64>
    %58 = stablehlo.reshape %57 : (tensor<1x2xf64>) -> tensor<2xf64>
    %59 = stablehlo.select %13, %cst_0, %58 : tensor<2xi1>, tensor<2xf64>
    %60 = stablehlo.select %13, %58, %cst_0 : tensor<2xi1>, tensor<2xf64>
    %61 = stablehlo.negate %59 : tensor<2xf64>
    %62 = stablehlo.multiply %60, %cst_3 : tensor<2xf64>
    %63 = stablehlo.add %61, %62 : tensor<2xf64>
    %64 = stablehlo.slice %63 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %65 = stablehlo.slice %63 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %66 = stablehlo.concatenate %64, %65, dim = 0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<2xf64>
    %67 = stablehlo.reverse %66, dims = [0] : tensor<2xf64>
    %68 = stablehlo.reshape %67 : (tensor<2xf64>) -> tensor<1x2xf64>
    %69 = stablehlo.reshape %67 : (tensor<2xf64>) -> tensor<2x1xf64>
    %70 = stablehlo.dot_general %69, %5, contracting_dims = [1] x [0] : (tensor<2x1xf64>, tensor<1x7xf64>) -> tensor<2x7xf64>
    %71 = stablehlo.dot_general %68, %arg2, contracting_dims = [1] x [0] : (tensor<1x2xf64>, tensor<2x7xf64>) -> tensor<1x7xf64>
    %72 = stablehlo.reshape %71 : (tensor<1x7xf64>) -> tensor<7xf64>
    %73 = stablehlo.select %0, %cst, %72 : tensor<7xi1>, tensor<7xf64>
    %74 = stablehlo.select %0, %72, %cst : tensor<7xi1>, tensor<7xf64>
    %75 = stablehlo.negate %73 : tensor<7xf64>
    %76 = stablehlo.multiply %74, %cst_4 : tensor<7xf64>
    %77 = stablehlo.add %75, %76 : tensor<7xf64>
    return %40, %77, %73, %70, %67, %59 : tensor<f64>, tensor<7xf64>, tensor<7xf64>, tensor<2x7xf64>, tensor<2xf64>, tensor<2xf64>
  }
}
