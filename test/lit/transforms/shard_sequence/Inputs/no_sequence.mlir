func.func @main(%x: tensor<6x8xf32> {dist.kind = "input", dist.sharding = #dist.sharding<@mesh, [[], ["tensor"]], array<i64: 1, 1>, {}>},
                %down: tensor<8x4xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["tensor"], []], array<i64: 1, 1>, {}>})
    -> tensor<6x4xf32> {
  %0 = stablehlo.dot_general %x, %down, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.tanh %0 : tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
