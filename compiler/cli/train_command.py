"""`distc train`: a thin front to `distc.runtime.train_launch`, also under torchrun and Slurm."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from distc.compiler.cli import console
from distc.compiler.reproducer import start_recorder
from distc.runtime.launch import BACKENDS, EXECUTORS
from distc.runtime.train_launch import SCHEDULES, Event, TrainOptions, train


def _positive(ctx: click.Context, parameter: click.Parameter, value: float) -> float:
    """Accept numbers from 0 on; NaN is none."""
    if not 0 <= value < math.inf:
        raise click.BadParameter(f"{value} is not a number from 0 on")
    return value


_SECONDS = click.FloatRange(0, min_open=True)


@click.command("train")
@click.argument("artifact")
@click.option("--data", required=True, metavar="PATH", help="Text, token ids, or rows by input.")
@click.option("--steps", type=click.IntRange(1), required=True, help="Steps to take in all.")
@click.option("--lr", type=float, default=1e-3, show_default=True, callback=_positive)
@click.option("--schedule", type=click.Choice(SCHEDULES), default="constant", show_default=True)
@click.option("--warmup", type=click.IntRange(0), default=0, help="Steps of rising learning rate.")
@click.option("--checkpoint", metavar="DIR", help="Save here, and go on from the newest in it.")
@click.option("--save-every", type=click.IntRange(0), default=0, metavar="N", help="In steps.")
@click.option("--keep", type=click.IntRange(1), default=2, show_default=True, metavar="N")
@click.option("-n", "ranks", type=int, metavar="N", help="Number of ranks [default: the mesh's].")
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default="auto",
    show_default=True,
    help="sim runs all ranks in this process.",
)
@click.option("--executor", type=click.Choice(EXECUTORS), default="eager", show_default=True)
@click.option("--weights", metavar="DIR|FILE", help="Weights to start from.")
@click.option("--tokenizer", metavar="DIR", help="Folder with tokenizer.json; else text is bytes.")
@click.option("--seed", type=click.IntRange(0), help="Shuffle the samples; else in order.")
@click.option("--evaluate", metavar="PATH", help="Data whose loss is told at the end.")
@click.option("--evaluate-every", type=click.IntRange(0), default=0, metavar="N", help="In steps.")
@click.option(
    "--max-restarts",
    type=click.IntRange(0),
    default=0,
    help="Start lost ranks again so often, from the newest checkpoint.",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Port where the ranks meet.")
@click.option("--threads", type=click.IntRange(1), help="Threads of each rank.")
@click.option(
    "--peer-timeout", type=_SECONDS, default=10.0, callback=_positive, show_default=True,
    help="Seconds of silence after which a rank counts as lost.",
)  # fmt: skip
@click.option(
    "--join-timeout", type=_SECONDS, default=300.0, callback=_positive, show_default=True,
    help="Seconds to wait for all ranks at the start.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document per event.")
def command(as_json: bool, **options: object) -> int:
    """Train ARTIFACT, which was compiled with --train, on DATA.

    Starts the ranks on this machine, or is one of them under a launcher:
    torchrun --nproc-per-node N --max-restarts M -m distc train ARTIFACT … A SIGTERM saves a
    checkpoint and ends the run; the same command goes on from there.
    """
    start_recorder("train", {**options, "json": as_json})
    parsed = TrainOptions(**options)  # type: ignore[arg-type]  # click has checked each type
    with _teller(as_json) as tell:
        return train(parsed, tell)


@contextmanager
def _teller(as_json: bool) -> Iterator[Callable[[Event], None]]:
    """Yield what shows events: JSON lines, a bar on a terminal, else plain lines."""
    if as_json:
        yield lambda event: print(json.dumps(dict(event), sort_keys=True), flush=True)
        return
    out = console.stdout()
    if not out.is_terminal:
        yield _print_line
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=out) as progress:
        task = progress.add_task("training", total=None, said="")

        def show(event: Event) -> None:
            if event["event"] == "start":
                progress.update(task, total=event["steps"], completed=event["step"])
            if event["event"] == "step":
                progress.update(task, completed=event["step"], said=_measures(event))
            else:
                progress.console.print(line_of(event))

        yield show


def _print_line(event: Event) -> None:
    print(line_of(event), flush=True)


def line_of(event: Event) -> str:
    """Return an event as one line for people."""
    match event["event"]:
        case "start":
            where = f", resumed from {event['resumed']}" if event["resumed"] else ""
            return (
                f"{event['ranks']} rank(s), mesh {event['mesh']}: steps {event['step'] + 1} to "
                f"{event['steps']}, {event['batch']} of {event['samples']} samples a step{where}"
            )
        case "step":
            return f"step {event['step']}: {_measures(event)}"
        case "evaluated":
            return f"evaluated after step {event['step']}: loss {event['loss']:.6f}"
        case "saved":
            return f"saved {event['path']}"
        case "stopped":
            return f"stopped after step {event['step']}; the same command goes on from there"
        case _:
            return f"done after step {event['step']}"


def _measures(event: Event) -> str:
    unit = "tokens" if "tokens_per_second" in event else "samples"
    return f"loss {event['loss']:.6f}, {event[f'{unit}_per_second']:.0f} {unit}/s"
