// Steps that dist.collective_permute cannot make.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @other_size(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{local shapes [4, 6] and [2, 6] differ}}
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [["z"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @fewer_parts(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{the number of parts of the partial value changes}}
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @types(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand is tensor<8xf32> and result is tensor<4xf32>, they must be equal}}
  %0 = "dist.collective_permute"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
