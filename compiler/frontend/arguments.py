"""What each placeholder and output of an exported graph stands for."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, fx, nn
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind

from distc.compiler.frontend.exported import TensorInfo
from distc.compiler.frontend.importer import dtype_name
from distc.compiler.frontend.names import input_names, output_names
from distc.compiler.frontend.tidy import MAX_LITERAL, inline
from distc.runtime.errors import InputError

KINDS = {
    InputKind.PARAMETER: "parameter",
    InputKind.BUFFER: "buffer",
    InputKind.CONSTANT_TENSOR: "constant",
    InputKind.USER_INPUT: "input",
}


@dataclass(frozen=True, eq=False)
class Argument:
    """A placeholder: its `dist.name` and `dist.kind`.

    `value` is set for what no checkpoint holds: non-persistent buffers and constants.
    """

    node: fx.Node
    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    value: Tensor | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Static shape."""
        return tuple(self.node.meta["val"].shape)

    @property
    def dtype(self) -> torch.dtype:
        """Element type."""
        dtype = self.node.meta["val"].dtype
        assert isinstance(dtype, torch.dtype)
        return dtype


def values_before_inputs(program: ExportedProgram) -> dict[str, Tensor]:
    """Return placeholder name → value for constants and buffers that no checkpoint holds."""
    values = {}
    for spec in program.graph_signature.input_specs:
        value = shipped(program, spec)
        if value is not None:
            values[spec.arg.name] = value
    return values


def shipped(program: ExportedProgram, spec: InputSpec) -> Tensor | None:
    """The value of a constant or of a buffer that no checkpoint holds, None for others."""
    constant = spec.kind == InputKind.CONSTANT_TENSOR
    if not constant and not (spec.kind == InputKind.BUFFER and spec.persistent is False):
        return None
    value = program.constants.get(spec.target or "")
    return value if isinstance(value, Tensor) and not isinstance(value, FakeTensor) else None


def place_arguments(program: ExportedProgram, model: nn.Module, source: str) -> list[Argument]:
    """Name every placeholder, merge tied weights, and make small constants literals.

    Raises:
        InputError: an input that is no tensor and no constant; a shipped buffer without value.
    """
    graph = program.graph_module.graph
    nodes = {n.name: n for n in graph.nodes if n.op == "placeholder"}
    names = iter(input_names(program, model))
    tied = tied_names(model)
    arguments: dict[str, Argument] = {}
    for spec in program.graph_signature.input_specs:
        node = nodes[spec.arg.name]
        label = next(names) if spec.kind == InputKind.USER_INPUT else str(spec.target)
        if not isinstance(node.meta.get("val"), Tensor):
            _drop_constant_input(graph, node, label, source)
            continue
        value = shipped(program, spec)
        if value is not None and spec.kind == InputKind.CONSTANT_TENSOR:
            if value.numel() <= MAX_LITERAL:
                to_literal(graph, node, value)
                continue
        first, *others = tied.get(label, [label]) if spec.kind in _MODEL_STATE else [label]
        if first in arguments:
            node.replace_all_uses_with(arguments[first].node)
            graph.erase_node(node)
            continue
        _require_value(spec, value, label, source)
        arguments[first] = Argument(node, first, KINDS[spec.kind], tuple(others), value)
    return list(arguments.values())


_MODEL_STATE = (InputKind.PARAMETER, InputKind.BUFFER)


def tied_names(model: nn.Module) -> dict[str, list[str]]:
    """Return name → all names of the same tensor, in the order of the state dict."""
    by_tensor: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        by_tensor.setdefault(id(parameter), []).append(name)
    for name, buffer in model.named_buffers(remove_duplicate=False):
        by_tensor.setdefault(id(buffer), []).append(name)
    return {name: names for names in by_tensor.values() for name in names}


def _drop_constant_input(graph: fx.Graph, node: fx.Node, name: str, source: str) -> None:
    if node.users:
        raise InputError(
            f"input {name} is a {type(node.meta.get('val')).__name__} the program computes with",
            where=source,
            help="pass it as a tensor",
        )
    graph.erase_node(node)


def to_literal(graph: fx.Graph, node: fx.Node, value: Tensor) -> None:
    """Put a constant in the place of a placeholder."""
    with unset_fake_temporarily():
        value = value.detach().contiguous().clone()
    last = [n for n in graph.nodes if n.op == "placeholder"][-1]
    with graph.inserting_after(last):
        literal = inline(graph, value, node.meta)
    node.replace_all_uses_with(literal)
    graph.erase_node(node)


def _require_value(spec: InputSpec, value: Tensor | None, name: str, source: str) -> None:
    if value is not None or spec.kind == InputKind.PARAMETER or spec.kind == InputKind.USER_INPUT:
        return
    if spec.kind == InputKind.BUFFER and spec.persistent:
        return
    raise InputError(
        f"{spec.kind.name.lower()} {name} is in no checkpoint and has no value",
        where=source,
        help="do not build the model on the meta device; distc makes parameters fake itself",
    )


def place_results(program: ExportedProgram, source: str) -> list[TensorInfo]:
    """Name the outputs, drop those that are None or constant, refuse state changes.

    Raises:
        InputError: the model writes a buffer or an input, or returns no tensor.
    """
    graph = program.graph_module.graph
    output = next(n for n in graph.nodes if n.op == "output")
    names = iter(output_names(program))
    kept, results = [], []
    for spec, node in zip(program.graph_signature.output_specs, output.args[0], strict=True):
        if spec.kind != OutputKind.USER_OUTPUT:
            raise _changes_state(spec.kind, str(spec.target), source)
        name = next(names)
        value = node.meta.get("val") if isinstance(node, fx.Node) else None
        if isinstance(value, Tensor):
            kept.append(node)
            results.append(TensorInfo(name, tuple(value.shape), dtype_name(value.dtype)))
    if not kept:
        raise InputError(
            "the model returns no tensor", where=source, help="return at least one tensor"
        )
    output.args = (tuple(kept),)
    return results


def _changes_state(kind: OutputKind, name: str, source: str) -> InputError:
    what = "its buffer" if kind == OutputKind.BUFFER_MUTATION else "its input"
    return InputError(
        f"the model changes {what} {name} in forward",
        where=source,
        help="call model.eval() before compiling for inference, or return the new value",
    )
