// RUN: distc-opt %s --drop-dead | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg1: tensor<4xf32>
func.func @main(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %arg0
  // CHECK-NEXT: %[[A:.*]] = stablehlo.add %[[T]], %[[T]]
  // CHECK-NEXT: return %[[A]]
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  %3 = stablehlo.tanh %x : tensor<4xf32>
  %4 = stablehlo.add %0, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
// CHECK-NOT: @unused
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
