// State has one sharding in all entry points, and what updates it has the same.
// RUN: distc-opt %s --propagate --split-input-file | FileCheck %s

// The first entry point leaves the cache open, the second pins it.
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// CHECK-LABEL: func.func @first
// CHECK-SAME: dist.name = "cache", dist.sharding = #dist.sharding<@mesh, {{\[\["x"\], \[\]\]}}
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, {{\[\["x"\], \[\]\]}}{{.*}}dist.updates = "cache"
func.func @first(%cache: tensor<8x4xf32> {dist.kind = "state", dist.name = "cache"}) -> (tensor<8x4xf32> {dist.updates = "cache"}) {
  %0 = stablehlo.negate %cache : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
// CHECK-LABEL: func.func @second
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, {{\[\["x"\], \[\]\]}}{{.*}}dist.updates = "cache"
func.func @second(%cache: tensor<8x4xf32> {dist.kind = "state", dist.name = "cache", dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> (tensor<8x4xf32> {dist.updates = "cache"}) {
  %0 = stablehlo.abs %cache : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Nothing pins the cache: the first entry point decides by its use, for both.
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
// CHECK-LABEL: func.func @prefill
// CHECK-SAME: dist.name = "cache", dist.sharding = #dist.sharding<@mesh, {{\[\["x"\], \[\]\]}}
func.func @prefill(%a: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}, %cache: tensor<8x4xf32> {dist.kind = "state", dist.name = "cache"}) -> (tensor<8x4xf32> {dist.updates = "cache"}) {
  %0 = stablehlo.add %a, %cache : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
// CHECK-LABEL: func.func @decode
// CHECK-SAME: dist.name = "cache", dist.sharding = #dist.sharding<@mesh, {{\[\["x"\], \[\]\]}}
// CHECK-SAME: dist.sharding = #dist.sharding<@mesh, {{\[\["x"\], \[\]\]}}{{.*}}dist.updates = "cache"
func.func @decode(%cache: tensor<8x4xf32> {dist.kind = "state", dist.name = "cache"}) -> (tensor<8x4xf32> {dist.updates = "cache"}) {
  %0 = stablehlo.negate %cache : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
