// Weights pin the work: columns pass, rows leave a partial sum, biases follow what they are added to.
// RUN: distc-opt %s --mesh d=2,t=2 --propagate --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: // [S(d), R]; [R, S(t)]; [S(t)]; [S(t), R]; [S(d), R]
// CHECK: stablehlo.dot_general{{.*}}// [S(d), S(t)]
// CHECK: stablehlo.broadcast_in_dim{{.*}}// [S(d), S(t)]
// CHECK: stablehlo.add{{.*}}// [S(d), S(t)]
// CHECK: stablehlo.constant{{.*}}// [S(d), S(t)]
// CHECK: stablehlo.maximum{{.*}}// [S(d), S(t)]
// CHECK: stablehlo.dot_general{{.*}}// [S(d), R] P(sum: t)
func.func @main(%x: tensor<4x8xf32> {dist.kind = "input", dist.sharding = #dist.sharding<@mesh, [["d"], []], array<i64: 1, 1>, {}>},
                %w: tensor<8x6xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>},
                %b: tensor<6xf32> {dist.kind = "parameter"},
                %v: tensor<6x5xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>}) -> tensor<4x5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x6xf32>
  %c = stablehlo.constant dense<0.0> : tensor<4x6xf32>
  %3 = stablehlo.maximum %2, %c : tensor<4x6xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return %4 : tensor<4x5xf32>
}
