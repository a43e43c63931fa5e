"""A step of two linear layers, forward, backward and update, as StableHLO with module paths."""

from __future__ import annotations

ROWS, WIDTH, INNER = 4096, 512, 2048


def dot(result: str, a: str, b: str, dims: str, types: str, where: str) -> str:
    """A line of a matrix product."""
    text = f"{result} = stablehlo.dot_general {a}, {b}, contracting_dims = {dims} : {types}"
    return f'{text} loc("{where}")\n'


def layer_step(rows: int = ROWS) -> str:
    """Two linear layers forward and backward, and their updates."""
    x, w = f"tensor<{rows}x{WIDTH}xf32>", f"tensor<{WIDTH}x{INNER}xf32>"
    v, h = f"tensor<{INNER}x{WIDTH}xf32>", f"tensor<{rows}x{INNER}xf32>"
    body = (
        dot("%h", "%x", "%w", "[1] x [0]", f"({x}, {w}) -> {h}", "up")
        + f'%a = stablehlo.tanh %h : {h} loc("act")\n'
        + dot("%y", "%a", "%v", "[1] x [0]", f"({h}, {v}) -> {x}", "down")
        + f'%s = stablehlo.add %y, %x : {x} loc("residual")\n'
        + f'%g = stablehlo.subtract %s, %t : {x} loc("loss#bwd")\n'
        + dot("%gv", "%a", "%g", "[0] x [0]", f"({h}, {x}) -> {v}", "down#bwd")
        + dot("%ga", "%g", "%v", "[1] x [1]", f"({x}, {v}) -> {h}", "down#bwd")
        + f'%gh = stablehlo.multiply %ga, %a : {h} loc("act#bwd")\n'
        + dot("%gw", "%x", "%gh", "[0] x [0]", f"({x}, {h}) -> {w}", "up#bwd")
        + dot("%gx", "%gh", "%w", "[1] x [1]", f"({h}, {w}) -> {x}", "up#bwd")
        + f'%gs = stablehlo.add %gx, %g : {x} loc("residual#bwd")\n'
        + f'%nw = stablehlo.subtract %w, %gw : {w} loc("w")\n'
        + f'%nv = stablehlo.subtract %v, %gv : {v} loc("v")\n'
        + f"return %gs, %nw, %nv : {x}, {w}, {v}\n"
    )
    name = '{dist.kind = "parameter", dist.name = "%s"}'
    new = '{dist.updates = "%s"}'
    return f"""
    func.func @main(%x: {x}, %t: {x}, %w: {w} {name % "w"}, %v: {v} {name % "v"})
        -> ({x}, {w} {new % "w"}, {v} {new % "v"}) {{
      {body}
    }}
    """


CUT = '#dist.sharding<@mesh, [["data"], []], array<i64: 1, 1>, {}>'


def pinned_step() -> str:
    """The step with its batch and its weights in shards."""
    text = layer_step()
    for name in ("%x", "%t"):
        plain = f"{name}: tensor<{ROWS}x{WIDTH}xf32>"
        text = text.replace(plain, f"{plain} {{dist.sharding = {CUT}}}", 1)
    for name in ("w", "v"):
        plain = f'dist.name = "{name}"'
        text = text.replace(plain, f"{plain}, dist.sharding = {CUT}", 1)
    return text
