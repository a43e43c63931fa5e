// dist.collective_permute exchanges whole shards between ranks; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @other_axis
// CHECK: "dist.collective_permute"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"y"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @other_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @order
// CHECK: "dist.collective_permute"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"y", "x"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @order(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x", "y"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [["y", "x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @partial_axis
// CHECK: "dist.collective_permute"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"y"], [{{\]\]}}, array<i64: 1, 1>, {x = "sum"}>}
func.func @partial_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {x = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
