// The conversions have no effects: unused ones go, equal ones merge, used ones stay.
// RUN: distc-opt %s --canonicalize --cse --symbol-dce --verify-each=false | FileCheck %s

// The mesh is no dead symbol.
// CHECK: "dist.mesh"
"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()

// CHECK-LABEL: func.func @constraint
// CHECK-NEXT: %[[KEPT:.*]] = "dist.constraint"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @constraint(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.constraint"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.constraint"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.constraint"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @reshard
// CHECK-NEXT: %[[KEPT:.*]] = "dist.reshard"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @reshard(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @all_gather
// CHECK-NEXT: %[[KEPT:.*]] = "dist.all_gather"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @all_gather(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.all_gather"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @all_slice
// CHECK-NEXT: %[[KEPT:.*]] = "dist.all_slice"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @all_slice(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @all_reduce
// CHECK-NEXT: %[[KEPT:.*]] = "dist.all_reduce"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @all_reduce(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.all_reduce"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.all_reduce"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.all_reduce"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @reduce_scatter
// CHECK-NEXT: %[[KEPT:.*]] = "dist.reduce_scatter"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @reduce_scatter(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @all_to_all
// CHECK-NEXT: %[[KEPT:.*]] = "dist.all_to_all"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @all_to_all(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @collective_permute
// CHECK-NEXT: %[[KEPT:.*]] = "dist.collective_permute"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @collective_permute(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @to_partial
// CHECK-NEXT: %[[KEPT:.*]] = "dist.to_partial"
// CHECK-NEXT: stablehlo.add %[[KEPT]], %[[KEPT]]
// CHECK-NEXT: return
func.func @to_partial(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %dead = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Other shardings are other values.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-2: "dist.reshard"
// CHECK: return
func.func @different(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.reshard"(%0) {sharding = #dist.sharding<@mesh, [["y"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
