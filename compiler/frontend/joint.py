"""Forward, loss and backward of a model as one graph (AOTAutograd's joint graph).

torch.export runs first, so that model code takes its traceable paths and every node knows its
module; the joint graph is made from what it exported. Descriptors say without guessing what each
input and output is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._functorch._aot_autograd import descriptors
from torch._functorch.aot_autograd import aot_export_joint_with_descriptors
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.traceback import preserve_node_meta
from torch.nn.attention import SDPBackend, sdpa_kernel

from distc.compiler.frontend.arguments import KINDS, Argument, shipped, tied_names, to_literal
from distc.compiler.frontend.decompose import decompose
from distc.compiler.frontend.decompositions import table
from distc.compiler.frontend.dropout import Site, take_masks
from distc.compiler.frontend.gradients import gradients
from distc.compiler.frontend.names import input_names
from distc.compiler.frontend.quiet import quiet
from distc.compiler.frontend.refuse import refuse_operators
from distc.compiler.frontend.tidy import MAX_LITERAL, tidy
from distc.runtime.errors import DistcError, InputError

_A = torch.ops.aten


@dataclass(frozen=True, slots=True)
class JointGraph:
    """A joint graph, ready to be lowered.

    Attributes:
        graph: placeholders are the arguments in order; outputs are the loss, then the gradient of
            each of `graded`, then the new value of each of `updated`.
        arguments: parameters, buffers, constants and inputs; of the kind `built` what the
            training program computes itself: the loss scale, masks of dropout.
        graded: parameters that get a gradient, by name.
        updated: buffers that the forward pass changes, by name.
        sites: where elements are dropped; the mask of each is an argument of kind `built`.
    """

    graph: fx.Graph
    arguments: list[Argument]
    graded: tuple[str, ...]
    updated: tuple[str, ...]
    sites: tuple[Site, ...] = ()


BUILT = "built"
"""Kind of the arguments that the training program computes itself."""
TANGENT = "tangent"
"""Name of the argument that is the gradient of the scaled loss by the loss."""


def joint_graph(
    program: ExportedProgram, model: nn.Module, source: str, *, scaled: bool = False
) -> JointGraph:
    """Return the joint graph of an exported loss.

    Args:
        program: from torch.export of a model whose one result is the loss.
        model: the model, for its tied weights.
        source: the SPEC, for messages.
        scaled: keep the gradient by the loss itself as the argument `TANGENT`; else it is one.

    Raises:
        InputError: the loss depends on no parameter, or cannot be differentiated.
        UnsupportedOp: an operator of the joint graph has no lowering.
    """
    _detach_idle(program)
    sites = take_masks(program.graph_module.graph)
    program.graph_module.recompile()
    _remember_modules(program.graph_module.graph)
    try:
        with quiet():
            graph = _traced(program, scaled)
    except DistcError:
        raise
    except Exception as error:
        text = str(error).strip().splitlines()
        raise InputError(
            f"the loss cannot be differentiated: {text[0] if text else type(error).__name__}",
            where=source,
            help="run loss.backward() in plain PyTorch and correct what fails",
        ) from None
    placed = _arguments(graph, program, model, sites)
    graded, updated = _outputs(graph, program, _first_names(model))
    if not graded:
        raise InputError(
            "the loss depends on no parameter that can be trained",
            where=source,
            help="let the loss use the model's outputs, and leave requires_grad set",
        )
    graph.eliminate_dead_code()
    graph.set_codegen(fx.graph.CodeGen())
    with quiet():
        decompose(graph)
    refuse_operators(graph)
    tidy(graph, {a.node.name: a.value for a in placed if a.value is not None})
    unused = [a for a in placed if a.kind not in ("input", BUILT) and not a.node.users]
    for argument in unused:
        graph.erase_node(argument.node)
    arguments = [a for a in placed if a not in unused]
    return JointGraph(graph, arguments, graded, updated, tuple(sites))


def _first_names(model: nn.Module) -> dict[str, str]:
    """Every name of a parameter or buffer → the first name of the same tensor."""
    return {name: names[0] for name, names in tied_names(model).items()}


def _detach_idle(program: ExportedProgram) -> None:
    """AOTAutograd insists on a gradient for everything that asks for one."""
    for node, spec in zip(
        (n for n in program.graph.nodes if n.op == "placeholder"),
        program.graph_signature.input_specs,
        strict=True,
    ):
        value = node.meta.get("val")
        if not isinstance(value, Tensor) or not value.requires_grad:
            continue
        if spec.kind != InputKind.PARAMETER or not node.users:
            node.meta["val"] = value.detach()


def _remember_modules(graph: fx.Graph) -> None:
    """Module paths reach backward nodes only as custom metadata."""
    for node in graph.nodes:
        stack = node.meta.get("nn_module_stack")
        if stack:
            path = list(stack.values())[-1][0]
            node.meta["custom"] = {**node.meta.get("custom", {}), "module": path}


def _place_sums(graph: fx.Graph) -> None:
    """The sum of two gradients belongs where the later one of them comes from."""
    order = {node: i for i, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        if node.op != "call_function" or _module(node) is not None:
            continue
        sources = sorted(node.all_input_nodes, key=order.__getitem__, reverse=True)
        path = next((p for n in sources if (p := _module(n)) is not None), None)
        if path is not None:
            node.meta["custom"] = {**node.meta.get("custom", {}), "module": path}


def _module(node: fx.Node) -> str | None:
    stack = node.meta.get("nn_module_stack")
    path = list(stack.values())[-1][0] if stack else node.meta.get("custom", {}).get("module")
    return None if path is None else str(path)


def _traced(program: ExportedProgram, scaled: bool) -> fx.Graph:
    module = program.graph_module
    values = [n.meta["val"] for n in module.graph.nodes if n.op == "placeholder"]
    mode = next(v.fake_mode for v in values if isinstance(v, FakeTensor))
    with ExitStack() as stack:
        for context in (mode, sdpa_kernel(SDPBackend.MATH), preserve_node_meta()):
            stack.enter_context(context)
        stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        joint = aot_export_joint_with_descriptors(
            stack, module, tuple(values), decompositions={**gradients(), **table()}
        )
        graph = joint.graph_module.graph
        for node in [n for n in graph.nodes if n.op == "placeholder"]:
            if not scaled and isinstance(node.meta["desc"], descriptors.TangentAOTInput):
                _one(graph, node)
    _place_sums(graph)
    return graph


def _one(graph: fx.Graph, tangent: fx.Node) -> None:
    """The gradient of the loss by itself is one."""
    value = tangent.meta["val"]
    first = next(n for n in graph.nodes if n.op != "placeholder")
    options = {"dtype": value.dtype, "device": value.device, "pin_memory": False}
    with graph.inserting_before(first):
        one = graph.call_function(_A.full.default, (list(value.shape), 1.0), options)
    one.meta["val"] = torch.full(value.shape, 1.0, dtype=value.dtype)
    tangent.replace_all_uses_with(one)
    graph.erase_node(tangent)


def _arguments(
    graph: fx.Graph, program: ExportedProgram, model: nn.Module, sites: Sequence[Site]
) -> list[Argument]:
    """Say what the placeholders are; join tied weights, make small constants literals."""
    specs = program.graph_signature.input_specs
    names = iter(input_names(program, model))
    labels = [
        next(names) if s.kind == InputKind.USER_INPUT else str(s.target or s.arg.name)
        for s in specs
    ]
    tied = tied_names(model)
    found: dict[str, Argument] = {}
    for node in [n for n in graph.nodes if n.op == "placeholder"]:
        if isinstance(node.meta["desc"], descriptors.TangentAOTInput):
            found[TANGENT] = Argument(node, TANGENT, BUILT)
            continue
        number = _number(node.meta["desc"])
        if number >= len(specs):
            site = sites[number - len(specs)]
            found[site.name] = Argument(node, site.name, BUILT)
            continue
        spec, label = specs[number], labels[number]
        value = shipped(program, spec)
        if spec.kind == InputKind.CONSTANT_TENSOR and value is not None:
            if value.numel() <= MAX_LITERAL:
                to_literal(graph, node, value)
                continue
        is_state = spec.kind in (InputKind.PARAMETER, InputKind.BUFFER)
        first, *others = tied.get(label, [label]) if is_state else [label]
        if first in found:
            node.replace_all_uses_with(found[first].node)
            graph.erase_node(node)
            continue
        found[first] = Argument(node, first, KINDS[spec.kind], tuple(others), value)
    return list(found.values())


def _number(what: Any) -> int:
    """Position among the inputs of what was exported."""
    return int(what.idx)


def _outputs(
    graph: fx.Graph, program: ExportedProgram, first: dict[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Put the outputs in order: loss, gradients, updated buffers; return the names of both."""
    output = next(n for n in graph.nodes if n.op == "output")
    inputs, results = program.graph_signature.input_specs, program.graph_signature.output_specs
    loss: fx.Node | None = None
    graded: dict[str, fx.Node] = {}
    updated: dict[str, fx.Node] = {}
    for node, what in zip(output.args[0], output.meta["desc"], strict=True):
        if not isinstance(node, fx.Node):
            continue
        match what:
            case descriptors.GradAOTOutput():
                name = str(inputs[_number(what.grad_of)].target)
                name = first.get(name, name)
                graded[name] = _sum(graph, output, graded.get(name), node)
            case descriptors.InputMutationAOTOutput():
                updated[str(inputs[_number(what.mutated_input)].target)] = node
            case descriptors.PlainAOTOutput():
                spec = results[what.idx]
                if spec.kind == OutputKind.BUFFER_MUTATION:
                    updated[str(spec.target)] = node
                elif spec.kind == OutputKind.USER_OUTPUT:
                    loss = node
    assert loss is not None
    output.args = ((loss, *graded.values(), *updated.values()),)
    output.meta.pop("desc", None)
    return tuple(graded), tuple(updated)


def _sum(graph: fx.Graph, before: fx.Node, known: fx.Node | None, new: fx.Node) -> fx.Node:
    """A weight used under two names gets both gradients."""
    if known is None:
        return new
    with graph.inserting_before(before):
        total = graph.call_function(_A.add.Tensor, (known, new))
    total.meta["val"] = known.meta["val"]
    return total
