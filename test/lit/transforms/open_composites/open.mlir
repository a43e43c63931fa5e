// Composites are replaced by their bodies, all of them or those named.
// RUN: distc-opt %s --open-composites | FileCheck %s --check-prefix=ALL
// RUN: distc-opt %s --pass-pipeline="open-composites{only=distc.silu}" | FileCheck %s --check-prefix=ONE

// ALL-LABEL: func.func @main
// ALL-NOT: stablehlo.composite
// ALL: stablehlo.logistic
// ALL: stablehlo.negate
// ONE-LABEL: func.func @main
// ONE: stablehlo.logistic
// ONE: stablehlo.composite "distc.other"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "distc.silu" %x {decomposition = @silu} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "distc.other" %0 {decomposition = @other} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.logistic %x : tensor<4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
