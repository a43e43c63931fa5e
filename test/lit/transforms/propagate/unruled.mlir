// An op without a rule runs on whole values and says so; it never stops a compile.
// RUN: distc-opt %s --mesh t=2 --propagate --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: dist.replicated_for_lack_of_rule{{.*}}// [R, R]
func.func @main(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>}) -> tensor<4x4xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<4x4xf32> cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %n = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %n : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
