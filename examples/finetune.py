"""Fine-tuning SmolLM2 on four ranks takes the steps that PyTorch takes in one process.

The text is the language reference that ships with Python. One process trains with plain PyTorch
(`smollm2/alone.py`, without distc); four ranks train `distc compile --train` with tensor
parallelism by two, data parallelism by two and optimizer state cut over all of them. Then both
trained models continue a sentence greedily: the ranks' through a checkpoint, a model folder and a
program with a cache on two ranks.

Prints a table of the steps, what every rank holds, the sentence; the last line is the verdict.
Exit code 1 when a loss is off by more than 1e-4 or a token differs, 70 when a step could not run.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

import checks
import launch
import workload
from launch import EXAMPLES, LOGS, StepFailed, say
from safetensors import safe_open

MESH = "data=2,tensor=2"
PRESET = "megatron+zero1"
ASKED = "tensor=2"
TEXT = LOGS / "text.txt"
ALONE = LOGS / "alone-finetune"
ARTIFACT = LOGS / "finetune.distc"
CHECKPOINT = LOGS / "finetune-kept"
TRAINED = LOGS / "finetune-model"
GENERATES = LOGS / "finetune-generates.distc"


@dataclass(frozen=True, slots=True)
class Step:
    """The loss before a step, and the seconds it took."""

    loss: float
    seconds: float


def write_text() -> None:
    """Write the text to train on: the same for one version of Python."""
    LOGS.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join(topics[name] for name in sorted(topics))
    TEXT.write_text(text[: workload.TEXT_CHARACTERS], encoding="utf-8")


def train_alone() -> list[Step]:
    """Train and generate in one process."""
    arguments = [EXAMPLES / "smollm2" / "alone.py", workload.SMOLLM2, ALONE, "--text", TEXT]
    arguments += ["--steps", str(workload.STEPS), "--prompt", workload.CONTINUED]
    arguments += ["--new-tokens", str(workload.CONTINUED_TOKENS)]
    print(launch.run_python("alone-finetune", arguments), end="", flush=True)
    return [Step(**step) for step in json.loads(Path(f"{ALONE}.json").read_text())["steps"]]


def train_on_ranks() -> list[Step]:
    """Compile the training program and train it; a checkpoint is left."""
    say(f"compiling {PRESET} for {MESH}")
    more = ["--train", f"adamw:weight_decay={workload.WEIGHT_DECAY}"]
    sizes = (workload.BATCH, workload.TRAIN_SEQUENCE)
    launch.compile_model(workload.SMOLLM2, ARTIFACT, MESH, *sizes, preset=PRESET, more=more)
    shutil.rmtree(CHECKPOINT, ignore_errors=True)
    say("training on four ranks")
    arguments = ["-m", "distc", "train", ARTIFACT, "--data", TEXT, "--tokenizer", workload.SMOLLM2]
    arguments += ["--steps", str(workload.STEPS), "--lr", str(workload.LEARNING_RATE)]
    arguments += ["--warmup", str(workload.WARMUP), "--checkpoint", CHECKPOINT, "--json"]
    events = launch.run_python("train-finetune", arguments).splitlines()
    return steps_of([json.loads(line) for line in events])


def steps_of(events: Sequence[dict[str, float]]) -> list[Step]:
    """Return the steps among the events of `distc train --json`."""
    return [Step(e["loss"], e["seconds"]) for e in events if e["event"] == "step"]


def continue_on_ranks() -> int:
    """Continue the sentence with what the ranks have learned; count the equal tokens."""
    from distc.runtime.checkpoint.plain import export_weights
    from distc.runtime.checkpoint.sources import CheckpointSource

    say("checkpoint → model folder → program with a cache")
    shutil.rmtree(TRAINED, ignore_errors=True)
    export_weights(CheckpointSource(CHECKPOINT), TRAINED, config=workload.SMOLLM2)
    shutil.rmtree(CHECKPOINT)  # 1.6 GB that nobody reads any more
    length = workload.CONTINUED_TOKENS + workload.TRAIN_SEQUENCE
    launch.compile_model(TRAINED, GENERATES, ASKED, 1, length, more=["--generate", "1"])
    prompts, output = Path(f"{ALONE}.safetensors"), GENERATES.with_suffix(".out")
    launch.run_ranks(EXAMPLES / "smollm2" / "cached.py", GENERATES, prompts, output, 2)
    with safe_open(f"{output}.safetensors", "numpy") as ours, safe_open(prompts, "numpy") as theirs:
        found, expected = (f.get_tensor("tokens.0").tolist() for f in (ours, theirs))
    return checks.equal_tokens(found, expected)


def faults_of(alone: Sequence[Step], ranks: Sequence[Step], equal: int) -> list[str]:
    """Return what is not as promised; a loss that is no number is never close."""
    if len(alone) != workload.STEPS or len(ranks) != workload.STEPS:
        return [f"{len(alone)} and {len(ranks)} steps were taken, not {workload.STEPS}"]
    tolerance = workload.LOSS_TOLERANCE
    faults = [
        f"loss {i} is {b.loss:.6f}, not {a.loss:.6f}"
        for i, (a, b) in enumerate(zip(alone, ranks, strict=True), 1)
        if not abs(a.loss - b.loss) <= tolerance
    ]
    if equal < workload.CONTINUED_TOKENS:
        faults.append(f"token {equal + 1} after training differs")
    return faults


def table(alone: Sequence[Step], ranks: Sequence[Step]) -> str:
    """Return the table of the steps."""
    lines = [f"{'step':>4}  {'single':>9}  {'4 ranks':>9}  {'difference':>10}"]
    for i, (a, b) in enumerate(zip(alone, ranks, strict=False), 1):
        lines.append(f"{i:4}  {a.loss:9.6f}  {b.loss:9.6f}  {abs(a.loss - b.loss):10.1e}")
    return "\n".join(lines)


def speed(steps: Sequence[Step]) -> float:
    """Tokens per second of the middle step."""
    tokens = workload.BATCH * workload.TRAIN_SEQUENCE
    return tokens / statistics.median(step.seconds for step in steps)


def held() -> str:
    """What the ranks keep between steps, by kind."""
    lines = []
    for kind, state in launch.inspect(ARTIFACT)["state"].items():
        if state["bytes"] > 1 << 20:
            each = " ".join(f"{n / 1e6:.0f}" for n in state["bytes_per_rank"])
            lines.append(f"{kind}: {each} MB on the ranks, {state['bytes'] / 1e6:.0f} MB in one")
    return "\n".join(lines)


def main() -> int:
    """Run the demo."""
    try:
        launch.run_python("prepare-smollm2", [EXAMPLES / "smollm2" / "prepare.py"])
        write_text()
        say("training in one process: plain PyTorch")
        alone = train_alone()
        ranks = train_on_ranks()
        equal = continue_on_ranks()
        print(table(alone, ranks))
        print(f"tokens/s: {speed(alone):.0f} in one process, {speed(ranks):.0f} on four ranks")
        print(held())
    except StepFailed as error:
        print(f"error: {error}", file=sys.stderr)
        print(f"help: the logs are in {LOGS}", file=sys.stderr)
        return 70
    print(f"{equal}/{workload.CONTINUED_TOKENS} tokens equal after training")
    faults = faults_of(alone, ranks, equal)
    print(f"fine-tuning: {'FAILED: ' + '; '.join(faults) if faults else 'as one process'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
