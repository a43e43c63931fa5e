// Sorts along a cut dimension send candidates, exchange dimensions, or merge with neighbours.
// RUN: distc-opt %s --mesh x=3 --find-top-k --propagate --insert-reshards --reshard-to-collectives --partition --verify-partitioned | FileCheck %s

// Two of a shard of four are sorted, gathered (six candidates) and sorted again.
// CHECK-LABEL: func.func @candidates(%arg0: tensor<4xf32>
// CHECK: "stablehlo.sort"(%arg0)
// CHECK: stablehlo.slice %{{.*}} [0:2] : (tensor<4xf32>) -> tensor<2xf32>
// CHECK: "stablehlo.all_gather"({{.*}} : (tensor<2xf32>) -> tensor<6xf32>
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.slice %{{.*}} [0:2] : (tensor<6xf32>) -> tensor<2xf32>
// CHECK-NOT: stablehlo.all_gather
func.func @candidates(%a: tensor<12xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> tensor<2xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<12xf32>) -> tensor<12xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<12xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Five rows do not divide by three: six travel, two are sorted whole, and all travel back.
// CHECK-LABEL: func.func @elsewhere(%arg0: tensor<5x4xf32>
// CHECK: stablehlo.pad %arg0, {{.*}} -> tensor<6x4xf32>
// CHECK: "stablehlo.all_to_all"({{.*}} : (tensor<6x4xf32>) -> tensor<2x12xf32>
// CHECK: "stablehlo.sort"
// CHECK: "stablehlo.all_to_all"({{.*}} : (tensor<2x12xf32>) -> tensor<6x4xf32>
// CHECK: stablehlo.slice %{{.*}} [0:5, 0:4]
func.func @elsewhere(%a: tensor<5x12xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>}) -> (tensor<5x12xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<5x12xf32>) -> tensor<5x12xf32>
  return %0 : tensor<5x12xf32>
}

// Rounds over (0, 1), (1, 2), (0, 1); values and, since eleven are cut, flags. Nothing is gathered.
// CHECK-LABEL: func.func @neighbours(%arg0: tensor<4xf32>
// CHECK-NOT: stablehlo.all_gather
// CHECK: "stablehlo.collective_permute"({{.*}}dense<{{\[\[}}0, 1], [1, 0]]>
// CHECK: "stablehlo.collective_permute"({{.*}}dense<{{\[\[}}0, 1], [1, 0]]>
// CHECK: "stablehlo.sort"({{.*}}) <{dimension = 0 : i64, is_stable = true}>
// CHECK: : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
// CHECK: "stablehlo.collective_permute"({{.*}}dense<{{\[\[}}1, 2], [2, 1]]>
// CHECK: "stablehlo.collective_permute"({{.*}}dense<{{\[\[}}0, 1], [1, 0]]>
// CHECK-NOT: stablehlo.all_gather
func.func @neighbours(%a: tensor<11xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> (tensor<11xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<11xf32>) -> tensor<11xf32>
  return %0 : tensor<11xf32>
}
