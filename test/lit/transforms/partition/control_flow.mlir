// A loop runs on shards where its regions let a dimension pass: rows here, not the columns that are
// reversed. What the regions read from outside is cut with them; nothing inside communicates, and a
// rank's facts (how many rows it holds) are found once, before the loop.
// RUN: distc-opt %s --mesh t=2 --propagate --insert-reshards --reshard-to-collectives --partition --verify-partitioned | FileCheck %s
// RUN: distc-opt %s --mesh t=2 --propagate --print-pretty | FileCheck %s --check-prefix=PLAN

// PLAN-LABEL: func.func @rows
// PLAN: stablehlo.while
// PLAN-SAME: // []; [S(t), R]
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tensor<3x4xi32>
// CHECK: stablehlo.partition_id
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<3x4xi32>
// CHECK-NOT: stablehlo.{{all_|collective_|dynamic_slice}}
// CHECK: stablehlo.reverse {{.*}} dims = [1] : tensor<3x4xi32>
// CHECK: stablehlo.select
// CHECK: stablehlo.divide {{.*}} : tensor<3x4xi32>
// CHECK-NOT: stablehlo.{{all_|collective_|dynamic_slice}}
// CHECK: return
func.func @rows(%n: tensor<i32>,
                %x: tensor<5x4xi32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>},
                %d: tensor<5x4xi32>) -> tensor<5x4xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<5x4xi32> cond {
    %p = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %r = stablehlo.reverse %a, dims = [1] : tensor<5x4xi32>
    %q = stablehlo.divide %r, %d : tensor<5x4xi32>
    stablehlo.return %j, %q : tensor<i32>, tensor<5x4xi32>
  }
  return %0#1 : tensor<5x4xi32>
}

// Branches read all their data from outside: an operand cut otherwise is brought into place first.
// CHECK-LABEL: func.func @branch
// CHECK: stablehlo.all_to_all
// CHECK: "stablehlo.if"
// CHECK: stablehlo.add {{.*}} : tensor<2x4xi32>
// CHECK: (tensor<i1>) -> tensor<2x4xi32>
func.func @branch(%p: tensor<i1>,
                  %x: tensor<4x4xi32> {dist.sharding = #dist.sharding<@mesh, [["t"], []], array<i64: 1, 1>, {}>},
                  %y: tensor<4x4xi32> {dist.sharding = #dist.sharding<@mesh, [[], ["t"]], array<i64: 1, 1>, {}>}) -> tensor<4x4xi32> {
  %0 = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %y : tensor<4x4xi32>
    stablehlo.return %s : tensor<4x4xi32>
  }, {
    stablehlo.return %x : tensor<4x4xi32>
  }) : (tensor<i1>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
