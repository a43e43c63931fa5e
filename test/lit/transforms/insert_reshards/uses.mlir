// One reshard per value and sharding, before its first use; constants are made again instead.
// RUN: distc-opt %s --mesh t=2 --propagate --insert-reshards --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @shared
// CHECK: stablehlo.dot_general{{.*}}// [R, R] P(sum: t)
// CHECK-NEXT: %[[DONE:.*]] = "dist.reshard"{{.*}}// [R, R]
// CHECK-NEXT: stablehlo.tanh %[[DONE]]
// CHECK-NEXT: stablehlo.exponential %[[DONE]]
// CHECK-NOT: dist.reshard
func.func @shared(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>},
                  %w: tensor<8x4xf32> {dist.kind = "parameter"}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  %2 = stablehlo.exponential %0 : tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK-NOT: dist.reshard
// CHECK-DAG: stablehlo.constant{{.*}}// [S(t), R]
// CHECK-DAG: stablehlo.constant{{.*}}// [R, R]
// CHECK: return
func.func @constants(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>},
                     %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<4x4xf32>
  %0 = stablehlo.maximum %x, %c : tensor<4x4xf32>
  %1 = stablehlo.maximum %y, %c : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @pinned_result
// CHECK: stablehlo.negate{{.*}}// [S(t), R]
// CHECK-NEXT: "dist.reshard"{{.*}}// [R, S(t)]
// CHECK-NEXT: return
func.func @pinned_result(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>})
    -> (tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>}) {
  %0 = stablehlo.negate %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @idle
// CHECK-NOT: dist.reshard
// CHECK: return
func.func @idle(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>}) -> tensor<4x4xf32> {
  %0 = "dist.constraint"(%x) {sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
