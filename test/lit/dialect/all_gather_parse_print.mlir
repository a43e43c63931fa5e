// dist.all_gather takes the last axes off dimensions; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @one_axis
// CHECK: "dist.all_gather"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @one_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @inner_axis
// CHECK: "dist.all_gather"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @inner_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x", "y"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @two_dims
// CHECK: "dist.all_gather"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @two_dims(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @keeps_partial
// CHECK: "dist.all_gather"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], [{{\]\]}}, array<i64: 1, 1>, {y = "sum"}>}
func.func @keeps_partial(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {y = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @sub_axis
// CHECK: "dist.all_gather"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"z:(1)2"], [{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @sub_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [["z:(1)2"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
