// Steps that dist.reduce_scatter cannot make.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @other_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{the completed axes are [x], those that join a dimension [y]}}
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @only_reduces(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "sum"}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{the completed axes are [x], those that join a dimension []}}
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @gathers(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["y"], []], array<i64: 1, 1>, {x = "sum"}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{y leaves a dimension}}
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @types(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand is tensor<8xf32> and result is tensor<4xf32>, they must be equal}}
  %0 = "dist.reduce_scatter"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
