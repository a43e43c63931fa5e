// dist.reshard changes the sharding by whatever it takes; verify-shardings accepts it.
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @cut
// CHECK: "dist.reshard"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"x"], ["y"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @cut(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @complete
// CHECK: "dist.reshard"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}], ["z"{{\]\]}}, array<i64: 1, 1>, {}>}
func.func @complete(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["z"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @blocks
// CHECK: "dist.reshard"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"z"], [{{\]\]}}, array<i64: 4, 1>, {}>}
func.func @blocks(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 4, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @parts
// CHECK: "dist.reshard"(%{{.*}}) {sharding = #dist.sharding<@mesh, {{\[\[}}"z:(2)2"], [{{\]\]}}, array<i64: 1, 1>, {"z:(1)2" = "sum"}>}
func.func @parts(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["z:(2)2"], []], array<i64: 1, 1>, {"z:(1)2" = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
