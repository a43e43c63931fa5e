// seed 17666
// IllegalSharding: error[E-SHARDING]: stablehlo.add has 1 results and 2 shardings, at fuzz:12:10 (stablehlo.add)
// fuzz: optimized exact
// input 0: seed 8891 from -3 to 3
// input 1: [-3.0, -3.0, 1.0, -3.0, -2.0, -3.0, 2.0, -2.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0, -1.0, -2.0, 1.0, 0.0, -2.0, 2.0, -2.0, -1.0, -3.0, -1.0, 1.0, -3.0, -2.0, -2.0, -3.0, -3.0, -3.0, -3.0, -1.0, 0.0, -2.0, 1.0, 2.0, -3.0, 0.0, -3.0, -3.0, -1.0, -2.0, -3.0, 0.0, 3.0, 1.0, -2.0, -1.0, -1.0, -3.0, -3.0, -1.0, 0.0, -3.0, 1.0, 0.0, -3.0, -1.0, -1.0, -2.0, -2.0, 2.0, 0.0, 0.0, -3.0, -2.0, -2.0, 2.0, -3.0, -1.0, -1.0, -2.0, 0.0, -2.0, -2.0, 1.0, -1.0, -1.0, -2.0, -3.0]
// input 2: [false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, false, false, false, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, false, false, false, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, false, false]
module {
  "dist.mesh"() {axes = ["x"], links = ["device"], sizes = array<i64: 6>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<9x1x9xf32> {dist.sharding = #dist.sharding<@mesh, [[], [], []], array<i64: 1, 1, 1>, {x = "min"}>}, %arg1: tensor<9x1x9xf32> {dist.sharding = #dist.sharding<@mesh, [[], [], ["x"]], array<i64: 1, 1, 1>, {}>}, %arg2: tensor<8x6x3xi1>) -> (tensor<f32> {dist.sharding = #dist.sharding<@mesh, [], array<i64>, {x = "sum"}>}, tensor<8x6x3xi1>, tensor<9x1x9xf32>, tensor<f32>, tensor<9x1x9xf32>, tensor<1x9x9xi32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:2 = stablehlo.reduce(%arg1 init: %cst), (%arg0 init: %cst_0) across dimensions = [0, 1, 2] : (tensor<9x1x9xf32>, tensor<9x1x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
     reducer(%arg3: tensor<f32>, %arg5: tensor<f32>) (%arg4: tensor<f32>, %arg6: tensor<f32>)  {
      %7 = stablehlo.add %arg3, %arg5 : tensor<f32>
      %8 = stablehlo.add %arg4, %arg6 : tensor<f32>
      stablehlo.return %7, %8 : tensor<f32>, tensor<f32>
    }
    %1 = stablehlo.add %0#1, %0#0 : tensor<f32>
    %2 = stablehlo.iota dim = 1 : tensor<9x1x9xi32>
    %3:2 = "stablehlo.sort"(%arg1, %2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
      %7 = stablehlo.compare GT, %arg3, %arg4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) : (tensor<9x1x9xf32>, tensor<9x1x9xi32>) -> (tensor<9x1x9xf32>, tensor<9x1x9xi32>)
    %4 = stablehlo.slice %3#0 [0:9, 0:1, 0:9] : (tensor<9x1x9xf32>) -> tensor<9x1x9xf32>
    %5 = stablehlo.slice %3#1 [0:9, 0:1, 0:9] : (tensor<9x1x9xi32>) -> tensor<9x1x9xi32>
    %6 = stablehlo.reshape %5 : (tensor<9x1x9xi32>) -> tensor<1x9x9xi32>
    return %0#0, %arg2, %arg1, %1, %4, %6 : tensor<f32>, tensor<8x6x3xi1>, tensor<9x1x9xf32>, tensor<f32>, tensor<9x1x9xf32>, tensor<1x9x9xi32>
  }
}
