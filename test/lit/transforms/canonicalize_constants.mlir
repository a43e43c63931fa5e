// RUN: distc-opt %s --canonicalize-constants | FileCheck %s

// Constants of arith and tensor become StableHLO's; a shape that is known makes its op static.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<3x4xf32>, tensor<4xi64>) {
  // CHECK-NOT: arith.
  // CHECK-NOT: tensor.from_elements
  // CHECK: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<2x2xf32>
  %c = arith.constant 2 : i64
  %0 = tensor.from_elements %c, %c : tensor<2xi64>
  %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1]
  %2 = arith.constant dense<[3, 4]> : tensor<2xi64>
  %3 = stablehlo.dynamic_broadcast_in_dim %x, %2, dims = [1]
    : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  // CHECK: %[[I:.*]] = stablehlo.iota dim = 0 : tensor<4xi64>
  %4 = stablehlo.constant dense<4> : tensor<1xi64>
  %5 = stablehlo.dynamic_iota %4, dim = 0 : (tensor<1xi64>) -> tensor<4xi64>
  // CHECK: return %[[R]], %[[B]], %[[I]]
  return %1, %3, %5 : tensor<2x2xf32>, tensor<3x4xf32>, tensor<4xi64>
}

// A shape that only the argument knows stays dynamic.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<4xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  // CHECK: stablehlo.dynamic_reshape
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
