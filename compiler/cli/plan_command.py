"""`distc plan --states`: every PaRO state of a data-parallel step, by memory and time."""

from __future__ import annotations

import math
from typing import Any

import click

from distc.compiler.cli import console
from distc.compiler.quantities import parse_count, parse_share
from distc.compiler.reproducer import start_recorder
from distc.compiler.state_report import (
    COMPUTE_TYPES,
    StatesRequest,
    as_json,
    called,
    gib,
    ranks_and_groups,
    reason,
    require_a_fit,
)
from distc.runtime.errors import ExitCode, UsageError
from distc.solver.byte_size import parse_bytes
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.states.links import Algorithm
from distc.solver.states.table import StateRow

_COLUMNS = (
    *("#", "state", "called", "group", "GiB", "param", "grad", "sync g", "sync p"),
    *("comm", "comp", "T max", "T sum", "T", "1/T", "log", ""),
)


@click.command("plan")
@click.argument("spec", required=False)
@click.option("--states", is_flag=True, help="Table of the states N, I, G of a training step.")
@click.option("--parameters", metavar="COUNT", help="Instead of SPEC: 7e9, 7B.")
@click.option("--trainable", metavar="SHARE|COUNT", help="1/16, 0.003 [default: the model's].")
@click.option("--mesh", metavar="inter=G,intra=M", help="Groups, and the ranks of a group.")
@click.option("--devices", type=click.IntRange(1), metavar="N", help="Instead of --mesh: ranks.")
@click.option(
    "--group",
    "groups",
    type=int,
    multiple=True,
    metavar="M",
    help="Ranks of a group; may be repeated [default: all that tile ranks and nodes].",
)
@click.option("--hardware", default=DEFAULT, show_default=True, metavar="NAME|FILE")
@click.option("--train", default="adamw", show_default=True, metavar="OPTIMIZER")
@click.option("--microbatches", type=click.IntRange(1), default=1, show_default=True, metavar="S")
@click.option("--memory", metavar="SIZE", help="Of a rank: 60GiB [default: the hardware's].")
@click.option(
    "--activations",
    default="0B",
    show_default=True,
    metavar="SIZE",
    help="Of a rank, beside state.",
)
@click.option("--batch", type=click.IntRange(1), metavar="N", help="Rows of a rank's micro-batch.")
@click.option("--seq", type=click.IntRange(1), metavar="N", help="Tokens of a row.")
@click.option("--checkpointing", is_flag=True, help="The backward pass runs the forward again.")
@click.option(
    "--compute-dtype", type=click.Choice(COMPUTE_TYPES), default="bf16", show_default=True
)
@click.option(
    "--collectives",
    type=click.Choice([str(a) for a in Algorithm]),
    default=str(Algorithm.FLAT),
    show_default=True,
    help="How collectives over all ranks cross the network.",
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Of the shorter of computation and communication [default: the hardware's].",
)
@click.option("--json", "json_", is_flag=True, help="Print one JSON document.")
def command(spec: str | None, states: bool, json_: bool, **options: Any) -> int:
    """Compare the states of a training step: which parameters, gradients, moments are sharded.

    SPEC is file.py:function, module.path:function or a Hugging Face folder; with --parameters
    instead no model is built. With --batch and --seq computation counts too.
    """
    start_recorder("plan", dict(click.get_current_context().params))
    if not states:
        raise UsageError(
            "there is nothing to plan without --states",
            help="add --states; for a plan of every tensor: distc compile SPEC --solver exact",
        )
    request = _request(spec, options)
    rows = request.rows()
    if json_:
        console.print_json(as_json(request, rows))
    else:
        _show(request, rows)
    require_a_fit(rows)
    return ExitCode.OK


def _request(spec: str | None, options: dict[str, Any]) -> StatesRequest:
    hardware = load_hardware(options["hardware"])
    ranks, groups = ranks_and_groups(options["mesh"], options["devices"], options["groups"])
    memory, overlap = options["memory"], options["overlap"]
    limit = hardware.memory_bytes if memory is None else parse_bytes(memory, "--memory")
    activations = parse_bytes(options["activations"], "--activations")
    tokens = _tokens(options["batch"], options["seq"])
    parameters, trainable = _counts(spec, options["parameters"], options["trainable"])
    return StatesRequest(
        parameters,
        trainable,
        ranks,
        hardware,
        limit,
        groups,
        options["train"],
        options["microbatches"],
        activations,
        tokens,
        options["checkpointing"],
        options["compute_dtype"],
        Algorithm(options["collectives"]),
        hardware.overlap if overlap is None else overlap,
    )


def _counts(spec: str | None, parameters: str | None, trainable: str | None) -> tuple[int, int]:
    """Parameters in all and trainable ones."""
    if (spec is None) == (parameters is None):
        raise UsageError(
            "a SPEC and --parameters both say how large the model is"
            if spec is not None
            else "neither a SPEC nor --parameters says how large the model is",
            help="give one of them: distc plan --states --parameters 7e9 …",
        )
    if parameters is not None:
        whole = kept = parse_count(parameters, "--parameters")
    else:
        assert spec is not None
        from distc.compiler.frontend.counts import count_parameters

        counts = count_parameters(spec)
        whole, kept = counts.total, counts.trainable
    if trainable is not None:
        kept = parse_share(trainable, "--trainable", whole)
    return whole, kept


def _tokens(batch: int | None, seq: int | None) -> int | None:
    if batch is None and seq is None:
        return None
    if batch is None or seq is None:
        raise UsageError(
            f"--{'seq' if seq is None else 'batch'} is not given, computation needs both",
            help="write --batch 1 --seq 2048, or neither for communication alone",
        )
    return batch * seq


def _show(request: StatesRequest, rows: tuple[StateRow, ...]) -> None:
    print(
        f"{request.parameters:,} parameters, {request.trainable:,} trainable, on {request.ranks} "
        f"ranks of {request.hardware.name}; {request.optimizer} keeps {request.optimizer_bytes} "
        f"bytes of each; micro-batches: {request.microbatches}"
    )
    if request.tokens is None:
        print("communication alone: give --batch and --seq to count computation")
    cells = [_cells(rank, row, request.hardware.devices_per_node) for rank, row in _ranked(rows)]
    console.stdout().print(console.table("", _COLUMNS, cells))
    print("seconds; param and grad per micro-batch, all else per step")
    if request.activation_bytes:
        print(f"memory includes {gib(request.activation_bytes)} of activations")
    else:
        print("memory is that of state alone: add --activations for what the model keeps")


def _ranked(rows: tuple[StateRow, ...]) -> list[tuple[str, StateRow]]:
    """Rows with their place; those that do not fit have none."""
    return [(str(i) if row.is_feasible else "—", row) for i, row in enumerate(rows, 1)]


def _cells(place: str, row: StateRow, devices_per_node: int) -> tuple[str, ...]:
    moved, seconds = row.communication, row.seconds
    terms = (moved.parameter, moved.gradient, moved.sync_gradient, moved.sync_parameter)
    times = (moved.total, row.compute_seconds, row.max_seconds, row.sum_seconds, seconds)
    return (
        place,
        str(row.levels),
        called(row),
        _group(row.group, devices_per_node),
        f"{row.memory.total / 2**30:.1f}",
        *(f"{term:.4f}" if term else "0" for term in (*terms, *times)),
        f"{1 / seconds:.3g}" if seconds else "—",
        f"{-math.log10(seconds):.2f}" if seconds else "—",
        reason(row),
    )


def _group(group: int | None, devices_per_node: int) -> str:
    if group is None:
        return "—"
    nodes = group / devices_per_node
    if nodes == 1:
        return f"{group} (node)"
    return f"{group} ({nodes:g} nodes)" if nodes > 1 else str(group)
