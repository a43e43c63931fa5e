// RUN: distc-opt %s --fold-splats | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[S:.*]] = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
  // CHECK-NEXT: return %[[S]]
  %c = stablehlo.constant dense<2> : tensor<i64>
  %0 = stablehlo.convert %c : (tensor<i64>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.power %x, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Arithmetic in f64 is rounded once where it becomes f32.
// CHECK-LABEL: func.func @scale
func.func @scale() -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<0.353553385> : tensor<2x3xf32>
  // CHECK-NEXT: return %[[C]]
  %c = stablehlo.constant dense<8.0> : tensor<f64>
  %0 = stablehlo.rsqrt %c : tensor<f64>
  %1 = stablehlo.convert %0 : (tensor<f64>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// Functions that round differently everywhere stay; so does what is not a splat.
// CHECK-LABEL: func.func @stays
func.func @stays() -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: stablehlo.exponential
  // CHECK: stablehlo.add
  %c = stablehlo.constant dense<3.0> : tensor<2xf32>
  %d = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.exponential %c : tensor<2xf32>
  %1 = stablehlo.add %c, %d : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// A number just above the middle of two is rounded once: by way of f32 it would go down.
// CHECK-LABEL: @rounded_once
func.func @rounded_once() -> (tensor<bf16>, tensor<f32>) {
  // CHECK-DAG: stablehlo.constant dense<1.007810e+00> : tensor<bf16>
  // CHECK-DAG: stablehlo.constant dense<0x4B800001> : tensor<f32>
  %a = stablehlo.constant dense<1.00390625000091> : tensor<f64>
  %0 = stablehlo.convert %a : (tensor<f64>) -> tensor<bf16>
  %b = stablehlo.constant dense<16777217.0001> : tensor<f64>
  %1 = stablehlo.convert %b : (tensor<f64>) -> tensor<f32>
  return %0, %1 : tensor<bf16>, tensor<f32>
}

// What f64 cannot hold is left to the run.
// CHECK-LABEL: @large
func.func @large() -> tensor<f32> {
  // CHECK: stablehlo.convert
  %a = stablehlo.constant dense<9007199254740993> : tensor<i64>
  %0 = stablehlo.convert %a : (tensor<i64>) -> tensor<f32>
  return %0 : tensor<f32>
}
