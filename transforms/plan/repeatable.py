"""Which ops may run a second time: plain ones that take little for what they make.

    seconds of the op / bytes it makes  ≤  CHEAP / memory bytes per second

A matrix product of a long contraction takes many times as long as writing its result: its result
is held. Scores of attention, norms and activations do not. What is small is held as well.
"""

from __future__ import annotations

from distc.dialect.regions import CONTROL_FLOW
from distc.solver.hardware import Hardware
from distc.transforms.dataflow import CREATORS, FunctionGraph, Node
from distc.transforms.plan.work import global_work

CHEAP = 32.0
"""Times as long as writing its result an op may take."""

SMALL_PART = 1024
"""A result smaller than this part of the largest is held."""

_ONCE = (
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.custom_call",
    "stablehlo.reduce_scatter",
    "stablehlo.rng",
    "stablehlo.rng_bit_generator",
)


def repeatable(graph: FunctionGraph, hardware: Hardware) -> frozenset[int]:
    """Return the nodes of a function that may run again."""
    largest = max((v.bytes_ for v in graph.values), default=0)
    return frozenset(
        number
        for number, node in enumerate(graph.nodes)
        if _is_plain(node)
        and _made(graph, node) * SMALL_PART >= largest
        and _is_cheap(graph, node, hardware)
    )


def _is_plain(node: Node) -> bool:
    """True for ops without regions of control flow, collectives of the source, or pins."""
    name = node.op.name
    plain = name.startswith("stablehlo.") and name not in _ONCE and node.fixed is None
    return plain and bool(node.operands) and name not in CREATORS and name not in CONTROL_FLOW


def _made(graph: FunctionGraph, node: Node) -> int:
    return sum(graph.values[v].bytes_ for v in node.results)


def _is_cheap(graph: FunctionGraph, node: Node, hardware: Hardware) -> bool:
    work = global_work(node, graph.values)
    seconds = work.flops / hardware.flops_per_second(work.dtype)
    writing = _made(graph, node) / hardware.memory_bytes_per_second
    return seconds <= CHEAP * writing
