// The local number of groups was a quotient of zeros.
// fuzz: plain exact
// input 0: []
// input 1: [3.0, 0.0, 3.0, 0.0]
module {
  "dist.mesh"() {axes = ["x"], links = ["device"], sizes = array<i64: 2>, sym_name = "mesh"} : () -> ()
  func.func @main(%arg0: tensor<0x1x2x4xf64>, %arg1: tensor<2x2x1x1xf64>) -> tensor<0x2x4x1xf64> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 1, f, 0]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<0x1x2x4xf64>, tensor<2x2x1x1xf64>) -> tensor<0x2x4x1xf64>
    return %0 : tensor<0x2x4x1xf64>
  }
}
