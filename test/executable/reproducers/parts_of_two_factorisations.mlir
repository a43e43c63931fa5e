// Halves and thirds of an axis of six were taken as parts that do not touch.
// fuzz: plain exact
// input 0: seed 46 from -3 to 3
// input 1: seed 47 from -3 to 3
module {
  "dist.mesh"() {axes = ["x"], links = ["device"], sizes = array<i64: 6>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<9x1x5xf32> {dist.sharding = #dist.sharding<@mesh, [[], [], ["x:(1)2"]], array<i64: 1, 1, 1>, {}>}) -> (tensor<3xf32> {dist.sharding = #dist.sharding<@mesh, [["x:(1)3"]], array<i64: 1>, {}>}, tensor<9x1x5xf32> {dist.sharding = #dist.sharding<@mesh, [["x:(3)2"], [], []], array<i64: 1, 1, 1>, {}>}) {
    %0 = "dist.constraint"(%arg0) {sharding = #dist.sharding<@mesh, [["x:(2)3"]], array<i64: 1>, {}>} : (tensor<3xf32>) -> tensor<3xf32>
    return %0, %arg1 : tensor<3xf32>, tensor<9x1x5xf32>
  }
}
