// Collectives get replica groups of partition ids and a channel each.
// RUN: distc-opt %s --mesh x=2,y=2 --propagate --insert-reshards --reshard-to-collectives --partition --verify-partitioned | FileCheck %s

// CHECK-LABEL: func.func @gather(%arg0: tensor<4x8xf32>
// CHECK: "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 2], [1, 3{{\]\]}}> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
func.func @gather(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @gather_both(%arg0: tensor<2x8xf32>
// CHECK: "stablehlo.all_gather"(%arg0){{.*}}replica_groups = dense<{{\[\[}}0, 2, 1, 3{{\]\]}}>
func.func @gather_both(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y", "x"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @turn(%arg0: tensor<4x8xf32>
// CHECK: "stablehlo.all_to_all"(%arg0) <{{.*}}concat_dimension = 0 : i64, replica_groups = dense<{{\[\[}}0, 2], [1, 3{{\]\]}}> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}>
func.func @turn(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @reduce(%arg0: tensor<8x8xf32>
// CHECK: "stablehlo.all_reduce"(%arg0){{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3{{\]\]}}>
// CHECK: stablehlo.maximum
func.func @reduce(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {y = "max"}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @scatter(%arg0: tensor<8x8xf32>
// CHECK: "stablehlo.reduce_scatter"(%arg0) <{{.*}}scatter_dimension = 1 : i64
func.func @scatter(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {y = "sum"}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["y"]], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @swap(%arg0: tensor<4x4xf32>
// CHECK: "stablehlo.collective_permute"(%arg0) <{{.*}}source_target_pairs = dense<{{\[\[}}0, 0], [2, 1], [1, 2], [3, 3{{\]\]}}>
func.func @swap(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y"], ["x"]], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
