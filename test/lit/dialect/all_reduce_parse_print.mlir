// dist.all_reduce completes partial axes; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @sum
// CHECK: "dist.all_reduce"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @sum(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_reduce"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @one_of_two
// CHECK: "dist.all_reduce"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], [{{\]\]}}, array<i64: 1, 1>, {y = "sum"}>}
func.func @one_of_two(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "max", y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_reduce"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {y = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @two
// CHECK: "dist.all_reduce"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @two(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "max", y = "max"}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_reduce"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
