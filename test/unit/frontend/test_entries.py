"""Several exported programs become entry points of one module."""

from __future__ import annotations

from torch_mlir import ir

from distc.compiler.frontend.entries import join_entries, mark_state
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module

MAIN = """
func.func @main(%c: tensor<4xf32> {{dist.name = "cache", dist.kind = "input"}})
    -> (tensor<4xf32> {{dist.name = "cache"}}) {{
  %0 = stablehlo.composite "distc.twice" %c {{decomposition = @twice}}
      : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @more(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.{op} %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}}
func.func private @more(%x: tensor<4xf32>) -> tensor<4xf32> {{
  return %x : tensor<4xf32>
}}
"""


def joined() -> ir.Module:
    context = make_context()
    modules = {
        name: parse_module(MAIN.format(op=op), context, name)
        for name, op in (("prefill", "add"), ("decode", "multiply"))
    }
    return join_entries(modules, context)


def test_each_main_becomes_an_entry_with_its_own_bodies() -> None:
    module = joined()
    assert module.operation.verify()
    bodies = {
        stablehlo.symbol(f): [op.name for op in stablehlo.walk(f)]
        for f in stablehlo.functions(module)
    }
    assert bodies == {
        "prefill": ["stablehlo.composite", "func.call", "func.return"],
        "prefill_twice": ["stablehlo.add", "func.return"],
        "prefill_more": ["func.return"],
        "decode": ["stablehlo.composite", "func.call", "func.return"],
        "decode_twice": ["stablehlo.multiply", "func.return"],
        "decode_more": ["func.return"],
    }
    decode = next(f for f in stablehlo.functions(module) if stablehlo.symbol(f) == "decode")
    text = str(decode)
    assert "decomposition = @decode_twice" in text


def test_state_is_marked_on_argument_and_result() -> None:
    module = joined()
    func = stablehlo.functions(module)[0]
    mark_state(func, {"cache": "cache.0"}, {"cache": "cache.0"}, "state")
    argument = ir.DictAttr(ir.ArrayAttr(func.attributes["arg_attrs"])[0])
    result = ir.DictAttr(ir.ArrayAttr(func.attributes["res_attrs"])[0])
    said = {key: ir.StringAttr(argument[key]).value for key in ("dist.name", "dist.kind")}
    assert said == {"dist.name": "cache.0", "dist.kind": "state"}
    assert ir.StringAttr(argument["dist.initial"]).value == "zeros"
    assert ir.StringAttr(result["dist.updates"]).value == "cache.0"
