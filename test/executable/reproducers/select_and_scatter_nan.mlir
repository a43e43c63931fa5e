// A filler in the place of padding was selected where a comparison with NaN is false.
// fuzz: plain exact
// input 0: seed 774 from -3 to 3 special
// input 1: [3.0, -3.0, -2.0, -2.0, -1.0, 2.0, "nan"]
module {
  "dist.mesh"() {axes = ["x", "y"], links = ["device", "device"], sizes = array<i64: 3, 2>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<7xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> tensor<7xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%arg1, %arg0, %cst) <{padding = dense<2> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<7xf32>, tensor<5xf32>, tensor<f32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}
