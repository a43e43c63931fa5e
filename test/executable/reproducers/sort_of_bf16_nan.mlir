// seed 11262
// mismatch: result 0: NaN at [2, 0]: np.float64(3.0), expected np.float64(nan) (1 of 9 differ)
// fuzz: plain exact
// input 0: [0.0, 3.0, -1.0, -2.0, -2.0, 0.0, 1.0, 2.0, 0.0, "-inf", -3.0, 2.0, 2.0, 0.0, 2.0, -3.0, 1.0, 1.0, 0.0, -2.0, 1.0, 3.0, 3.0, 3.0, 3.0, -3.0, -1.0, 3.0, 3.0, 3.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -0.0, 1.0, -3.0, 0.0, -0.0, -3.0, 2.0, -2.0, 3.0, 1.0, "nan", 1.0, 2.0, -3.0, 1.0, 3.0, 2.0, -2.0, -1.0, "nan"]
// input 1: [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, false, true, true, true, true, true, true, true, true, false]
module {
  "dist.mesh"() {axes = ["x"], links = ["device"], sizes = array<i64: 6>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<7x8xbf16> {dist.sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>}, %arg1: tensor<7x8xi1>) -> tensor<3x3xbf16> {
    %cst = stablehlo.constant dense<0x7FC0> : tensor<7x8xbf16>
    %0 = stablehlo.select %arg1, %arg0, %cst : tensor<7x8xi1>, tensor<7x8xbf16>
    %1 = "stablehlo.sort"(%0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>):
      %3 = stablehlo.compare GT, %arg2, %arg3, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<7x8xbf16>) -> tensor<7x8xbf16>
    %2 = stablehlo.slice %1 [0:7:3, 0:8:3] : (tensor<7x8xbf16>) -> tensor<3x3xbf16>
    return %2 : tensor<3x3xbf16>
  }
}
