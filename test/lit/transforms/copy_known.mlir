// RUN: distc-opt --pass-pipeline=copy-known --split-input-file %s | FileCheck %s

// A causal mask that two ops read: each gets its own, at its own place.
// CHECK-LABEL: @mask
// CHECK: %[[A:.*]] = stablehlo.compare LE
// CHECK: stablehlo.select %[[A]], %arg0
// CHECK: %[[B:.*]] = stablehlo.compare LE
// CHECK: stablehlo.select %[[B]], %arg1
func.func @mask(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %row = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %column = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %m = stablehlo.compare LE, %column, %row : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %0 = stablehlo.select %m, %x, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  %1 = stablehlo.select %m, %y, %zero : tensor<8x8xi1>, tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// What a small buffer alone makes is known, what a large one makes is not.
// CHECK-LABEL: @arguments
// CHECK: %[[L:.*]] = stablehlo.cosine %arg1
// CHECK: %[[A:.*]] = stablehlo.cosine %arg0
// CHECK: stablehlo.add %[[A]], %arg2
// CHECK: stablehlo.add %[[L]], %arg3
// CHECK: %[[B:.*]] = stablehlo.cosine %arg0
// CHECK: stablehlo.multiply %[[B]], %arg2
// CHECK: stablehlo.multiply %[[L]], %arg3
func.func @arguments(%s: tensor<64xf32> {dist.kind = "buffer", dist.name = "s"}, %l: tensor<65536xf32> {dist.kind = "buffer", dist.name = "l"}, %x: tensor<64xf32>, %y: tensor<65536xf32>)
    -> (tensor<64xf32>, tensor<65536xf32>, tensor<64xf32>, tensor<65536xf32>) {
  %l0 = stablehlo.cosine %l : tensor<65536xf32>
  %s0 = stablehlo.cosine %s : tensor<64xf32>
  %0 = stablehlo.add %s0, %x : tensor<64xf32>
  %1 = stablehlo.add %l0, %y : tensor<65536xf32>
  %2 = stablehlo.multiply %s0, %x : tensor<64xf32>
  %3 = stablehlo.multiply %l0, %y : tensor<65536xf32>
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<65536xf32>, tensor<64xf32>, tensor<65536xf32>
}

// -----

// Plain constants and iotas stay shared: a rank makes any part of them anyway.
// CHECK-LABEL: @creators
// CHECK-COUNT-1: stablehlo.iota
// CHECK-NOT: stablehlo.iota
func.func @creators(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %0 = stablehlo.add %x, %i : tensor<8xi32>
  %1 = stablehlo.multiply %x, %i : tensor<8xi32>
  return %0, %1 : tensor<8xi32>, tensor<8xi32>
}
