// State comes back as it went in, and is one thing in all entry points.
// RUN: distc-opt %s --verify-state --split-input-file --verify-diagnostics

// Right: updated in one entry point, read in another that leaves the sharding open.
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>})
    -> (tensor<8xf32> {dist.updates = "w"}) attributes {dist.count = 4 : i64} {
  return %w : tensor<8xf32>
}
func.func @evaluate(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter"}) -> tensor<8xf32> {
  return %w : tensor<8xf32>
}

// -----

// expected-error @+1 {{dist.updates names "v", no state that @step takes}}
func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter"}) -> (tensor<8xf32> {dist.updates = "v"}) {
  return %w : tensor<8xf32>
}

// -----

// An input is not kept: nothing can update it.
// expected-error @+1 {{dist.updates names "x", no state that @step takes}}
func.func @step(%x: tensor<8xf32> {dist.name = "x", dist.kind = "input"}) -> (tensor<8xf32> {dist.updates = "x"}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{results 0 and 1 both update 'w'}}
func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter"}) -> (tensor<8xf32> {dist.updates = "w"}, tensor<8xf32> {dist.updates = "w"}) {
  return %w, %w : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error @+1 {{result 0 is tensor<8xf64> and updates 'w', which is tensor<8xf32>}}
func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter"}) -> (tensor<8xf64> {dist.updates = "w"}) {
  %0 = stablehlo.convert %w : (tensor<8xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// expected-error @+1 {{and updates 'w', which has}}
func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>})
    -> (tensor<8xf32> {dist.updates = "w", dist.sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>}) {
  return %w : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}) {
  return
}
// expected-error @+1 {{state 'w' has the sharding}}
func.func @evaluate(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter", dist.sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {}>}) {
  return
}

// -----

func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter"}) {
  return
}
// expected-error @+1 {{state 'w' has the kind "buffer", "parameter" in @step}}
func.func @evaluate(%w: tensor<8xf32> {dist.name = "w", dist.kind = "buffer"}) {
  return
}

// -----

func.func @step(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter"}) {
  return
}
// expected-error @+1 {{state 'w' has the type tensor<4xf32>, tensor<8xf32> in @step}}
func.func @evaluate(%w: tensor<4xf32> {dist.name = "w", dist.kind = "parameter"}) {
  return
}

// -----

// expected-error @+1 {{state 'w@m' has dist.initial "ones"}}
func.func @step(%m: tensor<8xf32> {dist.name = "w@m", dist.kind = "state", dist.initial = "ones"}) {
  return
}

// -----

// expected-error @+1 {{state 'w@m' says not which parameter and slot it is}}
func.func @step(%m: tensor<8xf32> {dist.name = "w@m", dist.kind = "optimizer", dist.parameter = "w"}) {
  return
}

// -----

// expected-error @+1 {{dist.count is 0 : i64}}
func.func @step() attributes {dist.count = 0 : i64} {
  return
}

// -----

// expected-error @+1 {{state 'w@master' starts as the parameter 'v', which no entry point takes}}
func.func @step(%m: tensor<8xf64> {dist.name = "w@master", dist.kind = "optimizer", dist.parameter = "v", dist.slot = "master", dist.initial = "parameter"}) {
  return
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// expected-error @+1 {{state 'cache' is held as [R] P(sum: x) and does not start as a sum of zeros}}
func.func @step(%m: tensor<8xf32> {dist.name = "cache", dist.kind = "state", dist.sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {"x" = "sum"}>}) {
  return
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @step(%m: tensor<8xf32> {dist.name = "sum", dist.kind = "state", dist.initial = "zeros", dist.sharding = #dist.sharding<@mesh, [[]], array<i64: 1>, {"x" = "sum"}>}) {
  return
}
