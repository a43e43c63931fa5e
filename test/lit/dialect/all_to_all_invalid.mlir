// Steps that dist.all_to_all cannot make.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @drops(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{the axes that leave a dimension are [x], those that join one []}}
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @other_axis(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{the axes that leave a dimension are [x], those that join one [y]}}
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["y"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @partial(%arg0: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {y = "sum"}>}) -> tensor<8x6xf32> {
  // expected-error @+1 {{y changes between partial and not}}
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[], ["x"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @types(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand is tensor<8xf32> and result is tensor<4xf32>, they must be equal}}
  %0 = "dist.all_to_all"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
