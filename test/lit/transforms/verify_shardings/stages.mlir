// The life cycle: what may stand beside what, and what a named stage allows.
// RUN: distc-opt %s --split-input-file --verify-shardings --verify-diagnostics
// RUN: not distc-opt %s --split-input-file --verify-shardings="stage=planned" 2>&1 | FileCheck %s --check-prefix=PLANNED
// RUN: not distc-opt %s --split-input-file --verify-shardings="stage=collective" 2>&1 | FileCheck %s --check-prefix=COLLECTIVE
// RUN: not distc-opt %s --verify-shardings="stage=late" 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: error[E-USAGE]: verify-shardings{stage=late}: 'late' is not a value of type Stage

// PLANNED: stablehlo.abs carries no dist.sharding
// PLANNED: dist.constraint outlived its stage: the module is planned
// COLLECTIVE: stablehlo.abs carries no dist.sharding
// COLLECTIVE: dist.constraint outlived its stage: the module is collective
func.func @plain(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @constraint_and_reshard(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{dist.constraint outlived its stage: the module is resharded}}
  %0 = "dist.constraint"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.reshard"(%0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @reshard_and_collective(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{dist.reshard outlived its stage: the module is collective}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "dist.all_gather"(%0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// expected-error @+1 {{2 meshes are declared, a module has one}}
"dist.mesh"() {sym_name = "other", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
