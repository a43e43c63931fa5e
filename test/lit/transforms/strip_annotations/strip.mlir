// What is left is StableHLO that any tool reads.
// RUN: distc-opt %s --mesh x=2 --propagate --insert-reshards --reshard-to-collectives --partition --strip-annotations | FileCheck %s

// CHECK-NOT: dist.
// CHECK: func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NOT: dist.
func.func @main(%x: tensor<4xf32> {dist.name = "x", dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> (tensor<4xf32> {dist.name = "y", dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
