// A constraint is a pin in the middle of the program; it becomes a reshard.
// RUN: distc-opt %s --mesh t=2 --propagate --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.negate{{.*}}// [S(t), R]
// CHECK: "dist.reshard"{{.*}}// [R, S(t)]
// CHECK: stablehlo.exponential{{.*}}// [R, S(t)]
// CHECK-NOT: dist.constraint
func.func @main(%x: tensor<4x6xf32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>}) -> tensor<4x6xf32> {
  %0 = stablehlo.negate %x : tensor<4x6xf32>
  %1 = "dist.constraint"(%0) {sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.exponential %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
