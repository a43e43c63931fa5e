// dist.relayout keeps the axes and changes the block; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @block
// CHECK: "dist.relayout"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"z"], [{{\]\]}}, array<i64: 4, 1>, {}>}
func.func @block(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.relayout"(%arg0) {sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 4, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @unblock
// CHECK: "dist.relayout"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"z"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @unblock(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 4, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.relayout"(%arg0) {sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
