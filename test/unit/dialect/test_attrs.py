"""Shardings on ops, arguments and results; the tables of the converter."""

import gc
import weakref

import pytest
from torch_mlir import ir

from distc.dialect import attrs
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.runtime.errors import IllegalSharding

MESH = Mesh.of(x=2, y=2)
TEXT = """
"dist.mesh"() {sym_name = "mesh", axes = ["x", "y"], sizes = array<i64: 2, 2>,
               links = ["device", "device"]} : () -> ()
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32> {dist.name = "b"}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = "dist.reshard"(%0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.fixture
def module():
    return parse_module(TEXT, make_context())


def main_of(module):
    return module.body.operations[1]


def ops_of(module):
    return main_of(module).regions[0].blocks[0].operations


def of(text):
    return parse_sharding(text, MESH)


def test_op_shardings(module):
    add, reshard = ops_of(module)[0], ops_of(module)[1]
    assert attrs.op_shardings(add, MESH) is None
    attrs.set_op_shardings(add, [of("[R] P(sum: y)")])
    assert attrs.op_shardings(add, MESH) == (of("[R] P(sum: y)"),)
    assert "dist.sharding = [#dist.sharding<" in str(add)
    assert attrs.op_shardings(reshard, MESH) == (of("[S(x)]"),)
    attrs.set_op_shardings(reshard, [of("[S(y)]")])
    assert "dist.sharding =" not in str(reshard)
    assert attrs.op_shardings(reshard, MESH) == (of("[S(y)]"),)
    assert module.operation.verify()


def test_value_shardings(module):
    func, add = main_of(module), ops_of(module)[0]
    assert attrs.value_sharding(add.operands[1], MESH) is None
    assert attrs.value_sharding(add.results[0], MESH) is None
    attrs.set_arg_sharding(func, 1, of("[S(x)]"))
    attrs.set_op_shardings(add, [of("[S(y)]")])
    assert attrs.value_sharding(add.operands[1], MESH) == of("[S(x)]")
    assert attrs.value_sharding(add.results[0], MESH) == of("[S(y)]")


def test_argument_and_result_attributes(module):
    func = main_of(module)
    assert attrs.arg_attr(func, 0, "dist.name") is None
    assert attrs.arg_attr(func, 1, "dist.name").value == "b"
    attrs.set_arg_sharding(func, 1, of("[S(x)]"))
    assert attrs.arg_attr(func, 1, "dist.name").value == "b"
    assert attrs.arg_sharding(func, 1, MESH) == of("[S(x)]")
    assert attrs.arg_sharding(func, 0, MESH) is None
    attrs.set_arg_attr(func, 1, "dist.name", None)
    assert attrs.arg_attr(func, 1, "dist.name") is None
    assert attrs.arg_sharding(func, 1, MESH) == of("[S(x)]")

    assert attrs.result_sharding(func, 0, MESH) is None
    attrs.set_result_sharding(func, 0, of("[R]"))
    assert attrs.result_sharding(func, 0, MESH) == of("[R]")
    with module.context:
        attrs.set_result_attr(func, 0, "dist.name", ir.StringAttr.get("y"))
    assert attrs.result_attr(func, 0, "dist.name").value == "y"
    assert module.operation.verify()


def test_many_arguments_at_once(module):
    func = main_of(module)
    with module.context:
        name = ir.StringAttr.get("n")
    attrs.update_arg_attrs(func, {0: {"dist.name": name}, 1: {"dist.name": None}})
    assert attrs.arg_attr(func, 0, "dist.name") == name
    assert attrs.arg_attr(func, 1, "dist.name") is None
    attrs.update_result_attrs(func, {0: {"dist.name": name}})
    assert attrs.result_attr(func, 0, "dist.name") == name


def test_an_op_sharding_that_is_no_array_is_refused(module):
    add = ops_of(module)[0]
    add.attributes["dist.sharding"] = attrs.to_attr(of("[R]"), module.context)
    with pytest.raises(IllegalSharding, match="of an op is"):
        attrs.op_shardings(add, MESH)


def test_the_same_attribute_on_another_mesh_is_read_anew(module):
    attribute = attrs.to_attr(of("[S(x)]"), module.context)
    wider = Mesh.of(x=4, y=2)
    assert attrs.from_attr(attribute, MESH).mesh == MESH
    assert attrs.from_attr(attribute, wider).mesh == wider
    assert attrs.from_attr(attribute, MESH).mesh == MESH


def test_mesh_replaces_mesh(module):
    attrs.set_module_mesh(module, Mesh.of(x=2, z=8))
    assert attrs.module_mesh(module) == Mesh.of(x=2, z=8)
    assert str(module).count("dist.mesh") == 1


def test_tables_do_not_keep_a_context_alive():
    ctx = make_context()
    attribute = attrs.to_attr(of("[S(x)]"), ctx)
    attrs.from_attr(attribute, MESH)
    alive = weakref.ref(ctx)
    del attribute, ctx
    gc.collect()
    assert alive() is None


def test_each_context_has_its_own_attributes():
    first, second = make_context(), make_context()
    a, b = attrs.to_attr(of("[S(x)]"), first), attrs.to_attr(of("[S(x)]"), second)
    assert a.context is first and b.context is second
    assert attrs.from_attr(a, MESH) == attrs.from_attr(b, MESH)
