// dist.all_slice puts further axes on dimensions; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @one_axis
// CHECK: "dist.all_slice"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], ["x"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @one_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @inner_axis
// CHECK: "dist.all_slice"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x", "z"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @inner_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [["x", "z"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @block
// CHECK: "dist.all_slice"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], [{{\]\]}}, array<i64: 8, 1>, {}>}
func.func @block(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 8, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
