// An op was cut along the halves and the thirds of an axis of six at once.
// fuzz: plain equal
// input 0: seed 8934 from -3 to 3
// input 1: seed 6543 from -3 to 3
// input 2: seed 6544 from -3 to 3
module {
  "dist.mesh"() {axes = ["x"], links = ["device"], sizes = array<i64: 6>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<3x5x3xf64> {dist.sharding = #dist.sharding<@mesh, [["x:(3)2"], [], ["x:(1)3"]], array<i64: 1, 1, 3>, {}>}, %arg1: tensor<3x5x3xf64>, %arg2: tensor<3x5x3xf64>) -> tensor<3x5x3xf64> {
    %0 = "dist.constraint"(%arg1) {sharding = #dist.sharding<@mesh, [[], ["x:(1)2"], []], array<i64: 1, 1, 1>, {}>} : (tensor<3x5x3xf64>) -> tensor<3x5x3xf64>
    %1 = stablehlo.clamp %arg2, %arg0, %0 : tensor<3x5x3xf64>
    return %1 : tensor<3x5x3xf64>
  }
}
