// Steps that dist.to_partial cannot make.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @nothing(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{no axis becomes partial}}
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @completes(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{x is completed}}
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {y = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @gathers(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{the dimensions are cut differently}}
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @types(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand is tensor<8xf32> and result is tensor<4xf32>, they must be equal}}
  %0 = "dist.to_partial"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
