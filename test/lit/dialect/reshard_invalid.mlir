// RUN: distc-opt %s --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @rank(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{has 1 dimensions, the value [8, 6] has 2}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @axis(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{unknown mesh axis 'w'; the mesh is x=2,y=2,z=4}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["w"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @twice(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{axis x is used twice}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], ["x"]], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @twice_partial(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{axis x is used twice}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {x = "sum"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @block(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{block 3 does not divide dimension 0 of size 8}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 3, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @reduction(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{unknown reduction "mean"}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[], []], array<i64: 1, 1>, {x = "mean"}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x", "y", "z"], sizes = array<i64: 2, 2, 4>, links = ["node", "device", "device"]} : () -> ()
func.func @part(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // expected-error @+1 {{sub-axis z:(3)2 does not divide axis z of size 4}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [["z:(3)2"], []], array<i64: 1, 1>, {}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @types(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand is tensor<8xf32> and result is tensor<4xf32>, they must be equal}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @not_a_tensor(%arg0: tuple<>) -> tuple<> {
  // expected-error @+1 {{result is tuple<>, it must be a tensor of static shape}}
  %0 = "dist.reshard"(%arg0) {sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>} : (tuple<>) -> tuple<>
  return %0 : tuple<>
}

// -----

func.func @no_sharding(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{attribute "sharding" is expected but not provided}}
  %0 = "dist.reshard"(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
