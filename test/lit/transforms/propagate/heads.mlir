// Nine heads in groups of three on two ranks: columns in blocks of 192, heads in blocks of three.
// RUN: distc-opt %s --mesh t=2 --propagate --verify-shardings --print-pretty | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.dot_general{{.*}}// [R, S(t)/192]
// CHECK: stablehlo.reshape{{.*}}// [R, S(t)/3, R]
// CHECK: stablehlo.transpose{{.*}}// [S(t)/3, R, R]
func.func @main(%x: tensor<5x576xf32> {dist.kind = "input"},
                %q: tensor<576x576xf32> {dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 192, 1>, {}>}) -> tensor<9x5x64xf32> {
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [1] : (tensor<5x576xf32>, tensor<576x576xf32>) -> tensor<5x576xf32>
  %1 = stablehlo.reshape %0 : (tensor<5x576xf32>) -> tensor<5x9x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<5x9x64xf32>) -> tensor<9x5x64xf32>
  return %2 : tensor<9x5x64xf32>
}
