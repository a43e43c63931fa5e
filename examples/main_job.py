"""The main job: pretrained models, compiled for several ranks, saying the same as on one.

SmolLM2-135M-Instruct writes 32 greedy tokens on four meshes, the sentence model all-MiniLM-L6-v2
embeds four sentences; both are compared with plain transformers (`reference.py`, a process
without distc). Every rank is a process of its own with one thread, joined by gloo.

Prints one line per model and mesh. Exit code 1 when a token differs, when logits or embeddings
are out of tolerance, when a rank of SmolLM2 holds more than 1.15 × its fair share of the weight
bytes, when a layer has more than two all-reduces, or when an op was replicated for lack of a
rule; 70 when a step could not be run.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

import checks
import launch
import numpy as np
import numpy.typing as npt
import workload
from checks import Difference
from launch import EXAMPLES, LOGS, RankReport, StepFailed, say
from safetensors import safe_open

from distc.runtime import artifact as artifacts

KEY_VALUE_GROUPS = 3
ITEMSIZE = {"F32": 4}
MODELS = {
    "smollm2": (workload.SMOLLM2, workload.SEQUENCE),
    "minilm": (workload.MINILM, workload.SENTENCE_LENGTH),
}
SCRIPTS = {
    "smollm2": EXAMPLES / "smollm2" / "generate.py",
    "minilm": EXAMPLES / "minilm" / "embed.py",
}

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Job:
    """A model on a mesh. `texts` is the batch: a data-parallel mesh gets one text per part."""

    model: str
    mesh: str
    texts: int

    @property
    def sizes(self) -> dict[str, int]:
        """Axis name → size."""
        return {name: int(size) for name, size in (a.split("=") for a in self.mesh.split(","))}

    @property
    def ranks(self) -> int:
        """Number of processes."""
        return prod(self.sizes.values())

    @property
    def artifact(self) -> Path:
        """Where the compiled program lies."""
        return LOGS / f"{self.model}-{self.mesh.replace(',', '-')}-batch{self.texts}.distc"

    @property
    def output(self) -> Path:
        """Where the ranks write, without suffix."""
        return self.artifact.with_suffix(".out")

    @property
    def reference(self) -> Path:
        """What plain transformers found."""
        return LOGS / f"reference-{self.model}.safetensors"


MESHES = ("tensor=2", "tensor=3", "tensor=4", "data=2,tensor=2")
ONE_RANK = tuple(Job("smollm2", "tensor=1", texts) for texts in (1, 2))
SMOLLM2 = tuple(Job("smollm2", mesh, 2 if "data" in mesh else 1) for mesh in MESHES)
MINILM = tuple(Job("minilm", mesh, len(workload.SENTENCES)) for mesh in MESHES)


@dataclass
class Verdict:
    """The printed facts of one job, and what is wrong with it."""

    facts: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def require(self, condition: bool, fault: str) -> None:
        """Note a fault where the condition does not hold."""
        if not condition:
            self.faults.append(fault)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What is counted in an artifact: all-reduces per layer, ops without a rule, seconds."""

    all_reduces: dict[int | None, int]
    replicated: int
    seconds: float

    @property
    def worst_layer(self) -> int:
        """All-reduces of the layer that has most."""
        return max((n for layer, n in self.all_reduces.items() if layer is not None), default=0)


def prepare() -> None:
    """Make the model folders and the references; both are compared within this run."""
    for model, (folder, _) in MODELS.items():
        say(f"preparing {model} in {folder.relative_to(workload.BUILD.parent)}")
        launch.run_python(f"prepare-{model}", [EXAMPLES / model / "prepare.py"])
    for model, (folder, _) in MODELS.items():
        say(f"reference: plain transformers on {model}")
        output = LOGS / f"reference-{model}.safetensors"
        text = launch.run_python(
            f"reference-{model}", [EXAMPLES / "reference.py", model, folder, output]
        )
        print(text, end="", flush=True)


def compile_all(jobs: tuple[Job, ...]) -> dict[Job, Compiled]:
    """Compile every job, as many at a time as there are cores, at most four."""
    workers = min(4, os.cpu_count() or 1)
    say(f"compiling {len(jobs)} programs, {workers} at a time")
    with ThreadPoolExecutor(workers) as pool:
        return dict(zip(jobs, pool.map(_compile, jobs), strict=True))


def _compile(job: Job) -> Compiled:
    folder, sequence = MODELS[job.model]
    report = launch.compile_model(folder, job.artifact, job.mesh, job.texts, sequence)
    program = artifacts.read(job.artifact).program()
    reduces = (call.loc for call in program.calls if call.op == "collective.all_reduce")
    seconds = sum(stage["seconds"] for stage in report["timing"])
    say(f"compiled {job.model} {job.mesh} in {seconds:.1f} s")
    return Compiled(dict(checks.per_layer(reduces)), len(report["replicated"]), seconds)


def run(job: Job) -> list[RankReport]:
    """Run a job's ranks."""
    say(f"running {job.model} {job.mesh} on {job.ranks} process(es)")
    return launch.run_ranks(SCRIPTS[job.model], job.artifact, job.reference, job.output, job.ranks)


def judge_text(job: Job, verdict: Verdict) -> None:
    """Compare tokens and logits with the reference; with two texts the worse counts."""
    names = ("tokens", "logits")
    found = _tensors(Path(f"{job.output}.safetensors"), names)
    texts = range(job.texts)
    expected = {n: np.stack([_tensor(job.reference, f"{n}.{i}") for i in texts]) for n in names}
    equal = min(
        checks.equal_tokens(a.tolist(), b.tolist())
        for a, b in zip(found["tokens"], expected["tokens"], strict=True)
    )
    gap = checks.difference(found["logits"], expected["logits"])
    verdict.facts += [
        f"{equal}/{workload.NEW_TOKENS} tokens equal",
        f"logits {gap.relative:.1e}",
    ]
    verdict.require(equal == workload.NEW_TOKENS, f"token {equal + 1} differs")
    _require_close(verdict, "logits", gap, workload.LOGITS_TOLERANCE)


def judge_embeddings(job: Job, verdict: Verdict) -> None:
    """Compare embeddings with the reference."""
    found = _tensor(Path(f"{job.output}.safetensors"), "embeddings")
    gap = checks.difference(found, _tensor(job.reference, "embeddings"))
    verdict.facts.append(f"embeddings {gap.relative:.1e}")
    _require_close(verdict, "embeddings", gap, workload.EMBEDDING_TOLERANCE)


def _require_close(verdict: Verdict, what: str, gap: Difference, tolerance: float) -> None:
    verdict.require(
        gap.within(tolerance),
        f"{what} differ by {gap.largest:.2e} of {gap.scale:.2e}, tolerance {tolerance:.0e}",
    )


def judge_weights(job: Job, reports: list[RankReport], verdict: Verdict) -> None:
    """Hold the largest rank to its fair share, and all ranks to the whole model."""
    largest, total = max(r.read for r in reports), reports[0].total
    verdict.facts.append(f"largest rank {100 * largest / total:.0f} % of the weight bytes")
    copies = job.sizes.get("data", 1)
    read = sum(r.read for r in reports)
    verdict.require(read >= copies * total, f"the ranks read {read} of {copies} × {total} bytes")
    if job.model != "smollm2":
        return
    fair = checks.fair_share(_stored_bytes(workload.SMOLLM2), job.sizes["tensor"], KEY_VALUE_GROUPS)
    verdict.require(
        largest <= checks.SHARE_SLACK * fair,
        f"the largest rank read {largest} bytes, its fair share is {fair}",
    )


def judge_program(compiled: Compiled, verdict: Verdict) -> None:
    """Hold the program to two all-reduces a layer and to a rule for every op."""
    verdict.facts += [
        f"{sum(compiled.all_reduces.values())} all-reduces",
        f"{compiled.replicated} ops replicated for lack of a rule",
    ]
    most = checks.ALL_REDUCES_PER_LAYER
    verdict.require(
        compiled.worst_layer <= most, f"a layer has {compiled.worst_layer} all-reduces, not {most}"
    )
    # Embedding and output; an all-reduce that names no layer must not hide one of a layer.
    outside = compiled.all_reduces.get(None, 0)
    verdict.require(outside <= most, f"{outside} all-reduces are outside of layers, not {most}")
    verdict.require(compiled.replicated == 0, f"{compiled.replicated} ops have no rule")


def judge(job: Job, compiled: Compiled, reports: list[RankReport]) -> Verdict:
    """Return all facts and faults of one job."""
    verdict = Verdict()
    (judge_text if job.model == "smollm2" else judge_embeddings)(job, verdict)
    judge_weights(job, reports, verdict)
    judge_program(compiled, verdict)
    return verdict


def seconds(reports: list[RankReport]) -> float:
    """Time of the slowest rank."""
    return max(report.seconds for report in reports)


def _tensors(file: Path, names: tuple[str, ...]) -> dict[str, Array]:
    with safe_open(file, "numpy") as opened:
        return {name: opened.get_tensor(name) for name in names}


def _tensor(file: Path, name: str) -> Array:
    return _tensors(file, (name,))[name]


def _stored_bytes(folder: Path) -> dict[str, int]:
    with safe_open(folder / "model.safetensors", "numpy") as opened:
        slices = {name: opened.get_slice(name) for name in opened.keys()}
        return {n: prod(s.get_shape()) * ITEMSIZE[s.get_dtype()] for n, s in slices.items()}


def run_all(compiled: dict[Job, Compiled]) -> Iterator[tuple[Job, Verdict]]:
    """Run and judge every job, print its line, and yield it."""
    alone: dict[tuple[str, int], float] = {}
    for job, program in compiled.items():
        reports = run(job)
        verdict = judge(job, program, reports)
        took = seconds(reports)
        if job.ranks == 1:
            alone[job.model, job.texts] = took
            say(f"one rank: {', '.join(verdict.facts)}, {_shown(took)}")
            yield job, verdict
            continue
        before = alone.get((job.model, job.texts))
        if before is not None:
            verdict.facts.append(f"1 rank {_shown(before)}")
        verdict.facts.append(f"{job.ranks} ranks {_shown(took)}")
        print(f"{job.model} {job.mesh}: {', '.join(verdict.facts)}", flush=True)
        yield job, verdict


def _shown(duration: float) -> str:
    return f"{duration:.1f} s" if duration >= 0.1 else f"{duration:.3f} s"


def summary(compiled: dict[Job, Compiled], wall: float) -> None:
    """Print what the times mean."""
    with safe_open(ONE_RANK[0].reference, "numpy") as opened:
        plain = [float(opened.metadata()[f"recompute.{texts}"]) for texts in (1, 2)]
    slowest = max(c.seconds for c in compiled.values())
    print(
        f"\nSeconds of SmolLM2 are for {workload.NEW_TOKENS} tokens, each by running the model on "
        f"all {workload.SEQUENCE} positions again,\none thread per rank on {os.cpu_count()} cores; "
        "data=2 writes two texts. Plain transformers, computing the same way\non one thread: "
        f"{plain[0]:.1f} s for one text, {plain[1]:.1f} s for two. The slowest compile took "
        f"{slowest:.0f} s, everything {wall / 60:.1f} minutes.\n"
        "The plans are checked, not proved."
    )


def main() -> int:
    """Run the main job."""
    start = time.perf_counter()
    try:
        prepare()
        compiled = compile_all((*ONE_RANK, *SMOLLM2, *MINILM))
        results = list(run_all(compiled))
    except StepFailed as error:
        print(f"error: {error}", file=sys.stderr)
        print(f"help: the logs are in {LOGS}", file=sys.stderr)
        return 70
    summary(compiled, time.perf_counter() - start)
    faults = [f"{j.model} {j.mesh}: {fault}" for j, v in results for fault in v.faults]
    for fault in faults:
        print(f"FAILED {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
