func.func @main(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>}) {
  %0 = "dist.all_reduce"(%x) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
