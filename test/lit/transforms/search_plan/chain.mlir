// RUN: distc-opt --pass-pipeline=search-plan --split-input-file %s | FileCheck %s

// Rows cut over all ranks need no communication at all.
module {
  "dist.mesh"() {axes = ["data", "tensor"], links = ["device", "device"], sizes = array<i64: 2, 2>, sym_name = "mesh"} : () -> ()
  // CHECK-LABEL: @rows
  // CHECK-SAME: %arg0: tensor<4096x4096xf32> {dist.sharding = #dist.sharding<@mesh, {{\[\[}}"data", "tensor"], []]
  // CHECK-SAME: %arg1: tensor<4096x16384xf32> {dist.sharding = #dist.sharding<@mesh, {{\[\[}}], []]
  func.func @rows(%x: tensor<4096x4096xf32>, %w: tensor<4096x16384xf32>, %v: tensor<16384x4096xf32>) -> tensor<4096x4096xf32> {
    // CHECK: dot_general {{.*}}dist.factors = ["data,tensor", "", ""]
    // CHECK: tanh {{.*}}dist.factors = ["data,tensor", ""]
    // CHECK: dot_general {{.*}}dist.factors = ["data,tensor", "", ""]
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x16384xf32>) -> tensor<4096x16384xf32>
    %1 = stablehlo.tanh %0 : tensor<4096x16384xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<4096x16384xf32>, tensor<16384x4096xf32>) -> tensor<4096x4096xf32>
    return %2 : tensor<4096x4096xf32>
  }
}

// -----

// Weights that are pinned to their parts stay there where gathering them costs more than one sum.
module {
  "dist.mesh"() {axes = ["tensor"], links = ["device"], sizes = array<i64: 4>, sym_name = "mesh"} : () -> ()
  // CHECK-LABEL: @pinned
  // CHECK-SAME: %arg1: tensor<4096x16384xf32> {dist.sharding = #dist.sharding<@mesh, {{\[\[}}], ["tensor"]]
  // CHECK-SAME: %arg2: tensor<16384x4096xf32> {dist.sharding = #dist.sharding<@mesh, {{\[\[}}"tensor"], []]
  func.func @pinned(%x: tensor<8x4096xf32>, %w: tensor<4096x16384xf32> {dist.sharding = #dist.sharding<@mesh, [[], ["tensor"]], array<i64: 1, 1>, {}>}, %v: tensor<16384x4096xf32> {dist.sharding = #dist.sharding<@mesh, [["tensor"], []], array<i64: 1, 1>, {}>}) -> tensor<8x4096xf32> {
    // CHECK: dot_general {{.*}}dist.factors = ["", "tensor", ""]
    // CHECK: tanh {{.*}}dist.factors = ["", "tensor"]
    // CHECK: dot_general {{.*}}dist.factors = ["", "", "tensor"]
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4096xf32>, tensor<4096x16384xf32>) -> tensor<8x16384xf32>
    %1 = stablehlo.tanh %0 : tensor<8x16384xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x16384xf32>, tensor<16384x4096xf32>) -> tensor<8x4096xf32>
    return %2 : tensor<8x4096xf32>
  }
}
