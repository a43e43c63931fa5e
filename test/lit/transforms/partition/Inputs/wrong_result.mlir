func.func @main(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>}) {
  return %x : tensor<4xf32>
}
