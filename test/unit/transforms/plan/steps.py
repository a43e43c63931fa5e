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


def deep_step(layers: int, rows: int = ROWS, width: int = WIDTH, inner: int = INNER) -> str:
    """Layers x → x + tanh(x · w), each widened and summed, forward, backward and update."""
    x, w = f"tensor<{rows}x{width}xf32>", f"tensor<{width}x{inner}xf32>"
    h, row = f"tensor<{rows}x{inner}xf32>", f"tensor<{rows}xf32>"
    lines = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"]
    for i in range(layers):
        at = f"layers.{i}"
        lines += [
            dot(f"%h{i}", f"%x{i}", f"%w{i}", "[1] x [0]", f"({x}, {w}) -> {h}", f"{at}.up"),
            f'%a{i} = stablehlo.tanh %h{i} : {h} loc("{at}.act")\n',
            f"%s{i} = stablehlo.reduce(%a{i} init: %zero) applies stablehlo.add across "
            f'dimensions = [1] : ({h}, tensor<f32>) -> {row} loc("{at}.sum")\n',
            f"%b{i} = stablehlo.broadcast_in_dim %s{i}, dims = [0] : ({row}) -> {x} "
            f'loc("{at}.sum")\n',
            f'%x{i + 1} = stablehlo.add %x{i}, %b{i} : {x} loc("{at}")\n',
        ]
    lines.append(f'%g{layers} = stablehlo.subtract %x{layers}, %t : {x} loc("loss#bwd")\n')
    for i in reversed(range(layers)):
        at = f"layers.{i}"
        lines += [
            f"%gs{i} = stablehlo.reduce(%g{i + 1} init: %zero) applies stablehlo.add across "
            f'dimensions = [1] : ({x}, tensor<f32>) -> {row} loc("{at}.sum#bwd")\n',
            f"%gb{i} = stablehlo.broadcast_in_dim %gs{i}, dims = [0] : ({row}) -> {h} "
            f'loc("{at}.sum#bwd")\n',
            f'%q{i} = stablehlo.multiply %a{i}, %a{i} : {h} loc("{at}.act#bwd")\n',
            f'%p{i} = stablehlo.multiply %gb{i}, %q{i} : {h} loc("{at}.act#bwd")\n',
            f'%gh{i} = stablehlo.subtract %gb{i}, %p{i} : {h} loc("{at}.act#bwd")\n',
            dot(f"%gw{i}", f"%x{i}", f"%gh{i}", "[0] x [0]", f"({x}, {h}) -> {w}", f"{at}.up#bwd"),
            dot(f"%gx{i}", f"%gh{i}", f"%w{i}", "[1] x [1]", f"({h}, {w}) -> {x}", f"{at}.up#bwd"),
            f'%g{i} = stablehlo.add %gx{i}, %g{i + 1} : {x} loc("{at}#bwd")\n',
            f'%n{i} = stablehlo.subtract %w{i}, %gw{i} : {w} loc("w{i}")\n',
        ]
    state = "".join(
        f', %w{i}: {w} {{dist.kind = "parameter", dist.name = "w{i}"}}' for i in range(layers)
    )
    results = "".join(f', {w} {{dist.updates = "w{i}"}}' for i in range(layers))
    returned = ", ".join(f"%n{i}" for i in range(layers))
    types = ", ".join([w] * layers)
    body = "".join(lines)
    return f"""
    func.func @main(%x0: {x}, %t: {x}{state}) -> ({x}{results}) {{
      {body}
      return %g0, {returned} : {x}, {types}
    }}
    """
