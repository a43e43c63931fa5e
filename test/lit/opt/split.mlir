// Pieces are separate modules; one that fails does not hide the others.
// RUN: not distc-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: func.func @first
// CHECK: // -----
// CHECK: func.func @third
// CHECK: error[E-INPUT]: {{.*}}, at {{.*}}split.mlir:16:
// CHECK-NEXT: help:
func.func @first() {
  return
}

// -----

func.func @second() {
  syntax error
}

// -----

func.func @third() {
  return
}
