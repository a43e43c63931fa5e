// dist.all_to_all moves an axis from one dimension to another; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @swap
// CHECK: "dist.all_to_all"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], ["x"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @swap(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @inner
// CHECK: "dist.all_to_all"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], ["y"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @inner(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x", "y"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @onto_cut
// CHECK: "dist.all_to_all"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], ["y", "x"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @onto_cut(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["y", "x"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
