// What is summed along the sequence stays in the region and is finished by a small all-reduce;
// an op that needs the sequence whole (a position of it) gathers.
// RUN: distc-opt %s --mesh tensor=2 --pass-pipeline='shard-sequence,propagate,insert-reshards,reshard-to-collectives,optimize-collectives' --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: "dist.reduce_scatter"{{.*}}// [R, S(tensor), R]
// CHECK: %[[Y:.*]] = stablehlo.tanh{{.*}}// [R, S(tensor), R]
// CHECK: stablehlo.reduce(%[[Y]]{{.*}}// [R] P(sum: tensor)
// CHECK: "dist.all_gather"(%[[Y]]){{.*}}// [R, R, R]
// CHECK: stablehlo.slice {{.*}}// [R, R, R]
// CHECK: "dist.all_reduce"{{.*}}tensor<4xf32>
func.func @main(%x: tensor<2x6x8xf32> {dist.kind = "input", dist.sharding = #dist.sharding<@mesh, [[], [], ["tensor"]], array<i64: 1, 1, 1>, {}>},
                %down: tensor<8x4xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["tensor"], []], array<i64: 1, 1>, {}>})
    -> (tensor<4xf32>, tensor<2x1x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %down, contracting_dims = [2] x [0] : (tensor<2x6x8xf32>, tensor<8x4xf32>) -> tensor<2x6x4xf32>
  %1 = stablehlo.tanh %0 : tensor<2x6x4xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.slice %1 [0:2, 0:1, 0:4] : (tensor<2x6x4xf32>) -> tensor<2x1x4xf32>
  return %2, %3 : tensor<4xf32>, tensor<2x1x4xf32>
}
