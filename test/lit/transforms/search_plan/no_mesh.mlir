// RUN: not distc-opt --pass-pipeline=search-plan %s 2>&1 | FileCheck %s

// CHECK: error[E-CONFIG]: the module declares no mesh
// CHECK: help: give --mesh, or a dist.mesh op in the module
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
