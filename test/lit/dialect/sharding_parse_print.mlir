// Where shardings stand: on arguments, on results of functions, on ops (one per result).
// RUN: distc-opt %s --verify-shardings | FileCheck %s
// RUN: distc-opt %s | distc-opt --verify-shardings | FileCheck %s
// RUN: distc-opt %s --print-pretty | FileCheck %s --check-prefix=PRETTY
// RUN: distc-opt %s --print-pretty | distc-opt | FileCheck %s

"dist.mesh"() {sym_name = "mesh", axes = ["node", "gpu"], sizes = array<i64: 2, 4>, links = ["network", "device"]} : () -> ()

// CHECK: func.func @main(%arg0: tensor<8x8xf32> {dist.kind = "input", dist.name = "x", dist.sharding = #dist.sharding<@mesh, {{\[\[}}"node", "gpu"], []], array<i64: 1, 1>, {}>}
// CHECK-SAME: -> (tensor<8xf32> {dist.name = "y", dist.sharding = #dist.sharding<@mesh, {{\[\[}}"gpu:(1)2"]], array<i64: 4>, {"gpu:(2)2" = "max", node = "sum"}>})
// PRETTY: func.func @main
// PRETTY-SAME: // [S(node,gpu), R]; [S(gpu:(1)2)/4] P(sum: node) + P(max: gpu:(2)2)
func.func @main(%arg0: tensor<8x8xf32> {dist.name = "x", dist.kind = "input", dist.sharding = #dist.sharding<@mesh, [["node", "gpu"], []], array<i64: 1, 1>, {}>})
    -> (tensor<8xf32> {dist.name = "y", dist.sharding = #dist.sharding<@mesh, [["gpu:(1)2"]], array<i64: 4>, {node = "sum", "gpu:(2)2" = "max"}>}) {
  // CHECK: stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, {{\[\[}}"node", "gpu"], []], array<i64: 1, 1>, {}>]}
  // PRETTY: stablehlo.abs
  // PRETTY-SAME: // [S(node,gpu), R]
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["node", "gpu"], []], array<i64: 1, 1>, {}>]} : tensor<8x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.reduce
  // CHECK-SAME: dist.sharding = [#dist.sharding<@mesh, {{\[\[\]\]}}, array<i64: 1>, {}>, #dist.sharding<@mesh, {{\[\[}}"gpu"]], array<i64: 1>, {}>]
  %1:2 = "stablehlo.reduce"(%0, %arg0, %zero, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    %t = stablehlo.add %b, %d : tensor<f32>
    stablehlo.return %s, %t : tensor<f32>, tensor<f32>
  }) {dist.sharding = [#dist.sharding<@mesh, [[]], array<i64: 1>, {}>, #dist.sharding<@mesh, [["gpu"]], array<i64: 1>, {}>]}
    : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %1#0 : tensor<8xf32>
}
