"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["node"]} : () -> ()
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "dist.reshard"(%x) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
