// A table cut by rows: clamp as on one device, look up what the shard holds, -0.0 elsewhere (the
// element that a sum leaves unchanged, whatever its sign).
// RUN: distc-opt %s --mesh x=2 --propagate --insert-reshards --reshard-to-collectives --partition --verify-partitioned | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>
// CHECK: stablehlo.clamp
// CHECK: stablehlo.constant dense<[0, 5]> : tensor<2xi64>
// CHECK: stablehlo.subtract
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.compare LT
// CHECK: "stablehlo.gather"(%arg0, {{.*}}slice_sizes = array<i64: 1, 4>
// CHECK: stablehlo.constant dense<-0.000000e+00>
// CHECK: stablehlo.select
// CHECK: "stablehlo.all_reduce"
func.func @main(%t: tensor<10x4xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
