// RUN: distc-opt %s --unflatten | FileCheck %s

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<2x8x32xf32>, %w: tensor<64x32xf32>) -> tensor<16x64xf32> {
  // CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [1] : (tensor<2x8x32xf32>, tensor<64x32xf32>) -> tensor<2x8x64xf32>
  // CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[D]] : (tensor<2x8x64xf32>) -> tensor<16x64xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = stablehlo.reshape %x : (tensor<2x8x32xf32>) -> tensor<16x32xf32>
  %1 = stablehlo.transpose %w, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]
    : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %2 : tensor<16x64xf32>
}

// Batch and heads are batching dimensions of their own; k is contracted as it lies.
// CHECK-LABEL: func.func @scores
func.func @scores(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>) -> tensor<8x8x8xf32> {
  // CHECK: stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3]
  // CHECK-SAME: -> tensor<2x4x8x8xf32>
  %0 = stablehlo.reshape %q : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %1 = stablehlo.reshape %k : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<8x8x16xf32>) -> tensor<8x16x8xf32>
  %3 = stablehlo.dot_general %0, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<8x8x16xf32>, tensor<8x16x8xf32>) -> tensor<8x8x8xf32>
  return %3 : tensor<8x8x8xf32>
}

// Heads merged into a contraction stay merged while the weight's side is one dimension.
// CHECK-LABEL: func.func @output
func.func @output(%x: tensor<2x8x4x16xf32>, %w: tensor<64x32xf32>) -> tensor<16x32xf32> {
  // CHECK: %[[M:.*]] = stablehlo.reshape %arg0 : (tensor<2x8x4x16xf32>) -> tensor<2x8x64xf32>
  // CHECK: stablehlo.dot_general %[[M]], %arg1, contracting_dims = [2] x [0]
  %0 = stablehlo.reshape %x : (tensor<2x8x4x16xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}
