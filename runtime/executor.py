"""Build a rank's program as an fx.GraphModule and run it.

Every call becomes a `call_function` node whose `meta["loc"]` says where in the model it comes
from. What depends on literals and the rank only is computed while building, within a size limit;
generated code drops each value after its last use.
"""

from __future__ import annotations

import linecache
import operator
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch import fx

from distc.runtime.calls import (
    Bound,
    bind,
    bind_collective,
    check_inputs,
    is_collective,
    located,
    partition_id,
    references,
)
from distc.runtime.donation import donate
from distc.runtime.errors import DistcError
from distc.runtime.kernels.dtypes import to_boundary, to_storage
from distc.runtime.program import Call, Program, Ref

FOLD_LIMIT = 1 << 16
"""Elements up to which a value known while building is kept as a constant of the module."""

_SLICES = ("distc.dynamic_slice", "distc.dynamic_update_slice")
_NEVER_FOLDED = ("collective.", "control.", "distc.rng")


def build(
    program: Program,
    *,
    rank: int,
    collectives: Any,
    device: torch.device | str = "cpu",
    donated: Mapping[int, int] | None = None,
    in_place: bool = True,
) -> fx.GraphModule:
    """Return the module that runs `program` as `rank`.

    Args:
        program: the program all ranks share.
        rank: this rank's partition id.
        collectives: the object whose methods the program's collectives call
            (`runtime/collectives.py`); may be None for a program without any.
        device: where the inputs will be and literals are put.
        donated: number of a result → number of the input whose tensor it is written into; the
            module then returns that tensor.
        in_place: let what changes a part of donated state write that part alone, which may need
            sizes known at run time only: not for torch.compile.

    Raises:
        ArtifactError: an operator that is not on the allow list.
    """
    return _Builder(program, rank, collectives, torch.device(device)).module(donated, in_place)


def run(
    module: fx.GraphModule, program: Program, inputs: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Run a built module on this rank's inputs.

    Raises:
        InputError: the inputs do not fit.
        DistcError: an operator failed; names it and its place in the model.
    """
    check_inputs(program, inputs)
    held = [to_storage(x, t.dtype) for x, t in zip(inputs, program.inputs, strict=True)]
    try:
        with torch.no_grad():
            outputs = module(*held)
    except DistcError:
        raise
    except Exception as error:
        raise _locate(error) from error
    types = output_types(program)
    return [to_boundary(x, t) for x, t in zip(outputs, types, strict=True)]


def output_types(program: Program) -> list[str]:
    """Element type of each result."""
    types = [t.dtype for t in program.inputs]
    for call in program.calls:
        types += [t.dtype for t in call.types]
    return [types[o] for o in program.outputs]


def _locate(error: Exception) -> DistcError:
    """Find the node whose generated line raised; the innermost module wins."""
    found: fx.Node | None = None
    trace = error.__traceback__
    while trace is not None:
        frame, module = trace.tb_frame, trace.tb_frame.f_locals.get("self")
        if isinstance(module, fx.GraphModule) and frame.f_code.co_name == "forward":
            line = linecache.getline(frame.f_code.co_filename, trace.tb_lineno)
            name = line.partition("=")[0].partition(":")[0].strip()
            found = next((n for n in module.graph.nodes if n.name == name), found)
        trace = trace.tb_next
    if found is None:
        return located("the program", "", error)
    return located(str(found.meta.get("op", found.name)), str(found.meta.get("loc", "")), error)


class _Builder:
    def __init__(self, program: Program, rank: int, collectives: Any, device: torch.device) -> None:
        self.program, self.rank, self.collectives = program, rank, collectives
        self.device = device
        self.root = torch.nn.Module()
        self.graph = fx.Graph()
        self.known: dict[int, torch.Tensor] = {}
        self.nodes: dict[int, fx.Node] = {}
        self.parts = 0

    def module(
        self, donated: Mapping[int, int] | None = None, in_place: bool = True
    ) -> fx.GraphModule:
        for index in range(len(self.program.inputs)):
            self.nodes[index] = self.graph.placeholder(f"arg{index}")
        for call in self.program.calls:
            self._call(call)
        self.graph.output(tuple(self._node(o) for o in self.program.outputs))
        self.graph.eliminate_dead_code()
        donate(self.graph, donated or {}, in_place=in_place)
        return fx.GraphModule(self.root, self.graph, class_name=f"Rank{self.rank}")

    def _call(self, call: Call) -> None:
        if call.op == "distc.partition_id":
            self.known[call.outs[0]] = partition_id(call, self.rank, self.device)
            return
        if self._foldable(call):
            self._fold(call)
            return
        if is_collective(call):
            bound = bind_collective(call, self._node, self.collectives)
        else:
            regions = [self._region(r) for r in call.regions]
            bound = bind(self._with_numbers(call), self._node, regions, self.device)
        self._add(call, bound)

    def _foldable(self, call: Call) -> bool:
        if call.op.startswith(_NEVER_FOLDED) or call.regions:
            return False
        if sum(prod(t.shape) for t in call.types) > FOLD_LIMIT:
            return False
        return all(i in self.known for i in references(call))

    def _fold(self, call: Call) -> None:
        bound = bind(call, self.known.__getitem__, (), self.device)
        try:
            result = bound.target(*bound.args, **bound.kwargs)
        except Exception as error:
            raise located(call.op, call.loc, error) from error
        results = (result,) if isinstance(result, torch.Tensor) else tuple(result)
        self.known.update(zip(call.outs, results, strict=True))

    def _with_numbers(self, call: Call) -> Call:
        """Write known start positions of dynamic slices as numbers, so that they become views."""
        if call.op not in _SLICES:
            return call
        starts = [
            int(self.known[s.id]) if isinstance(s, Ref) and s.id in self.known else s
            for s in call.args[-1]  # type: ignore[union-attr]
        ]
        return Call(
            call.op, (*call.args[:-1], starts), call.kwargs, call.outs, call.types, call.loc
        )

    def _region(self, program: Program) -> fx.Node:
        name = f"region_{self.parts}"
        self.parts += 1
        inner = _Builder(program, self.rank, self.collectives, self.device).module()
        self.root.add_module(name, inner)
        return self.graph.get_attr(name)

    def _node(self, number: int) -> fx.Node:
        if number not in self.nodes:
            name = f"constant_{self.parts}"
            self.parts += 1
            self.root.register_buffer(name, self.known[number].contiguous(), persistent=False)
            self.nodes[number] = self.graph.get_attr(name)
        return self.nodes[number]

    def _add(self, call: Call, bound: Bound) -> None:
        name = call.op.partition(".")[2].partition(".")[0].strip("_")
        node = self.graph.create_node(
            "call_function", bound.target, bound.args, bound.kwargs, name=name
        )
        self._describe(node, call)
        if len(call.outs) == 1 and call.op.startswith(("aten.", "collective.")):
            self.nodes[call.outs[0]] = node
            return
        if len(call.outs) == 1 and not self._returns_tuple(call):
            self.nodes[call.outs[0]] = node
            return
        for index, out in enumerate(call.outs):
            part = self.graph.call_function(operator.getitem, (node, index))
            self._describe(part, call)
            self.nodes[out] = part

    def _returns_tuple(self, call: Call) -> bool:
        return call.op.startswith("control.") or call.op in TUPLE_KERNELS

    def _describe(self, node: fx.Node, call: Call) -> None:
        node.meta["op"], node.meta["loc"], node.meta["types"] = call.op, call.loc, call.types
        place, _, path = call.loc.partition(" in ")
        if path:
            node.meta["nn_module_stack"] = {path: (path, "")}
        if place:
            node.meta["stack_trace"] = place


TUPLE_KERNELS = frozenset(
    f"distc.{name}"
    for name in (
        "batch_norm_grad",
        "batch_norm_training",
        "reduce",
        "reduce_window",
        "scatter",
        "sort",
        "sort_by_keys",
    )
)
"""Kernels that return a tuple also for one result."""
