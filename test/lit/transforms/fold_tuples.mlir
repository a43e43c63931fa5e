// RUN: distc-opt --pass-pipeline=fold-tuples --split-input-file %s | FileCheck %s

// CHECK-LABEL: @members
func.func @members(%a: tensor<4xf32>, %b: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK-NOT: tuple
  // CHECK: %[[N:.*]] = stablehlo.negate %arg0
  // CHECK: return %[[N]], %arg1
  %i = "stablehlo.tuple"(%b) : (tensor<4xi32>) -> tuple<tensor<4xi32>>
  %t = "stablehlo.tuple"(%a, %i) : (tensor<4xf32>, tuple<tensor<4xi32>>) -> tuple<tensor<4xf32>, tuple<tensor<4xi32>>>
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tuple<tensor<4xi32>>>) -> tensor<4xf32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tuple<tensor<4xi32>>>) -> tuple<tensor<4xi32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<4xi32>>) -> tensor<4xi32>
  %3 = stablehlo.negate %0 : tensor<4xf32>
  return %3, %2 : tensor<4xf32>, tensor<4xi32>
}

// -----

// A tuple that is returned stays, and so does a member of an argument.
// CHECK-LABEL: @left
func.func @left(%t: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> {
  // CHECK: stablehlo.get_tuple_element %arg0[0]
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  // CHECK: stablehlo.tuple
  %1 = "stablehlo.tuple"(%0) : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  return %1 : tuple<tensor<4xf32>>
}

// -----

// What was started runs where it started.
// CHECK-LABEL: @asynchronous
func.func @asynchronous(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  // CHECK-NOT: async
  // CHECK: %[[S:.*]] = stablehlo.slice %arg0 [0:2]
  // CHECK: %[[N:.*]] = stablehlo.negate %arg0
  // CHECK: return %[[S]], %[[N]]
  %f = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %s = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %s : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  %n = stablehlo.negate %a : tensor<4xf32>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %r, %n : tensor<2xf32>, tensor<4xf32>
}
