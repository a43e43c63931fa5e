// The least integer tied with a filler in the place of padding, which came first.
// fuzz: plain exact
// input 0: seed 774 from -3 to 3
// input 1: [-2147483648, -2147483648, 1, -2147483648, 2, -2147483648, -2147483648]
module {
  "dist.mesh"() {axes = ["x", "y"], links = ["device", "device"], sizes = array<i64: 3, 2>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<5xi32>, %arg1: tensor<7xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> tensor<7xi32> {
    %cst = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.select_and_scatter"(%arg1, %arg0, %cst) <{padding = dense<2> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %1 = stablehlo.compare GE, %arg2, %arg3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<7xi32>, tensor<5xi32>, tensor<i32>) -> tensor<7xi32>
    return %0 : tensor<7xi32>
  }
}
