// RUN: distc-opt %s | FileCheck %s
// RUN: distc-opt %s | distc-opt | FileCheck %s

// CHECK: "dist.mesh"() {axes = ["node", "gpu"], links = ["network", "device"], sizes = array<i64: 2, 4>, sym_name = "mesh"} : () -> ()
"dist.mesh"() {sym_name = "mesh", axes = ["node", "gpu"], sizes = array<i64: 2, 4>, links = ["network", "device"]} : () -> ()
