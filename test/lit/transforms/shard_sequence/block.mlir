// A sum over the tensor axis becomes a part of the sequence; the residual connection and the norm
// run on that part, and the next block gathers what it reads, once.
// RUN: distc-opt %s --mesh tensor=2 --shard-sequence --verify-shardings --print-pretty | FileCheck %s --check-prefix=PINS
// RUN: distc-opt %s --mesh tensor=2 --pass-pipeline='shard-sequence,propagate,insert-reshards,reshard-to-collectives,optimize-collectives' --verify-shardings --print-pretty | FileCheck %s --check-prefix=PLAN

// PINS-LABEL: func.func @main
// PINS: %[[SUM:.*]] = stablehlo.dot_general %{{.*}}, %arg2
// PINS: %[[PART:.*]] = "dist.constraint"(%[[SUM]]){{.*}}// [R, S(tensor), R]
// PINS: %[[ADD:.*]] = stablehlo.add %{{.*}}, %[[PART]]
// PINS: %[[WHOLE:.*]] = "dist.constraint"(%[[ADD]]){{.*}}// [R, R, R]
// PINS: stablehlo.dot_general %[[WHOLE]], %arg3
// PINS: stablehlo.dot_general %[[WHOLE]], %arg4

// PLAN-LABEL: func.func @main
// PLAN: stablehlo.dot_general %{{.*}}, %arg2{{.*}}P(sum: tensor)
// PLAN-NEXT: "dist.reduce_scatter"{{.*}}// [R, S(tensor), R]
// PLAN: stablehlo.add{{.*}}// [R, S(tensor), R]
// PLAN-NOT: all_reduce
// PLAN: "dist.all_gather"{{.*}}// [R, R, R]
// PLAN-NOT: "dist.
// PLAN: stablehlo.dot_general %{{.*}}, %arg3{{.*}}// [R, R, S(tensor)]
// PLAN: stablehlo.dot_general %{{.*}}, %arg4{{.*}}// [R, R, S(tensor)]
func.func @main(%x: tensor<2x6x4xf32> {dist.kind = "input"},
                %up: tensor<4x8xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [[], ["tensor"]], array<i64: 1, 1>, {}>},
                %down: tensor<8x4xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["tensor"], []], array<i64: 1, 1>, {}>},
                %left: tensor<4x8xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [[], ["tensor"]], array<i64: 1, 1>, {}>},
                %right: tensor<4x8xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [[], ["tensor"]], array<i64: 1, 1>, {}>})
    -> (tensor<2x6x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], [], ["tensor"]], array<i64: 1, 1, 1>, {}>}) {
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [2] x [0] : (tensor<2x6x4xf32>, tensor<4x8xf32>) -> tensor<2x6x8xf32>
  %1 = stablehlo.dot_general %0, %down, contracting_dims = [2] x [0] : (tensor<2x6x8xf32>, tensor<8x4xf32>) -> tensor<2x6x4xf32>
  %2 = stablehlo.add %x, %1 : tensor<2x6x4xf32>
  %3 = stablehlo.dot_general %2, %left, contracting_dims = [2] x [0] : (tensor<2x6x4xf32>, tensor<4x8xf32>) -> tensor<2x6x8xf32>
  %4 = stablehlo.dot_general %2, %right, contracting_dims = [2] x [0] : (tensor<2x6x4xf32>, tensor<4x8xf32>) -> tensor<2x6x8xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<2x6x8xf32>
  return %5 : tensor<2x6x8xf32>
}
