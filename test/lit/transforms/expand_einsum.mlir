// RUN: distc-opt --pass-pipeline=expand-einsum --split-input-file %s | FileCheck %s

// CHECK-LABEL: @contraction
func.func @contraction(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>) -> tensor<6x4xf32> {
  // CHECK: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1]
  // CHECK-SAME: -> tensor<4x6xf32>
  // CHECK: stablehlo.transpose %[[D]], dims = [1, 0]
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ab,cb->ca"}> : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// A letter of one operand alone is summed before the product; nothing is transposed in order.
// CHECK-LABEL: @summed
func.func @summed(%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  // CHECK: %[[S:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [1]
  // CHECK: stablehlo.dot_general %[[S]], %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1]
  // CHECK-NOT: transpose
  %0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "nxk,nkc->nc"}> : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// CHECK-LABEL: @unary
func.func @unary(%a: tensor<2x3x4xi1>) -> tensor<4x2xi1> {
  // CHECK: %[[S:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.or across dimensions = [1]
  // CHECK: stablehlo.transpose %[[S]], dims = [1, 0]
  %0 = "stablehlo.unary_einsum"(%a) <{einsum_config = "abc->ca"}> : (tensor<2x3x4xi1>) -> tensor<4x2xi1>
  return %0 : tensor<4x2xi1>
}

// -----

// Diagonals and ellipses stay.
// CHECK-LABEL: @left
func.func @left(%a: tensor<3x3xf32>, %b: tensor<2x3x3xf32>) -> (tensor<3xf32>, tensor<2x3x3xf32>) {
  // CHECK: stablehlo.unary_einsum
  %0 = "stablehlo.unary_einsum"(%a) <{einsum_config = "ii->i"}> : (tensor<3x3xf32>) -> tensor<3xf32>
  // CHECK: stablehlo.einsum
  %1 = "stablehlo.einsum"(%b, %b) <{einsum_config = "...ij,...jk->...ik"}> : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0, %1 : tensor<3xf32>, tensor<2x3x3xf32>
}
