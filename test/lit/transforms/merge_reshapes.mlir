// RUN: distc-opt %s --merge-reshapes | FileCheck %s

// CHECK-LABEL: func.func @cancel
func.func @cancel(%x: tensor<2x8x32xf32>) -> tensor<2x8x4x8xf32> {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %arg0 : tensor<2x8x32xf32>
  // CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[T]] : (tensor<2x8x32xf32>) -> tensor<2x8x4x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = stablehlo.reshape %x : (tensor<2x8x32xf32>) -> tensor<16x32xf32>
  %1 = stablehlo.tanh %0 : tensor<16x32xf32>
  %2 = stablehlo.reshape %1 : (tensor<16x32xf32>) -> tensor<2x8x4x8xf32>
  return %2 : tensor<2x8x4x8xf32>
}

// A slice of whole heads is a slice of the heads.
// CHECK-LABEL: func.func @heads
func.func @heads(%x: tensor<2x3x4x8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: %[[S:.*]] = stablehlo.slice %arg0 [0:2, 1:2, 0:4, 0:8]
  // CHECK-NEXT: stablehlo.reshape %[[S]] : (tensor<2x1x4x8xf32>) -> tensor<2x4x8xf32>
  %0 = stablehlo.reshape %x : (tensor<2x3x4x8xf32>) -> tensor<2x96xf32>
  %1 = stablehlo.slice %0 [0:2, 32:64] : (tensor<2x96xf32>) -> tensor<2x32xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x32xf32>) -> tensor<2x4x8xf32>
  return %2 : tensor<2x4x8xf32>
}

// Chains become one.
// CHECK-LABEL: func.func @chains
func.func @chains(%x: tensor<2x3xf32>) -> tensor<4x2x3xf32> {
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1, 2]
  // CHECK-NEXT: return %[[B]]
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x2x3xf32>) -> tensor<4x2x3xf32>
  return %3 : tensor<4x2x3xf32>
}

// A composite needs its shape: the merge waits before it.
// CHECK-LABEL: func.func @barrier
func.func @barrier(%x: tensor<2x8x4xf32>) -> tensor<16x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0
  // CHECK-NEXT: stablehlo.composite "distc.silu" %[[R]]
  %0 = stablehlo.reshape %x : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
  %1 = stablehlo.composite "distc.silu" %0 {decomposition = @silu}
    : (tensor<16x4xf32>) -> tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}
func.func private @silu(%x: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %0 = stablehlo.logistic %x : tensor<16x4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<16x4xf32>
  return %1 : tensor<16x4xf32>
}

// What makes a fused weight's gradient out of three: parts stay a dimension, heads another.
// CHECK-LABEL: func.func @fused
func.func @fused(%q: tensor<5x3x8xf32>, %k: tensor<5x3x8xf32>, %v: tensor<5x3x8xf32>) -> tensor<5x3x3x8xf32> {
  // CHECK: %[[C:.*]] = stablehlo.concatenate {{.*}} dim = 1 : (tensor<5x1x3x8xf32>, tensor<5x1x3x8xf32>, tensor<5x1x3x8xf32>)
  // CHECK-NEXT: return %[[C]]
  %0 = stablehlo.reshape %q : (tensor<5x3x8xf32>) -> tensor<5x24xf32>
  %1 = stablehlo.reshape %k : (tensor<5x3x8xf32>) -> tensor<5x24xf32>
  %2 = stablehlo.reshape %v : (tensor<5x3x8xf32>) -> tensor<5x24xf32>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 1 : (tensor<5x24xf32>, tensor<5x24xf32>, tensor<5x24xf32>) -> tensor<5x72xf32>
  %4 = stablehlo.reshape %3 : (tensor<5x72xf32>) -> tensor<5x3x3x8xf32>
  return %4 : tensor<5x3x3x8xf32>
}

// CHECK-LABEL: func.func @one_part
func.func @one_part(%k: tensor<5x3x8xf32>, %z: tensor<f32>) -> tensor<5x3x3x8xf32> {
  // CHECK: %[[P:.*]] = stablehlo.pad {{.*}} low = [0, 1, 0, 0], high = [0, 1, 0, 0]
  // CHECK-NEXT: return %[[P]]
  %0 = stablehlo.reshape %k : (tensor<5x3x8xf32>) -> tensor<5x24xf32>
  %1 = stablehlo.pad %0, %z, low = [0, 24], high = [0, 24], interior = [0, 0] : (tensor<5x24xf32>, tensor<f32>) -> tensor<5x72xf32>
  %2 = stablehlo.reshape %1 : (tensor<5x72xf32>) -> tensor<5x3x3x8xf32>
  return %2 : tensor<5x3x3x8xf32>
}
