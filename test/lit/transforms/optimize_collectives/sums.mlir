// Two branches that end in partial sums are added first and finished once.
// RUN: distc-opt %s --mesh t=2 --propagate --insert-reshards --reshard-to-collectives --optimize-collectives --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @branches
// CHECK-COUNT-2: stablehlo.dot_general{{.*}}// [R, R] P(sum: t)
// CHECK: stablehlo.add{{.*}}// [R, R] P(sum: t)
// CHECK-NEXT: "dist.all_reduce"
// CHECK-NOT: "dist.all_reduce"
func.func @branches(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>},
                    %v: tensor<8x4xf32>, %w: tensor<8x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = "dist.constraint"(%0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "dist.constraint"(%1) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.add %2, %3 : tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
// CHECK-LABEL: func.func @used_elsewhere
// CHECK-COUNT-2: "dist.all_reduce"
// CHECK: stablehlo.add{{.*}}// [R, R]
func.func @used_elsewhere(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>},
                          %v: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.tanh %0 : tensor<4x4xf32>
  %3 = stablehlo.add %0, %1 : tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
