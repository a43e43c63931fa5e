// The neutral element of a maximum was put under a sum that was still pending.
// fuzz: plain equal
// input 0: [-3, -1, -3, 0]
module {
  "dist.mesh"() {axes = ["x","y"], links = ["device","device"], sizes = array<i64: 2,2>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<4x1xi8> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum", y="sum"}>}) -> (tensor<4x1xi8> {dist.sharding = #dist.sharding<@mesh, [[], ["y"]], array<i64: 1, 1>, {x = "max"}>}) {
    return %arg0 : tensor<4x1xi8>
  }
}
