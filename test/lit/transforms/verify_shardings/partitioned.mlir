// After `partition`: local types follow from shardings and global shapes; no dist op is left.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 4>, links = ["device"]} : () -> ()
// Nine in fours: three on a rank, the last holds none.
func.func @good(%arg0: tensor<3xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>, dist.global_shape = array<i64: 9>})
    -> (tensor<6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 6>, {}>, dist.global_shape = array<i64: 18>}) {
  %0 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 4>, links = ["device"]} : () -> ()
// expected-error @+1 {{local type tensor<2xf32> is not what [S(x)] gives of [9]: [3]}}
func.func @argument(%arg0: tensor<2xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>, dist.global_shape = array<i64: 9>}) {
  return
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 4>, links = ["device"]} : () -> ()
// expected-error @+1 {{local type tensor<9xf32> is not what [S(x)] gives of [9]: [3]}}
func.func @result(%arg0: tensor<9xf32>) -> (tensor<9xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>, dist.global_shape = array<i64: 9>}) {
  return %arg0 : tensor<9xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 4>, links = ["device"]} : () -> ()
func.func @op(%arg0: tensor<3xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>, dist.global_shape = array<i64: 9>}) {
  // expected-error @+1 {{dist.reshard outlived its stage: the module is partitioned}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
