// --verify-diagnostics fails where an expected error is missing, elsewhere, or not expected.
// RUN: not distc-opt %s --split-input-file --verify-diagnostics 2>&1 | FileCheck %s

// CHECK: diagnostics.mlir:[[# @LINE + 1]]: expected diagnostic 'nothing of the kind' was not produced
// expected-error @+1 {{nothing of the kind}}
func.func @good() {
  return
}

// -----

func.func @unexpected() {
  // CHECK: diagnostics.mlir:[[# @LINE + 1]]: unexpected diagnostic: {{.*}}custom op 'wrong' is unknown
  wrong
}

// -----

func.func @other_line() {
  // CHECK: diagnostics.mlir:[[# @LINE + 1]]: expected diagnostic 'custom op' was not produced
  // expected-error @+2 {{custom op}}
  wrong
  return
}

// -----

func.func @regular_expression() {
  // expected-error-re @below {{custom op .w[a-z]+. is unknown}}
  wrong
}
// CHECK-NOT: regular_expression
