"""A small program whose cheapest plan needs collectives, and the artifacts that tests read."""

from __future__ import annotations

from pathlib import Path

from distc.compiler.compiled import Compiled
from distc.compiler.driver import compile_spec
from distc.compiler.options import CompileOptions
from distc.dialect.mesh import Mesh

# Few rows and large weights: reading them costs most, so they are cut, and a sum is completed.
PROGRAM = """
func.func @main(
    %x: tensor<8x2048xf32> {dist.name = "x", dist.kind = "input"},
    %up: tensor<2048x8192xf32> {dist.name = "up.weight", dist.kind = "input"},
    %down: tensor<8192x2048xf32> {dist.name = "down.weight", dist.kind = "input"})
    -> tensor<8x2048xf32> {
  %0 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
    : (tensor<8x2048xf32>, tensor<2048x8192xf32>) -> tensor<8x8192xf32> loc(#up)
  %1 = stablehlo.tanh %0 : tensor<8x8192xf32> loc(#model)
  %2 = stablehlo.dot_general %1, %down, contracting_dims = [1] x [0]
    : (tensor<8x8192xf32>, tensor<8192x2048xf32>) -> tensor<8x2048xf32> loc(#down)
  %3 = stablehlo.exponential %2 : tensor<8x2048xf32> loc(#model)
  return %3 : tensor<8x2048xf32>
}
#up = loc("mlp.up"("model.py":4:9))
#down = loc("mlp.down"("model.py":5:9))
#model = loc("mlp"("model.py":6:9))
"""

MESH = "data=2,tensor=2"

PINS = """
[[pin]]
input = "up.weight"
sharding = "[R, R]"
"""

CUT_BY_ALL = """
[[pin]]
input = "up.weight"
sharding = "[R, S(data,tensor)]"

[[pin]]
input = "down.weight"
sharding = "[S(data,tensor), R]"
"""


def compiled(
    folder: Path, *, mesh: str = MESH, solver: str | None = "exact", pins: str = ""
) -> Compiled:
    """Compile the program.

    Args:
        folder: where its file is written.
        mesh: the ranks.
        solver: None follows the pins.
        pins: a constraint file.
    """
    path = folder / "program.mlir"
    path.write_text(PROGRAM, encoding="utf-8")
    constraints = None
    if pins:
        constraints = folder / "pins.toml"
        constraints.write_text(pins, encoding="utf-8")
    options = CompileOptions(
        mesh=Mesh.parse(mesh),
        solver=solver,
        hardware="h100-8x" if solver else None,
        constraints=constraints,
    )
    return compile_spec(str(path), options)
