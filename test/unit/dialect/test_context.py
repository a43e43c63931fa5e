"""The door for text: what is refused before MLIR sees it, and where errors point."""

import pytest
from torch_mlir import ir

from distc.dialect.context import MAX_NESTING, make_context, parse_module
from distc.dialect.locations import file_line, module_path, where
from distc.runtime.errors import InputError


def refuse(text, match, filename="model.mlir"):
    with pytest.raises(InputError, match=match) as caught:
        parse_module(text, make_context(), filename)
    assert caught.value.help
    return caught.value


def test_bytecode_is_refused():
    refuse("ML\xefR\x01", "bytecode or binary, only text")
    refuse("module {}\0", "bytecode or binary, only text")


@pytest.mark.parametrize(
    "text",
    [
        "module {" * (MAX_NESTING + 1),
        "#a = " + "[" * 5000 + "]" * 5000,
        "func.func @f(%a: " + "tuple<" * 3000 + ">" * 3000 + ")",
        "\n".join(["#a0 = [1]", *(f"#a{i + 1} = [#a{i}]" for i in range(5000))]),
    ],
)
def test_deep_nesting_is_refused_before_the_parser_overflows(text):
    refuse(text, "levels deep, the limit is 1000")


def test_brackets_in_strings_comments_and_arrows_do_not_nest():
    text = 'func.func @f() -> i32 attributes {s = "' + "[" * 2000 + '"} {\n  // ' + "(" * 2000
    text += "\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  %1 = "
    refuse(text, "expected")  # the parser was reached


def test_syntax_errors_are_located_in_the_file():
    error = refuse("module {\n  nonsense\n}", "custom op 'nonsense' is unknown")
    assert error.where is not None and error.where.startswith("model.mlir:2:3")


def test_torch_and_chlo_are_not_known():
    refuse('"chlo.erf"() : () -> ()', "unregistered dialect")
    refuse('"torch.constant.none"() : () -> ()', "unregistered dialect")


def test_parsed_ops_know_their_file():
    module = parse_module(
        "module {\n  func.func @f(%a: i32) {\n return\n}}", make_context(), "m.mlir"
    )
    func = module.body.operations[0]
    assert file_line(func.location) == "m.mlir:2:3"
    assert file_line(func.regions[0].blocks[0].arguments[0].location) == "m.mlir:2:16"


def test_where_names_file_op_and_module():
    ctx = make_context()
    text = 'func.func @f() {\n  return loc("model.layers.0"("model.py":12:7))\n}'
    module = parse_module(text, ctx)
    op = module.body.operations[0].regions[0].blocks[0].operations[0]
    assert where(op) == "model.py:12:7 (func.return in model.layers.0)"


def test_locations_inside_locations():
    with make_context(), ir.Location.unknown():
        line = ir.Location.file("a.py", 3, 4)
        named = ir.Location.name("m.l", line)
        fused = ir.Location.fused([ir.Location.unknown(), named])
        called = ir.Location.callsite(named, [line])
        for location in (named, fused, called):
            assert file_line(location) == "a.py:3:4"
            assert module_path(location) == "m.l"
        assert file_line(ir.Location.unknown()) is None
        assert module_path(line) is None
