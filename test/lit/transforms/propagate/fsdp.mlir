// Weights stored in shards over the axis that cuts the batch: the batch stays cut, the bias is
// gathered before it is broadcast, not after.
// RUN: distc-opt %s --mesh d=4 --propagate --insert-reshards --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: "dist.reshard"(%arg1){{.*}}// [R, R]
// CHECK: stablehlo.dot_general{{.*}}// [S(d), R]
// CHECK: "dist.reshard"(%arg2){{.*}}// [R]
// CHECK: stablehlo.broadcast_in_dim{{.*}}// [S(d), R]
// CHECK: stablehlo.add{{.*}}// [S(d), R]
// CHECK-NOT: dist.reshard
func.func @main(%x: tensor<4x8xf32> {dist.kind = "input", dist.sharding = #dist.sharding<@mesh, [["d"], []], array<i64: 1, 1>, {}>},
                %w: tensor<8x8xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["d"], []], array<i64: 1, 1>, {}>},
                %b: tensor<8xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["d"]], array<i64: 1>, {}>}) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
