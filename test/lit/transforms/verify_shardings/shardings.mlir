// Shardings of foreign ops, arguments and results that do not fit.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @unknown_axis(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{E-SHARDING}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["z"]], array<i64: 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @other_mesh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{sharding on mesh @stage, the module's mesh is @mesh}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@stage, [["x"]], array<i64: 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @no_mesh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{a sharding is given and the module declares no mesh}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @count(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{stablehlo.abs has 1 results and 2 shardings}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>, #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @not_an_array(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{dist.sharding of stablehlo.abs is #dist.sharding}}
  %0 = stablehlo.abs %arg0 {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @not_a_sharding(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{"x" is not a #dist.sharding attribute}}
  %0 = stablehlo.abs %arg0 {dist.sharding = ["x"]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @blocks(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{1 dimensions and blocks array<i64: 1, 1>}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["x"]], array<i64: 1, 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @axis_text(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'x:2' is not an axis}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["x:2"]], array<i64: 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @dim_not_an_array(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{dimension "x" is not an array of axes}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, ["x"], array<i64: 1>, {}>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// expected-error @+1 {{has 2 dimensions, the value [8] has 1}}
func.func @argument_rank(%arg0: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) {
  return
}

// -----

"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// expected-error @+1 {{block 3 does not divide dimension 0 of size 8}}
func.func @result_block(%arg0: tensor<8xf32>) -> (tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 3>, {}>}) {
  return %arg0 : tensor<8xf32>
}

// -----

// All findings are reported at once.
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
func.func @all(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{unknown mesh axis 'u'}}
  %0 = stablehlo.abs %arg0 {dist.sharding = [#dist.sharding<@mesh, [["u"]], array<i64: 1>, {}>]} : tensor<8xf32>
  // expected-error @+1 {{unknown mesh axis 'v'}}
  %1 = stablehlo.abs %0 {dist.sharding = [#dist.sharding<@mesh, [["v"]], array<i64: 1>, {}>]} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
