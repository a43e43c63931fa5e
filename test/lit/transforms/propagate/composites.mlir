// A composite stays whole where its body partitions without communication, with a body of its own;
// one that is cut where it normalises is opened.
// RUN: distc-opt %s --mesh t=2 --propagate --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @whole
// CHECK: stablehlo.composite "distc.softmax" %arg0 {{.*}}decomposition = @softmax_local0{{.*}}// [S(t), R]
// CHECK-LABEL: func.func @opened
// CHECK-NOT: stablehlo.composite
// CHECK: stablehlo.reduce{{.*}}maximum{{.*}}// [R] P(max: t)
// CHECK: stablehlo.exponential{{.*}}// [R, S(t)]
// CHECK: stablehlo.reduce{{.*}}add{{.*}}// [R] P(sum: t)
// CHECK-LABEL: func.func @untouched
// CHECK: stablehlo.composite {{.*}}decomposition = @softmax,
// CHECK-LABEL: func.func private @softmax_local0
// CHECK: stablehlo.reduce{{.*}}// [S(t)]
func.func private @softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<4x6xf32>
  %3 = stablehlo.exponential %2 : tensor<4x6xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.divide %3, %5 : tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}
func.func @whole(%x: tensor<4x6xf32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>}) -> tensor<4x6xf32> {
  %0 = stablehlo.composite "distc.softmax" %x {composite_attributes = {dim = 1 : i64}, decomposition = @softmax} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @opened(%x: tensor<4x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>}) -> tensor<4x6xf32> {
  %0 = stablehlo.composite "distc.softmax" %x {composite_attributes = {dim = 1 : i64}, decomposition = @softmax} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @untouched(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.composite "distc.softmax" %x {composite_attributes = {dim = 1 : i64}, decomposition = @softmax} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
