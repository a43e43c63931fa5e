// dist.to_partial makes a replicated axis partial; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @sum
// CHECK: "dist.to_partial"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], [{{\]\]}}, array<i64: 1, 1>, {x = "sum"}>}
func.func @sum(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @beside_cut
// CHECK: "dist.to_partial"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], [{{\]\]}}, array<i64: 1, 1>, {y = "max"}>}
func.func @beside_cut(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "max"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
