// forward pass of embedding → gelu → pad → add → conv → weighted_sum
// seed 14
// fuzz: plain close
// input 0: seed 4441 from -2 to 2
// input 1: seed 7368 from 0 to 8
// input 2: seed 8458 from -2 to 2
// input 3: seed 9745 from -2 to 2
// input 4: seed 455 from -2 to 2
module {
  func.func @main(%arg0: tensor<9x2xf64> {dist.kind = "input", dist.name = "input0"}, %arg1: tensor<3x1xi64> {dist.kind = "input", dist.name = "input1"}, %arg2: tensor<1x4x1xf64> {dist.kind = "input", dist.name = "input2"}, %arg3: tensor<4x1x1xf64> {dist.kind = "input", dist.name = "input3"}, %arg4: tensor<3x1x1xf64> {dist.kind = "input", dist.name = "input4"}) -> (tensor<3x1x1xf64> {dist.name = "0"}, tensor<f64> {dist.name = "1"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.composite "distc.embedding" %arg0, %arg1 {decomposition = @embedding_0} : (tensor<9x2xf64>, tensor<3x1xi64>) -> tensor<3x1x2xf64>
    %1 = stablehlo.composite "distc.gelu" %0 {composite_attributes = {approximate = "none"}, decomposition = @gelu_0} : (tensor<3x1x2xf64>) -> tensor<3x1x2xf64>
    %2 = stablehlo.pad %1, %cst, low = [0, 2, -1], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<3x1x2xf64>, tensor<f64>) -> tensor<3x4x1xf64>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<1x4x1xf64>) -> tensor<3x4x1xf64>
    %4 = stablehlo.add %2, %3 : tensor<3x4x1xf64>
    %5 = stablehlo.reshape %arg3 : (tensor<4x1x1xf64>) -> tensor<1x1x4xf64>
    %6 = stablehlo.convolution(%4, %5) dim_numbers = [b, f, 0]x[0, o, i]->[b, f, 0], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x4x1xf64>, tensor<1x1x4xf64>) -> tensor<3x1x1xf64>
    %7 = stablehlo.multiply %6, %arg4 : tensor<3x1x1xf64>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x1x1xf64>, tensor<f64>) -> tensor<f64>
    return %6, %8 : tensor<3x1x1xf64>, tensor<f64>
  }
  func.func private @embedding_0(%arg0: tensor<9x2xf64>, %arg1: tensor<3x1xi64>) -> tensor<3x1x2xf64> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<9x2xf64>, tensor<3x1xi64>) -> tensor<3x1x2xf64>
    return %0 : tensor<3x1x2xf64>
  }
  func.func private @gelu_0(%arg0: tensor<3x1x2xf64>) -> tensor<3x1x2xf64> {
    %cst = stablehlo.constant dense<0.70710678118654757> : tensor<3x1x2xf64>
    %cst_0 = stablehlo.constant dense<9.6049737398705161> : tensor<3x1x2xf64>
    %cst_1 = stablehlo.constant dense<90.026019720384269> : tensor<3x1x2xf64>
    %cst_2 = stablehlo.constant dense<2232.0053459468431> : tensor<3x1x2xf64>
    %cst_3 = stablehlo.constant dense<7003.3251411280507> : tensor<3x1x2xf64>
    %cst_4 = stablehlo.constant dense<55592.301301039493> : tensor<3x1x2xf64>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<3x1x2xf64>
    %cst_6 = stablehlo.constant dense<33.561714164750313> : tensor<3x1x2xf64>
    %cst_7 = stablehlo.constant dense<521.35794978015269> : tensor<3x1x2xf64>
    %cst_8 = stablehlo.constant dense<4594.3238297098014> : tensor<3x1x2xf64>
    %cst_9 = stablehlo.constant dense<22629.000061389095> : tensor<3x1x2xf64>
    %cst_10 = stablehlo.constant dense<49267.394260863592> : tensor<3x1x2xf64>
    %cst_11 = stablehlo.constant dense<2.4619698147353052E-10> : tensor<3x1x2xf64>
    %cst_12 = stablehlo.constant dense<0.56418956483106886> : tensor<3x1x2xf64>
    %cst_13 = stablehlo.constant dense<7.4632105644226989> : tensor<3x1x2xf64>
    %cst_14 = stablehlo.constant dense<48.637197098568137> : tensor<3x1x2xf64>
    %cst_15 = stablehlo.constant dense<196.5208329560771> : tensor<3x1x2xf64>
    %cst_16 = stablehlo.constant dense<526.44519499547732> : tensor<3x1x2xf64>
    %cst_17 = stablehlo.constant dense<934.52852717195765> : tensor<3x1x2xf64>
    %cst_18 = stablehlo.constant dense<1027.5518868951572> : tensor<3x1x2xf64>
    %cst_19 = stablehlo.constant dense<557.53533536939938> : tensor<3x1x2xf64>
    %cst_20 = stablehlo.constant dense<13.228195115474499> : tensor<3x1x2xf64>
    %cst_21 = stablehlo.constant dense<86.707214088598973> : tensor<3x1x2xf64>
    %cst_22 = stablehlo.constant dense<354.93777888781989> : tensor<3x1x2xf64>
    %cst_23 = stablehlo.constant dense<975.70850174320549> : tensor<3x1x2xf64>
    %cst_24 = stablehlo.constant dense<1823.9091668790973> : tensor<3x1x2xf64>
    %cst_25 = stablehlo.constant dense<2246.3376081871097> : tensor<3x1x2xf64>
    %cst_26 = stablehlo.constant dense<1656.6630919416134> : tensor<3x1x2xf64>
    %cst_27 = stablehlo.constant dense<557.53534081772773> : tensor<3x1x2xf64>
    %cst_28 = stablehlo.constant dense<0.56418958354775506> : tensor<3x1x2xf64>
    %cst_29 = stablehlo.constant dense<1.275366707599781> : tensor<3x1x2xf64>
    %cst_30 = stablehlo.constant dense<5.0190504225118051> : tensor<3x1x2xf64>
    %cst_31 = stablehlo.constant dense<6.160210979930536> : tensor<3x1x2xf64>
    %cst_32 = stablehlo.constant dense<7.4097426995044895> : tensor<3x1x2xf64>
    %cst_33 = stablehlo.constant dense<2.9788666537210022> : tensor<3x1x2xf64>
    %cst_34 = stablehlo.constant dense<2.2605286322011726> : tensor<3x1x2xf64>
    %cst_35 = stablehlo.constant dense<9.3960352493800147> : tensor<3x1x2xf64>
    %cst_36 = stablehlo.constant dense<12.048953980809666> : tensor<3x1x2xf64>
    %cst_37 = stablehlo.constant dense<17.081445074756591> : tensor<3x1x2xf64>
    %cst_38 = stablehlo.constant dense<9.6089680906328585> : tensor<3x1x2xf64>
    %cst_39 = stablehlo.constant dense<3.3690764510008151> : tensor<3x1x2xf64>
    %cst_40 = stablehlo.constant dense<8.000000e+00> : tensor<3x1x2xf64>
    %cst_41 = stablehlo.constant dense<-709.78271289338397> : tensor<3x1x2xf64>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<3x1x2xf64>
    %cst_43 = stablehlo.constant dense<2.000000e+00> : tensor<3x1x2xf64>
    %cst_44 = stablehlo.constant dense<5.000000e-01> : tensor<3x1x2xf64>
    %0 = stablehlo.multiply %arg0, %cst_44 : tensor<3x1x2xf64>
    %1 = stablehlo.multiply %arg0, %cst : tensor<3x1x2xf64>
    %2 = stablehlo.multiply %1, %1 : tensor<3x1x2xf64>
    %3 = stablehlo.multiply %2, %cst_0 : tensor<3x1x2xf64>
    %4 = stablehlo.add %3, %cst_1 : tensor<3x1x2xf64>
    %5 = stablehlo.multiply %4, %2 : tensor<3x1x2xf64>
    %6 = stablehlo.add %5, %cst_2 : tensor<3x1x2xf64>
    %7 = stablehlo.multiply %6, %2 : tensor<3x1x2xf64>
    %8 = stablehlo.add %7, %cst_3 : tensor<3x1x2xf64>
    %9 = stablehlo.multiply %8, %2 : tensor<3x1x2xf64>
    %10 = stablehlo.add %9, %cst_4 : tensor<3x1x2xf64>
    %11 = stablehlo.multiply %1, %10 : tensor<3x1x2xf64>
    %12 = stablehlo.add %2, %cst_6 : tensor<3x1x2xf64>
    %13 = stablehlo.multiply %12, %2 : tensor<3x1x2xf64>
    %14 = stablehlo.add %13, %cst_7 : tensor<3x1x2xf64>
    %15 = stablehlo.multiply %14, %2 : tensor<3x1x2xf64>
    %16 = stablehlo.add %15, %cst_8 : tensor<3x1x2xf64>
    %17 = stablehlo.multiply %16, %2 : tensor<3x1x2xf64>
    %18 = stablehlo.add %17, %cst_9 : tensor<3x1x2xf64>
    %19 = stablehlo.multiply %18, %2 : tensor<3x1x2xf64>
    %20 = stablehlo.add %19, %cst_10 : tensor<3x1x2xf64>
    %21 = stablehlo.divide %11, %20 : tensor<3x1x2xf64>
    %22 = stablehlo.negate %2 : tensor<3x1x2xf64>
    %23 = stablehlo.exponential %22 : tensor<3x1x2xf64>
    %24 = stablehlo.abs %1 : tensor<3x1x2xf64>
    %25 = stablehlo.multiply %24, %cst_11 : tensor<3x1x2xf64>
    %26 = stablehlo.add %25, %cst_12 : tensor<3x1x2xf64>
    %27 = stablehlo.multiply %26, %24 : tensor<3x1x2xf64>
    %28 = stablehlo.add %27, %cst_13 : tensor<3x1x2xf64>
    %29 = stablehlo.multiply %28, %24 : tensor<3x1x2xf64>
    %30 = stablehlo.add %29, %cst_14 : tensor<3x1x2xf64>
    %31 = stablehlo.multiply %30, %24 : tensor<3x1x2xf64>
    %32 = stablehlo.add %31, %cst_15 : tensor<3x1x2xf64>
    %33 = stablehlo.multiply %32, %24 : tensor<3x1x2xf64>
    %34 = stablehlo.add %33, %cst_16 : tensor<3x1x2xf64>
    %35 = stablehlo.multiply %34, %24 : tensor<3x1x2xf64>
    %36 = stablehlo.add %35, %cst_17 : tensor<3x1x2xf64>
    %37 = stablehlo.multiply %36, %24 : tensor<3x1x2xf64>
    %38 = stablehlo.add %37, %cst_18 : tensor<3x1x2xf64>
    %39 = stablehlo.multiply %38, %24 : tensor<3x1x2xf64>
    %40 = stablehlo.add %39, %cst_19 : tensor<3x1x2xf64>
    %41 = stablehlo.multiply %23, %40 : tensor<3x1x2xf64>
    %42 = stablehlo.add %24, %cst_20 : tensor<3x1x2xf64>
    %43 = stablehlo.multiply %42, %24 : tensor<3x1x2xf64>
    %44 = stablehlo.add %43, %cst_21 : tensor<3x1x2xf64>
    %45 = stablehlo.multiply %44, %24 : tensor<3x1x2xf64>
    %46 = stablehlo.add %45, %cst_22 : tensor<3x1x2xf64>
    %47 = stablehlo.multiply %46, %24 : tensor<3x1x2xf64>
    %48 = stablehlo.add %47, %cst_23 : tensor<3x1x2xf64>
    %49 = stablehlo.multiply %48, %24 : tensor<3x1x2xf64>
    %50 = stablehlo.add %49, %cst_24 : tensor<3x1x2xf64>
    %51 = stablehlo.multiply %50, %24 : tensor<3x1x2xf64>
    %52 = stablehlo.add %51, %cst_25 : tensor<3x1x2xf64>
    %53 = stablehlo.multiply %52, %24 : tensor<3x1x2xf64>
    %54 = stablehlo.add %53, %cst_26 : tensor<3x1x2xf64>
    %55 = stablehlo.multiply %54, %24 : tensor<3x1x2xf64>
    %56 = stablehlo.add %55, %cst_27 : tensor<3x1x2xf64>
    %57 = stablehlo.divide %41, %56 : tensor<3x1x2xf64>
    %58 = stablehlo.multiply %24, %cst_28 : tensor<3x1x2xf64>
    %59 = stablehlo.add %58, %cst_29 : tensor<3x1x2xf64>
    %60 = stablehlo.multiply %59, %24 : tensor<3x1x2xf64>
    %61 = stablehlo.add %60, %cst_30 : tensor<3x1x2xf64>
    %62 = stablehlo.multiply %61, %24 : tensor<3x1x2xf64>
    %63 = stablehlo.add %62, %cst_31 : tensor<3x1x2xf64>
    %64 = stablehlo.multiply %63, %24 : tensor<3x1x2xf64>
    %65 = stablehlo.add %64, %cst_32 : tensor<3x1x2xf64>
    %66 = stablehlo.multiply %65, %24 : tensor<3x1x2xf64>
    %67 = stablehlo.add %66, %cst_33 : tensor<3x1x2xf64>
    %68 = stablehlo.multiply %23, %67 : tensor<3x1x2xf64>
    %69 = stablehlo.add %24, %cst_34 : tensor<3x1x2xf64>
    %70 = stablehlo.multiply %69, %24 : tensor<3x1x2xf64>
    %71 = stablehlo.add %70, %cst_35 : tensor<3x1x2xf64>
    %72 = stablehlo.multiply %71, %24 : tensor<3x1x2xf64>
    %73 = stablehlo.add %72, %cst_36 : tensor<3x1x2xf64>
    %74 = stablehlo.multiply %73, %24 : tensor<3x1x2xf64>
    %75 = stablehlo.add %74, %cst_37 : tensor<3x1x2xf64>
    %76 = stablehlo.multiply %75, %24 : tensor<3x1x2xf64>
    %77 = stablehlo.add %76, %cst_38 : tensor<3x1x2xf64>
    %78 = stablehlo.multiply %77, %24 : tensor<3x1x2xf64>
    %79 = stablehlo.add %78, %cst_39 : tensor<3x1x2xf64>
    %80 = stablehlo.divide %68, %79 : tensor<3x1x2xf64>
    %81 = stablehlo.compare LT, %24, %cst_40 : (tensor<3x1x2xf64>, tensor<3x1x2xf64>) -> tensor<3x1x2xi1>
    %82 = stablehlo.select %81, %57, %80 : tensor<3x1x2xi1>, tensor<3x1x2xf64>
    %83 = stablehlo.compare LT, %22, %cst_41 : (tensor<3x1x2xf64>, tensor<3x1x2xf64>) -> tensor<3x1x2xi1>
    %84 = stablehlo.select %83, %cst_42, %82 : tensor<3x1x2xi1>, tensor<3x1x2xf64>
    %85 = stablehlo.compare LT, %1, %cst_42 : (tensor<3x1x2xf64>, tensor<3x1x2xf64>) -> tensor<3x1x2xi1>
    %86 = stablehlo.subtract %cst_43, %84 : tensor<3x1x2xf64>
    %87 = stablehlo.select %85, %86, %84 : tensor<3x1x2xi1>, tensor<3x1x2xf64>
    %88 = stablehlo.subtract %cst_5, %87 : tensor<3x1x2xf64>
    %89 = stablehlo.compare LT, %24, %cst_5 : (tensor<3x1x2xf64>, tensor<3x1x2xf64>) -> tensor<3x1x2xi1>
    %90 = stablehlo.select %89, %21, %88 : tensor<3x1x2xi1>, tensor<3x1x2xf64>
    %91 = stablehlo.add %90, %cst_5 : tensor<3x1x2xf64>
    %92 = stablehlo.multiply %0, %91 : tensor<3x1x2xf64>
    return %92 : tensor<3x1x2xf64>
  }
}
