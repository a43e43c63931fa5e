// RUN: distc-opt %s --inline-calls --split-input-file --verify-diagnostics | FileCheck %s

// A callee that calls another; the private functions are gone.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.+]] = stablehlo.abs %[[X]]
// CHECK-NEXT: %[[B:.+]] = stablehlo.negate %[[A]]
// CHECK-NEXT: return %[[B]]
// CHECK-NOT: func.func
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A call inside a branch reads what the branch captures; a region of the callee too.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[P:.+]]: tensor<i1>, %[[X:.+]]: tensor<4xf32>)
// CHECK: "stablehlo.if"(%[[P]])
// CHECK: stablehlo.negate %[[X]]
// CHECK-NOT: call
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @either(%p, %x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @either(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @again(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{@again calls itself}}
  %0 = call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
