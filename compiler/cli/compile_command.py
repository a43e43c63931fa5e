"""`distc compile`: a model and a mesh become an artifact."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from distc.compiler.cli import console
from distc.compiler.options import CompileOptions, check_output, check_output_file
from distc.compiler.reproducer import start_recorder
from distc.dialect.mesh import Mesh
from distc.runtime.errors import ExitCode

if TYPE_CHECKING:
    from distc.compiler.compiled import Compiled


@click.command("compile")
@click.argument("spec")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("out.distc"),
    show_default=True,
    help="The artifact to write: a folder, or a zip named *.zip.",
)
@click.option("--mesh", required=True, metavar="NAME=SIZE,…", help="The ranks, outermost first.")
@click.option(
    "--preset",
    metavar="NAME[+NAME]",
    help="data-parallel, megatron, megatron-sp, fsdp[:AXIS,…]; to train also zero1, zero3, NIG, …",
)
@click.option(
    "--constraints",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Shardings by parameter or module pattern (TOML); they win over the preset.",
)
@click.option(
    "--weights",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE",
    help="Safetensors with the weights by name [default: the function run for real].",
)
@click.option("--batch", type=int, metavar="N", help="Batch size of a Hugging Face model.")
@click.option("--seq", type=int, metavar="N", help="Sequence length of a Hugging Face model.")
@click.option(
    "--generate",
    type=int,
    metavar="TOKENS",
    help="Make prefill, of so many tokens at a time, and decode, with a cache of --seq positions.",
)
@click.option(
    "--train",
    metavar="OPTIMIZER",
    help="Compile a training step: sgd, adam, adamw, lion, adafactor; settings as in "
    "sgd:momentum=0.9.",
)
@click.option(
    "--microbatches",
    type=int,
    default=1,
    metavar="K",
    help="Parts that a training batch is cut into; SPEC's batch is one of them.",
)
@click.option(
    "--clip-norm", type=float, metavar="X", help="Largest norm of all gradients together."
)
@click.option(
    "--solver",
    metavar="NAME",
    help="exact: search for the cheapest plan; what --preset and --constraints pin stays. "
    "z3, ilp, beam: other ways to search, to compare with.",
)
@click.option(
    "--budget",
    metavar="TIME",
    help="The longest the search may take, as 60s, 2m, 500ms; then the best plan so far is taken.",
)
@click.option(
    "--hardware",
    metavar="NAME|FILE",
    help="The machine that prices the search: h100-8x, a100-8x, cpu, … [default: generic].",
)
@click.option(
    "--memory",
    metavar="BYTES",
    help="What a rank may hold under a searched plan: 60GiB [default: the machine's memory].",
)
@click.option(
    "--compute-dtype",
    metavar="TYPE",
    help="bf16 or f16: what a training step computes in; master weights keep the model's type.",
)
@click.option(
    "--loss-scale",
    metavar="S",
    help="Scale of the loss in training: a number, or dynamic[:initial=65536,interval=2000].",
)
@click.option("--seed", type=int, metavar="N", help="Seed of dropout in training [default: 0].")
@click.option(
    "--verify",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Check shardings after every pass and the partitioned module.",
)
@click.option(
    "--dump-ir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the module after each pass: NN-pass-name.mlir.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write the plan as one HTML page, as `distc report` does.",
)
@click.option("--timing", is_flag=True, help="Show seconds and peak memory of every stage.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    spec: str,
    output: Path,
    mesh: str,
    preset: str | None,
    constraints: Path | None,
    weights: Path | None,
    batch: int | None,
    seq: int | None,
    generate: int | None,
    train: str | None,
    microbatches: int,
    clip_norm: float | None,
    solver: str | None,
    budget: str | None,
    hardware: str | None,
    memory: str | None,
    compute_dtype: str | None,
    loss_scale: str | None,
    seed: int | None,
    verify: str,
    dump_ir: Path | None,
    report: Path | None,
    timing: bool,
    as_json: bool,
) -> int:
    """Distribute the model SPEC over a mesh and write an artifact.

    SPEC is file.py:function, module.path:function, a Hugging Face model folder (needs --batch and
    --seq), or a StableHLO text file. The function returns (model, example_args), and for --train
    (model, batch) or (model, batch, loss): without a loss, model(*batch) returns it.
    """
    start_recorder("compile", dict(click.get_current_context().params))
    options = CompileOptions(
        mesh=Mesh.parse(mesh),
        preset=preset,
        constraints=constraints,
        weights=weights,
        batch=batch,
        seq=seq,
        generate=generate,
        train=train,
        microbatches=microbatches,
        clip_norm=clip_norm,
        solver=solver,
        budget=budget,
        hardware=hardware,
        memory=memory,
        compute_dtype=compute_dtype,
        loss_scale=loss_scale,
        seed=seed,
        verify=verify == "on",
        dump_folder=dump_ir,
    )
    check_output(output)
    if report is not None:
        check_output_file(report)
    with console.progress() as show:
        from distc.compiler.driver import compile_spec

        compiled = compile_spec(spec, options, on_stage=show)
        show("write")
        compiled.save(output)
        if report is not None:
            from distc.compiler.report import write_report

            show("report")
            write_report(output, report, hardware)
    _report(compiled, output, timing, as_json)
    return ExitCode.OK


def _report(compiled: Compiled, output: Path, timing: bool, as_json: bool) -> None:
    if as_json:
        console.print_json({"artifact": str(output), **compiled.report()})
        return
    for line in compiled.report_lines():
        print(line)
    print(f"wrote {output}")
    if timing:
        console.stdout().print(_timing_table(compiled))


def _timing_table(compiled: Compiled) -> Table:
    rows = [(s.name, f"{s.seconds:.3f}", f"{s.peak_mib:.0f}") for s in compiled.timings.stages]
    rows.append(("total", f"{compiled.timings.total_seconds:.3f}", rows[-1][2]))
    return console.table("", ("stage", "seconds", "peak RSS MiB"), rows)
