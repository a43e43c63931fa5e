// dist.reduce_scatter completes a partial axis and cuts a dimension by it; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @sum
// CHECK: "dist.reduce_scatter"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @sum(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @inner
// CHECK: "dist.reduce_scatter"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x", "y"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @inner(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [["x", "y"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @two_dims
// CHECK: "dist.reduce_scatter"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], ["y"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @two_dims(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum", y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
