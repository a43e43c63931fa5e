// A partial sum passes linear ops that do not make it larger, and is finished before anything else.
// RUN: distc-opt %s --mesh t=2 --propagate --insert-reshards --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK: stablehlo.reduce{{.*}}// [R, R] P(sum: t)
// CHECK-NEXT: stablehlo.slice{{.*}}// [R, R] P(sum: t)
// CHECK-NEXT: stablehlo.negate{{.*}}// [R, R] P(sum: t)
// CHECK-NEXT: "dist.reshard"{{.*}}// [R, R]
// CHECK-NEXT: stablehlo.abs
func.func @linear(%x: tensor<4x8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"], []], array<i64: 1, 1, 1>, {}>}) -> tensor<4x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %1 = stablehlo.slice %0 [0:4, 0:3] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.negate %1 : tensor<4x3xf32>
  %3 = stablehlo.abs %2 : tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @finished_before_it_grows
// CHECK: stablehlo.reduce{{.*}}// [R] P(sum: t)
// CHECK-NEXT: "dist.reshard"{{.*}}// [R]
// CHECK-NEXT: stablehlo.broadcast_in_dim{{.*}}// [R, R]
func.func @finished_before_it_grows(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>}) -> tensor<4x9xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x9xf32>
  return %1 : tensor<4x9xf32>
}

// A finished side would be added once per rank.
// CHECK-LABEL: func.func @sum_with_a_finished_value
// CHECK: stablehlo.reduce{{.*}}// [R] P(sum: t)
// CHECK-NEXT: %[[DONE:.*]] = "dist.reshard"{{.*}}// [R]
// CHECK-NEXT: stablehlo.add %[[DONE]]
func.func @sum_with_a_finished_value(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.add %0, %y : tensor<4xf32>
  return %1 : tensor<4xf32>
}
