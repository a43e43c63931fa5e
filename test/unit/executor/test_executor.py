"""The fx module of a rank: folding, views, names, errors, the allow list."""

from __future__ import annotations

import pytest
import torch

from distc.dialect.context import make_context, parse_module
from distc.runtime import executor
from distc.runtime.errors import ArtifactError, DistcError, InputError
from distc.runtime.program import Call, Dtype, Program, Ref, ValueType
from distc.transforms.lower import lower

F32 = ValueType((2,), "f32")

SLICED = """func.func @main(%a: tensor<6xf32>) -> tensor<2xf32> {
  %p = stablehlo.partition_id : tensor<ui32>
  %i = stablehlo.convert %p : (tensor<ui32>) -> tensor<i64>
  %k = stablehlo.constant dense<2> : tensor<i64>
  %s = stablehlo.multiply %i, %k : tensor<i64>
  %0 = stablehlo.dynamic_slice %a, %s, sizes = [2] : (tensor<6xf32>, tensor<i64>) -> tensor<2xf32>
  %1 = stablehlo.sine %0 : tensor<2xf32> loc("layers.0"("model.py":3:1))
  return %1 : tensor<2xf32> }"""


def program_of(text: str) -> Program:
    """Lower a module's text."""
    return lower(parse_module(text, make_context()))


def test_what_depends_on_the_rank_is_computed_while_building() -> None:
    program = program_of(SLICED)
    x = torch.arange(6.0)
    for rank in range(3):
        module = executor.build(program, rank=rank, collectives=None)
        calls = [n for n in module.graph.nodes if n.op == "call_function"]
        assert [n.name for n in calls] == ["dynamic_slice", "sin"]
        assert calls[0].args[1] == [2 * rank]
        assert torch.equal(executor.run(module, program, [x])[0], x[2 * rank : 2 * rank + 2].sin())


def test_nodes_say_where_they_come_from() -> None:
    module = executor.build(program_of(SLICED), rank=0, collectives=None)
    sine = next(n for n in module.graph.nodes if n.name == "sin")
    assert sine.meta["loc"] == "model.py:3:1 in layers.0"
    assert list(sine.meta["nn_module_stack"]) == ["layers.0"]


def test_a_large_constant_stays_a_view() -> None:
    program = program_of(
        """func.func @main(%a: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
        %c = stablehlo.constant dense<3.0> : tensor<1024x1024xf32>
        %0 = stablehlo.divide %a, %c : tensor<1024x1024xf32>
        %1 = stablehlo.atan2 %0, %c : tensor<1024x1024xf32>
        return %1 : tensor<1024x1024xf32> }"""
    )
    module = executor.build(program, rank=0, collectives=None)
    assert sum(b.numel() for b in module.buffers()) == 1


def test_generated_code_drops_values_after_their_last_use() -> None:
    module = executor.build(program_of(SLICED), rank=0, collectives=None)
    assert "dynamic_slice = None" in module.code and "arg0 = None" in module.code


def test_dead_calls_are_not_in_the_module() -> None:
    calls = (
        Call("aten.sin.default", (Ref(0),), {}, (1,), (F32,)),
        Call("aten.cos.default", (Ref(0),), {}, (2,), (F32,)),
    )
    module = executor.build(Program((F32,), calls, (2,)), rank=0, collectives=None)
    assert [n.name for n in module.graph.nodes if n.op == "call_function"] == ["cos"]


@pytest.mark.parametrize(
    "op",
    [
        "aten.from_file.default",
        "aten.add_.Tensor",
        "prims.add",
        "distc.nothing",
        "os.system",
        "control.goto",
    ],
)
def test_an_operator_off_the_list_is_refused(op: str) -> None:
    program = Program((F32,), (Call(op, (Ref(0),), {}, (1,), (F32,)),), (1,))
    with pytest.raises(ArtifactError, match="allow list"):
        executor.build(program, rank=0, collectives=None)


def test_every_allowed_operator_exists_and_changes_nothing_in_place() -> None:
    from distc.runtime.kernels import resolve
    from distc.runtime.kernels.allowed import ALLOWED

    for name in ALLOWED:
        target = resolve(name)
        assert not target._schema.is_mutable, name


def test_a_failing_call_names_operator_and_place() -> None:
    calls = (
        Call("aten.sin.default", (Ref(0),), {}, (1,), (F32,), "model.py:1:1"),
        Call("aten.reshape.default", (Ref(1), [5]), {}, (2,), (F32,), "model.py:7:3 in layers.1"),
    )
    program = Program((F32,), calls, (2,))
    module = executor.build(program, rank=0, collectives=None)
    with pytest.raises(DistcError) as caught:
        executor.run(module, program, [torch.ones(2)])
    assert "aten.reshape.default failed" in str(caught.value)
    assert "at model.py:7:3 in layers.1" in str(caught.value)


def test_a_failing_constant_names_operator_and_place() -> None:
    scalar = ValueType((), "f32")
    calls = (
        Call("aten.full.default", ([], 1.0), {"dtype": Dtype("f32")}, (1,), (scalar,)),
        Call("aten.reshape.default", (Ref(1), [5]), {}, (2,), (scalar,), "model.py:7:3"),
    )
    with pytest.raises(DistcError, match=r"aten\.reshape\.default failed"):
        executor.build(Program((F32,), calls, (2,)), rank=0, collectives=None)


def test_a_call_of_a_region_names_its_place() -> None:
    program = program_of(
        """func.func @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = "stablehlo.if"(%p) ({
          %1 = stablehlo.sine %a : tensor<2xf32> loc("inner.py":9:9)
          stablehlo.return %1 : tensor<2xf32>
        }, { stablehlo.return %a : tensor<2xf32> }) : (tensor<i1>) -> tensor<2xf32>
        return %0 : tensor<2xf32> }"""
    )
    module = executor.build(program, rank=0, collectives=None)
    inner = module.get_submodule("region_0")
    assert isinstance(inner, torch.fx.GraphModule)
    node = next(n for n in inner.graph.nodes if n.name == "sin")
    node.args = (node.args[0], 5)
    inner.recompile()
    with pytest.raises(DistcError, match=r"aten\.sin\.default failed") as caught:
        executor.run(module, program, [torch.tensor(True), torch.ones(2)])
    assert "at inner.py:9:9" in str(caught.value)


def test_unsigned_values_are_torchs_at_the_ends() -> None:
    program = program_of(
        """func.func @main(%a: tensor<2xui32>) -> tensor<2xui32> {
        %0 = stablehlo.add %a, %a : tensor<2xui32>
        return %0 : tensor<2xui32> }"""
    )
    module = executor.build(program, rank=0, collectives=None)
    found = executor.run(module, program, [torch.tensor([2**31 + 1, 5], dtype=torch.uint32)])
    assert found[0].dtype is torch.uint32 and found[0].tolist() == [2, 10]


def test_inputs_are_checked() -> None:
    program = program_of(SLICED)
    module = executor.build(program, rank=0, collectives=None)
    with pytest.raises(InputError, match="takes 1 inputs, 2 were given"):
        executor.run(module, program, [torch.ones(6), torch.ones(6)])


def test_collectives_are_methods_of_the_object_given() -> None:
    class Recorder:
        def __init__(self) -> None:
            self.seen: list[object] = []

        def all_reduce(self, x: torch.Tensor, kind: str, groups: object) -> torch.Tensor:
            self.seen.append((kind, groups))
            return x * 2

    call = Call(
        "collective.all_reduce", (Ref(0),), {"kind": "sum", "groups": [[0, 1]]}, (1,), (F32,)
    )
    program, recorder = Program((F32,), (call,), (1,)), Recorder()
    module = executor.build(program, rank=0, collectives=recorder)
    assert executor.run(module, program, [torch.ones(2)])[0].tolist() == [2.0, 2.0]
    assert recorder.seen == [("sum", [[0, 1]])]
