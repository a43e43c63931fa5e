// RUN: distc-opt --pass-pipeline=legalize-quantized --split-input-file %s | FileCheck %s

// CHECK-LABEL: @both_ways
// CHECK-SAME: %arg0: tensor<4xi8>
// CHECK-SAME: -> tensor<4xi8>
func.func @both_ways(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  // CHECK-NOT: quant
  // CHECK: stablehlo.convert %arg0 : (tensor<4xi8>)
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  // CHECK: stablehlo.negate
  %1 = stablehlo.negate %0 : tensor<4xf32>
  // CHECK: stablehlo.clamp
  %2 = stablehlo.uniform_quantize %1 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  // CHECK: return %{{.*}} : tensor<4xi8>
  return %2 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}

// -----

// Without quantized types nothing changes.
// CHECK-LABEL: @plain
func.func @plain(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK-NEXT: %0 = stablehlo.negate %arg0 : tensor<4xi8>
  // CHECK-NEXT: return %0
  %0 = stablehlo.negate %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}
