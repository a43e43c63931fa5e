// Passes run in the order written, by flag or by pipeline text; each is followed by the verifier.
// RUN: distc-opt %s --canonicalize --cse --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: distc-opt %s --pass-pipeline="builtin.module(cse,verify-shardings{stage=source})" --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: distc-opt %s --mesh node=2,gpu=4 | FileCheck %s --check-prefix=MESH
// RUN: distc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: distc-opt %s --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCATION
// RUN: distc-opt %s --mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDED

// ORDER: IR Dump After canonicalize
// ORDER: IR Dump After cse
// TEXT: IR Dump After cse
// TEXT: IR Dump After verify-shardings{stage=source}
// MESH: "dist.mesh"() {axes = ["node", "gpu"], links = ["device", "device"], sizes = array<i64: 2, 4>, sym_name = "mesh"}
// GENERIC: "func.func"() <{
// LOCATION: pipeline.mlir":{{[0-9]+}}:{{[0-9]+}})
// ELIDED: stablehlo.constant dense_resource<__elided__>
func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
