// RUN: distc-opt %s --pass-pipeline="builtin.module(apply-views{views=w:4x3x2})" | FileCheck %s
// RUN: not distc-opt %s --pass-pipeline="builtin.module(apply-views{views=w:4x7})" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not distc-opt %s --pass-pipeline="builtin.module(apply-views{views=v:4x6})" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not distc-opt %s --pass-pipeline="builtin.module(apply-views{views=w:2x12})" 2>&1 | FileCheck %s --check-prefix=JOIN

// SIZE: error[E-SHARDING]: view [4, 7] of 'w' has 28 elements, its shape [4, 6] has 24, at {{.*}}apply_views.mlir:15
// SIZE: help:
// NAME: error[E-USAGE]: no argument is called 'v'
// NAME: help:
// JOIN: error[E-SHARDING]: view [2, 12] of 'w' joins dimensions of its shape [4, 6], at {{.*}}apply_views.mlir:15
// JOIN: help:

// CHECK: %arg1: tensor<4x3x2xf32> {dist.name = "w", dist.original_shape = array<i64: 4, 6>}
// CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x3x2xf32>) -> tensor<8x3x2xf32>
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32> {dist.name = "w"}) -> tensor<8x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK-NEXT: %[[S:.*]] = stablehlo.slice %[[D]] [0:8, 1:2, 0:2]
  // CHECK-NEXT: stablehlo.reshape %[[S]] : (tensor<8x1x2xf32>) -> tensor<8x2xf32>
  %1 = stablehlo.slice %0 [0:8, 2:4] : (tensor<8x6xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
