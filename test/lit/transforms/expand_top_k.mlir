// RUN: distc-opt --pass-pipeline=expand-top-k --split-input-file %s | FileCheck %s

// CHECK-LABEL: @exact
func.func @exact(%x: tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  // CHECK: %[[I:.*]] = stablehlo.iota dim = 1 : tensor<4x9xi32>
  // CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %[[I]]) <{dimension = 1 : i64, is_stable = true}>
  // CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, FLOAT
  // CHECK: stablehlo.slice %[[S]]#0 [0:4, 0:2]
  // CHECK: stablehlo.slice %[[S]]#1 [0:4, 0:2]
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = false}} : (tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

// -----

// The comparator is copied; a result that holds more than k elements stays a call.
// CHECK-LABEL: @approximate
func.func @approximate(%x: tensor<9x4xf32>, %i: tensor<9x4xi32>) -> (tensor<2x4xi32>, tensor<6x4xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<-1> : tensor<i32>
  // CHECK: "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}>
  // CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
  // CHECK: stablehlo.slice %{{.*}}#1 [0:2, 0:4]
  // CHECK: stablehlo.custom_call @ApproxTopK
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %z, %m) {called_computations = [@before], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %z, %m) {called_computations = [@before], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<6x4xf32>, tensor<6x4xi32>)
  return %0#1, %1#1 : tensor<2x4xi32>, tensor<6x4xi32>
}
func.func private @before(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

// CHECK-LABEL: @composite
// CHECK-NOT: stablehlo.composite
// CHECK: stablehlo.negate
func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "chlo.top_k" %x {decomposition = @body} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
