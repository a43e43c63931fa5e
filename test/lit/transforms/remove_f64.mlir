// RUN: distc-opt %s --remove-f64 | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
  // CHECK-NEXT: %[[M:.*]] = stablehlo.multiply %arg0, %[[C]] : tensor<4xf32>
  // CHECK-NEXT: return %[[M]]
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.constant dense<5.0e-1> : tensor<4xf64>
  %2 = stablehlo.multiply %0, %1 : tensor<4xf64>
  %3 = stablehlo.convert %2 : (tensor<4xf64>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Two roundings are not one: the chain stays in f64.
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.multiply {{.*}} : tensor<4xf64>
  // CHECK: stablehlo.add {{.*}} : tensor<4xf64>
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.multiply %0, %0 : tensor<4xf64>
  %2 = stablehlo.add %1, %0 : tensor<4xf64>
  %3 = stablehlo.convert %2 : (tensor<4xf64>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
