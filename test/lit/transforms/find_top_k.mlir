// RUN: distc-opt --pass-pipeline=find-top-k --split-input-file %s | FileCheck %s

// Of two results one is read further than the other: the furthest counts.
// CHECK-LABEL: @front
func.func @front(%x: tensor<4x1000xf32>, %i: tensor<4x1000xi32>) -> (tensor<4x5xf32>, tensor<4x7xi32>) {
  // CHECK: "stablehlo.sort"
  // CHECK: }) {dist.first = 7 : i64}
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %3 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<4x1000xf32>, tensor<4x1000xi32>) -> (tensor<4x1000xf32>, tensor<4x1000xi32>)
  %1 = stablehlo.slice %0#0 [0:4, 0:5] : (tensor<4x1000xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.slice %0#1 [0:4, 0:7] : (tensor<4x1000xi32>) -> tensor<4x7xi32>
  return %1, %2 : tensor<4x5xf32>, tensor<4x7xi32>
}

// -----

// Read from behind, or whole: no mark, and a mark from before goes.
// CHECK-LABEL: @behind
// CHECK-NOT: dist.first
func.func @behind(%x: tensor<10xf32>) -> (tensor<3xf32>, tensor<10xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<10xf32>) -> tensor<10xf32>
  %1 = stablehlo.slice %0 [7:10] : (tensor<10xf32>) -> tensor<3xf32>
  %2 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) {dist.first = 2 : i64} : (tensor<10xf32>) -> tensor<10xf32>
  return %1, %2 : tensor<3xf32>, tensor<10xf32>
}
