// Steps that dist.all_slice cannot make.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @leaves(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{x leaves a dimension}}
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @nothing(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{no axis joins a dimension}}
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @becomes_partial(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{y changes between partial and not}}
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @uneven_block(%arg0: tensor<10xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) -> tensor<10xf32> {
  // expected-error @+1 {{the outer split of dimension 0 of size 10 moves}}
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [["x", "y"]], array<i64: 2>, {}>} : (tensor<10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

func.func @types(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand is tensor<8xf32> and result is tensor<4xf32>, they must be equal}}
  %0 = "dist.all_slice"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
