// Running reductions gather one total per rank; exclusive ones fetch one element of a neighbour.
// RUN: distc-opt %s --mesh x=3 --propagate --insert-reshards --reshard-to-collectives --partition --verify-partitioned | FileCheck %s

// CHECK-LABEL: func.func @inclusive(%arg0: tensor<4xi32>
// CHECK: "stablehlo.reduce_window"(%arg0,{{.*}}dense<{{\[\[}}3, 0]]>{{.*}}window_dimensions = array<i64: 4>
// CHECK: stablehlo.reduce(%arg0
// CHECK: "stablehlo.all_gather"({{.*}} : (tensor<1xi32>) -> tensor<3xi32>
// CHECK: stablehlo.reduce(
// CHECK: stablehlo.add
// CHECK-NOT: stablehlo.collective_permute
// CHECK: return
func.func @inclusive(%a: tensor<12xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> (tensor<12xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 12>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
  return %0 : tensor<12xi32>
}

// CHECK-LABEL: func.func @exclusive_reversed(%arg0: tensor<4xi32>
// CHECK: "stablehlo.reduce_window"(%arg0,{{.*}}dense<{{\[\[}}0, 3]]>{{.*}}window_dimensions = array<i64: 4>
// CHECK: "stablehlo.all_gather"({{.*}} : (tensor<1xi32>) -> tensor<3xi32>
// CHECK: "stablehlo.collective_permute"({{.*}}dense<{{\[\[}}1, 0], [2, 1]]>{{.*}} : (tensor<1xi32>) -> tensor<1xi32>
// CHECK: return
func.func @exclusive_reversed(%a: tensor<12xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> (tensor<12xi32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{padding = dense<[[-1, 12]]> : tensor<1x2xi64>, window_dimensions = array<i64: 12>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
  return %0 : tensor<12xi32>
}
