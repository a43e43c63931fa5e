// RUN: distc-opt %s --plain-matmuls | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x8x16xf32>, %w: tensor<16x4xf32>) -> tensor<2x8x4xf32> {
  // CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<2x8x16xf32>, tensor<16x4xf32>) -> tensor<2x8x4xf32>
  // CHECK-NEXT: return %[[D]]
  %0 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<2x16x4xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return %1 : tensor<2x8x4xf32>
}

// A weight per batch entry is a batched product.
// CHECK-LABEL: func.func @batched
func.func @batched(%x: tensor<2x8x16xf32>, %w: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
  // CHECK: batching_dims = [0] x [0]
  %1 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return %1 : tensor<2x8x4xf32>
}
