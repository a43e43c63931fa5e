"""Small programs with state, written by hand as StableHLO, and what they compute."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

import distc

BATCH, WIDTH, OUT = 8, 6, 10
LR, BETA = 0.25, 0.5

_LOSS = """
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<BxWxf32>, tensor<WxOxf32>) -> tensor<BxOxf32>
  %e = stablehlo.subtract %y, %t : tensor<BxOxf32>
  %sq = stablehlo.multiply %e, %e : tensor<BxOxf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %loss = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<BxOxf32>, tensor<f32>) -> tensor<f32>
"""
_GRADIENT = """
  %two = stablehlo.constant dense<2.0> : tensor<BxOxf32>
  %dy = stablehlo.multiply %two, %e : tensor<BxOxf32>
  %g = stablehlo.dot_general %x, %dy, contracting_dims = [0] x [0] : (tensor<BxWxf32>, tensor<BxOxf32>) -> tensor<WxOxf32>
"""
_UPDATE = """
  %beta = stablehlo.constant dense<BETA> : tensor<WxOxf32>
  %m0 = stablehlo.multiply %m, %beta : tensor<WxOxf32>
  %m1 = stablehlo.add %m0, %g : tensor<WxOxf32>
  %rate = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<WxOxf32>
  %d = stablehlo.multiply %rate, %m1 : tensor<WxOxf32>
  %w1 = stablehlo.subtract %w, %d : tensor<WxOxf32>
"""
_X = '%x: tensor<BxWxf32> {dist.name = "x"}, %t: tensor<BxOxf32> {dist.name = "t"}'
_LR = '%lr: tensor<f32> {dist.name = "lr"}'
_W = '%w: tensor<WxOxf32> {dist.name = "w", dist.kind = "parameter"}'
_M = (
    '%m: tensor<WxOxf32> {dist.name = "w@momentum_buffer", dist.kind = "optimizer", '
    'dist.parameter = "w", dist.slot = "momentum_buffer", dist.initial = "zeros"}'
)
_G = (
    '%acc: tensor<WxOxf32> {dist.name = "w@grad", dist.kind = "gradient", '
    'dist.parameter = "w", dist.slot = "grad", dist.initial = "zeros"}'
)
_RESULT = {
    "loss": 'tensor<f32> {dist.name = "loss"}',
    "w": 'tensor<WxOxf32> {dist.name = "w.new", dist.updates = "w"}',
    "m": 'tensor<WxOxf32> {dist.name = "m.new", dist.updates = "w@momentum_buffer"}',
    "g": 'tensor<WxOxf32> {dist.name = "g.new", dist.updates = "w@grad"}',
}
EVALUATE = f"""
func.func @evaluate({_X}, {_W}) -> ({_RESULT["loss"]}) {{ {_LOSS}
  return %loss : tensor<f32>
}}
"""
STEP = f"""
func.func @step({_X}, {_LR}, {_W}, {_M}) -> ({_RESULT["loss"]}, {_RESULT["w"]}, {_RESULT["m"]}) {{
  {_LOSS} {_GRADIENT} {_UPDATE}
  return %loss, %w1, %m1 : tensor<f32>, tensor<WxOxf32>, tensor<WxOxf32>
}}
{EVALUATE}"""
ACCUMULATE = f"""
func.func @accumulate({_X}, {_W}, {_G}) -> ({_RESULT["loss"]}, {_RESULT["g"]})
    attributes {{dist.count = 2 : i64}} {{
  {_LOSS} {_GRADIENT}
  %half = stablehlo.constant dense<0.5> : tensor<WxOxf32>
  %scaled = stablehlo.multiply %g, %half : tensor<WxOxf32>
  %g1 = stablehlo.add %acc, %scaled : tensor<WxOxf32>
  return %loss, %g1 : tensor<f32>, tensor<WxOxf32>
}}
func.func @update({_LR}, {_W}, {_M}, {_G}) -> ({_RESULT["w"]}, {_RESULT["m"]}, {_RESULT["g"]}) {{
  %g = stablehlo.reshape %acc : (tensor<WxOxf32>) -> tensor<WxOxf32>
  {_UPDATE}
  %empty = stablehlo.constant dense<0.0> : tensor<WxOxf32>
  return %w1, %m1, %empty : tensor<WxOxf32>, tensor<WxOxf32>, tensor<WxOxf32>
}}
{EVALUATE}"""

PINS = {
    "replicated": "",
    "data": '[[pin]]\ninput = "x"\nsharding = "[S(data), R]"\n',
    "zero1": """
[[pin]]
input = "[xt]"
sharding = "[S(data), R]"
[[pin]]
parameter = "w"
state = "optimizer"
sharding = "[R, S(data)]"
""",
    "zero3": """
[[pin]]
input = "[xt]"
sharding = "[S(data), R]"
[[pin]]
parameter = "w"
sharding = "[R, S(data)]"
""",
    "tensor": '[[pin]]\nparameter = "w"\nsharding = "[R, S(data)]"\n',
    "view": """
[[pin]]
parameter = "w"
view = [3, 2, 5, 2]
sharding = "[R, S(data), R, R]"
[[pin]]
parameter = "w"
state = "optimizer"
view = [6, 5, 2]
sharding = "[R, S(data), R]"
""",
    "partial": """
[[pin]]
input = "[xt]"
sharding = "[S(data), R]"
[[pin]]
parameter = "w"
state = "gradient"
sharding = "[R, R] P(sum: data)"
[[pin]]
parameter = "w"
state = "optimizer"
sharding = "[R, S(data)]"
""",
}


def weights() -> dict[str, Tensor]:
    """Return the first value of w: small halves, so that sums are exact in any order."""
    generator = torch.Generator().manual_seed(1)
    return {"w": torch.randint(-4, 5, (WIDTH, OUT), generator=generator).float() / 4}


def batch(step: int, count: int = 1) -> dict[str, Tensor]:
    """Return the global batch of a step."""
    generator = torch.Generator().manual_seed(100 + step)
    shape = (BATCH * count, WIDTH)
    return {
        "x": torch.randint(-1, 2, shape, generator=generator).float() / 4,
        "t": torch.randint(-1, 2, (shape[0], OUT), generator=generator).float() / 4,
    }


class Reference:
    """The same training in plain torch."""

    def __init__(self) -> None:
        self.w = torch.nn.Parameter(weights()["w"].clone())
        self.optimizer = torch.optim.SGD([self.w], lr=LR, momentum=BETA)

    def step(self, data: dict[str, Tensor], lr: float = LR, count: int = 1) -> float:
        """Take a step; return the mean loss of the micro-batches before it."""
        self.optimizer.param_groups[0]["lr"] = lr
        self.optimizer.zero_grad()
        loss = ((data["x"] @ self.w - data["t"]) ** 2).sum() / count
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @property
    def momentum(self) -> Tensor:
        """The optimizer's state."""
        found: Tensor = self.optimizer.state[self.w]["momentum_buffer"]
        return found


def source(text: str) -> str:
    """Fill in the sizes."""
    sizes = {"BxWx": f"{BATCH}x{WIDTH}x", "BxOx": f"{BATCH}x{OUT}x", "WxOx": f"{WIDTH}x{OUT}x"}
    for name, size in sizes.items():
        text = text.replace(name, size)
    return text.replace("BETA", str(BETA))


def write(folder: Path, ranks: int, pins: str = "zero1", program: str = STEP) -> Path:
    """Compile a program for a mesh data=ranks into `folder`; return the artifact's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.mlir").write_text(source(program))
    save_file(weights(), folder / "w.safetensors")
    constraints = None
    if PINS[pins]:
        constraints = folder / "pins.toml"
        constraints.write_text(PINS[pins])
    compiled = distc.compile(
        str(folder / "train.mlir"),
        mesh=distc.Mesh.of(data=ranks),
        weights=folder / "w.safetensors",
        constraints=constraints,
    )
    return compiled.save(folder / "train.distc")
