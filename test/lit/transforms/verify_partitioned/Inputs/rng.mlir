"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["node"]} : () -> ()
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<3xf32> {
  %s = stablehlo.constant dense<[3]> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
