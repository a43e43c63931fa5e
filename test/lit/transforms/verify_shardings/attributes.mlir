// The other `dist` attributes.
// RUN: distc-opt %s --verify-shardings --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown dist.kind "weight"}}
func.func @kind(%arg0: tensor<8xf32> {dist.kind = "weight"}) {
  return
}

// -----

// expected-error @+1 {{unknown attribute dist.nmae}}
func.func @argument(%arg0: tensor<8xf32> {dist.nmae = "x"}) {
  return
}

// -----

// expected-error @+1 {{unknown attribute dist.kind}}
func.func @result(%arg0: tensor<8xf32>) -> (tensor<8xf32> {dist.kind = "input"}) {
  return %arg0 : tensor<8xf32>
}

// -----

func.func @op(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{unknown attribute dist.shard on stablehlo.abs}}
  %0 = stablehlo.abs %arg0 {dist.shard = 1 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{dist.name is 3 : i64}}
func.func @name(%arg0: tensor<8xf32> {dist.name = 3 : i64}) {
  return
}

// -----

// expected-error @+2 {{arguments 0 and 1 are both called 'w'}}
func.func @names(%arg0: tensor<8xf32> {dist.name = "w"},
                 %arg1: tensor<8xf32> {dist.name = "w"}) {
  return
}

// -----

// expected-error @+1 {{the value [3, 4] is no view of dist.original_shape [13]: other numbers of elements}}
func.func @view(%arg0: tensor<3x4xf32> {dist.original_shape = array<i64: 13>}) {
  return
}

// -----

func.func @good_view(%arg0: tensor<3x4xf32> {dist.original_shape = array<i64: 12>, dist.kind = "parameter", dist.name = "w"}) {
  return
}
