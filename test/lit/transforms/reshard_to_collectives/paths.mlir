// Every reshard becomes the cheapest path of single collectives.
// RUN: distc-opt %s --mesh x=2,y=2 --propagate --insert-reshards --reshard-to-collectives --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @gather
// CHECK: "dist.all_gather"{{.*}}// [R, R]
func.func @gather(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x", "y"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @gather_uneven
// CHECK: "dist.all_gather"{{.*}}// [S(x), R]
// CHECK-NEXT: "dist.all_gather"{{.*}}// [R, R]
func.func @gather_uneven(%a: tensor<9x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x", "y"], []], array<i64: 1, 1>, {}>}) -> (tensor<9x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<9x8xf32>
}
// CHECK-LABEL: func.func @slice
// CHECK: "dist.all_slice"{{.*}}// [R, S(y)]
func.func @slice(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["y"]], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @turn
// CHECK: "dist.all_to_all"{{.*}}// [R, S(x)]
func.func @turn(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @finish
// CHECK: "dist.all_reduce"{{.*}}// [S(y), R]
func.func @finish(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {x = "sum"}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @finish_and_cut
// CHECK: "dist.reduce_scatter"{{.*}}// [S(y,x), R]
func.func @finish_and_cut(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {x = "sum"}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y", "x"], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @swap
// CHECK: "dist.collective_permute"{{.*}}// [S(y), S(x)]
func.func @swap(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], ["y"]], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["y"], ["x"]], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @make_partial
// CHECK: "dist.to_partial"{{.*}}// [R, R] P(sum: x)
func.func @make_partial(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>}) {
  return %a : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @stay
// CHECK-NEXT: return %arg0
func.func @stay(%a: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) {
  return %a : tensor<8x8xf32>
}
