"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["node"]} : () -> ()
func.func @main(%x: tensor<3xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>, dist.global_shape = array<i64: 4>}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
