// RUN: distc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'dist.mesh' mesh axis x appears 2 times}}
"dist.mesh"() {sym_name = "mesh", axes = ["x", "x"], sizes = array<i64: 2, 2>, links = ["node", "node"]} : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' the mesh has no axis}}
"dist.mesh"() {sym_name = "mesh", axes = [], sizes = array<i64>, links = []} : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' mesh axis x has size 0, the least is 1}}
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 0>, links = ["node"]} : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' mesh axis name '2x' is not an identifier}}
"dist.mesh"() {sym_name = "mesh", axes = ["2x"], sizes = array<i64: 2>, links = ["node"]} : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' 2 axes, 1 sizes and 2 links}}
"dist.mesh"() {sym_name = "mesh", axes = ["x", "y"], sizes = array<i64: 2>, links = ["node", "node"]} : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' unknown link 'wire'}}
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["wire"]} : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' axes, sizes and links must be arrays}}
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = 2 : i64, links = ["node"]} : () -> ()

// -----

func.func @main() {
  // expected-error @+1 {{'dist.mesh' is in func.func, it must stand in the module}}
  "dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["node"]} : () -> ()
  return
}

// -----

// expected-note @+1 {{see existing symbol definition here}}
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["node"]} : () -> ()
// expected-error @+1 {{redefinition of symbol named 'mesh'}}
"dist.mesh"() {sym_name = "mesh", axes = ["y"], sizes = array<i64: 2>, links = ["node"]} : () -> ()
