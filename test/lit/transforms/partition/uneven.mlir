// Uneven dimensions: one static size on every rank, padding masked where elements meet.
// RUN: distc-opt %s --mesh x=2 --propagate --insert-reshards --reshard-to-collectives --partition --verify-partitioned | FileCheck %s

// The contracted dimension of five is three and two: both sides are zeroed past the true length.
// CHECK-LABEL: func.func @contract(%arg0: tensor<4x3xf32>{{.*}}, %arg1: tensor<3x6xf32>
// CHECK-DAG: stablehlo.constant dense<[3, 2]> : tensor<2xi64>
// CHECK-DAG: stablehlo.compare LT
// CHECK-DAG: %[[L:.*]] = stablehlo.select {{.*}}, %arg0,
// CHECK-DAG: %[[R:.*]] = stablehlo.select {{.*}}, %arg1,
// CHECK: stablehlo.dot_general %[[L]], %[[R]]
// CHECK: "stablehlo.all_reduce"
func.func @contract(%a: tensor<4x5xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>},
                    %b: tensor<5x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// A maximum sees minus infinity instead of padding.
// CHECK-LABEL: func.func @largest
// CHECK: stablehlo.constant dense<0xFF800000> : tensor<3xf32>
// CHECK: stablehlo.select
// CHECK: stablehlo.reduce
func.func @largest(%a: tensor<5xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> tensor<f32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// Integer division by padding must not trap.
// CHECK-LABEL: func.func @divide
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<3xi32>
// CHECK: %[[SAFE:.*]] = stablehlo.select {{.*}}, %arg1, %[[ONE]]
// CHECK: stablehlo.divide %arg0, %[[SAFE]]
func.func @divide(%a: tensor<5xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}, %b: tensor<5xi32>) -> (tensor<5xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  %0 = stablehlo.divide %a, %b : tensor<5xi32>
  return %0 : tensor<5xi32>
}
// A rank counts from where its shard starts.
// CHECK-LABEL: func.func @count
// CHECK: stablehlo.iota dim = 0 : tensor<3xi32>
// CHECK: stablehlo.add
func.func @count() -> (tensor<5xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  %0 = stablehlo.iota dim = 0 : tensor<5xi32>
  return %0 : tensor<5xi32>
}
// Gathering five of three and two cuts the padding off.
// CHECK-LABEL: func.func @gather
// CHECK: "stablehlo.all_gather"{{.*}} : (tensor<3x2xf32>) -> tensor<6x2xf32>
// CHECK: stablehlo.slice {{.*}} [0:5, 0:2]
func.func @gather(%a: tensor<5x2xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<5x2xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<5x2xf32>
}
// Empty values need no collective.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: all_gather
// CHECK: return
func.func @empty(%a: tensor<0x2xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<0x2xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<0x2xf32>
}
