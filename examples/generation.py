"""Generation from a cache that lies in shards: SmolLM2 on two and four ranks, and what it saves.

On each mesh the model answers two questions with 64 greedy tokens, `prefill` and `decode` sharing
keys and values that are cut like the heads; the tokens are compared with those of plain
transformers (`smollm2/alone.py`, a process without distc). The same model without a cache, which
runs over all positions for every token, says what the cache saves.

Prints one line per mesh; the last line is the verdict. Exit code 1 when a token differs, 70 when a
step could not be run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import checks
import launch
import workload
from launch import EXAMPLES, LOGS, StepFailed, say
from safetensors import safe_open

RANKS = (2, 4)
ALONE = LOGS / "alone-generation"


@dataclass(frozen=True, slots=True)
class Found:
    """What one mesh did.

    Attributes:
        ranks: number of processes.
        equal: tokens that agree with transformers, per question.
        cached: tokens per second from the cache, the prompts' time included.
        recomputed: tokens per second without one.
        cache_share: the largest rank's part of the bytes of keys and values.
    """

    ranks: int
    equal: tuple[int, ...]
    cached: float
    recomputed: float
    cache_share: float

    @property
    def faults(self) -> list[str]:
        """What is not as promised."""
        return [
            f"token {n + 1} of answer {i} differs"
            for i, n in enumerate(self.equal)
            if n < workload.CACHED_TOKENS
        ]

    def __str__(self) -> str:
        tokens = " and ".join(f"{n}/{workload.CACHED_TOKENS}" for n in self.equal)
        return (
            f"smollm2 tensor={self.ranks}: {tokens} tokens equal, largest rank "
            f"{100 * self.cache_share:.0f} % of the cache, {self.cached:.1f} tokens/s from the "
            f"cache, {self.recomputed:.1f} without, {self.cached / self.recomputed:.1f} times"
        )


def reference() -> None:
    """Let plain transformers answer the questions."""
    launch.run_python("prepare-smollm2", [EXAMPLES / "smollm2" / "prepare.py"])
    say("reference: plain transformers")
    arguments = [EXAMPLES / "smollm2" / "alone.py", workload.SMOLLM2, ALONE, "--chat"]
    arguments += [x for text in workload.PROMPTS for x in ("--prompt", text)]
    arguments += ["--new-tokens", str(workload.CACHED_TOKENS)]
    print(launch.run_python("alone-generation", arguments), end="", flush=True)


def run(ranks: int) -> Found:
    """Compile and run one mesh, with a cache and without."""
    say(f"compiling for {ranks} ranks")
    mesh, folder, length = f"tensor={ranks}", workload.SMOLLM2, workload.CACHED_SEQUENCE
    cached = LOGS / f"cached-{ranks}.distc"
    plain = LOGS / f"recomputed-{ranks}.distc"
    launch.compile_model(folder, cached, mesh, 1, length, more=["--generate", str(workload.CHUNK)])
    launch.compile_model(folder, plain, mesh, 1, length)
    say(f"generating on {ranks} ranks, from the cache")
    prompts, scripts = Path(f"{ALONE}.safetensors"), EXAMPLES / "smollm2"
    output = cached.with_suffix(".out")
    took = _slowest(scripts / "cached.py", cached, prompts, output, ranks)
    say(f"generating on {ranks} ranks, without a cache")
    few = workload.RECOMPUTED_TOKENS
    again = plain.with_suffix(".out")
    recomputed = _slowest(
        scripts / "generate.py", plain, prompts, again, ranks, ["--new-tokens", str(few)]
    )
    return Found(
        ranks,
        equal_tokens(Path(f"{output}.safetensors"), prompts),
        workload.CACHED_TOKENS * len(workload.PROMPTS) / took,
        few / recomputed,
        cache_share(cached),
    )


def _slowest(
    script: Path, artifact: Path, prompts: Path, output: Path, ranks: int, more: Sequence[str] = ()
) -> float:
    reports = launch.run_ranks(script, artifact, prompts, output, ranks, more)
    return max(report.seconds for report in reports)


def equal_tokens(found: Path, expected: Path) -> tuple[int, ...]:
    """Count per answer the tokens before the first that differs."""
    with safe_open(found, "numpy") as ours, safe_open(expected, "numpy") as theirs:
        names = [f"tokens.{i}" for i in range(len(workload.PROMPTS))]
        return tuple(
            checks.equal_tokens(ours.get_tensor(n).tolist(), theirs.get_tensor(n).tolist())
            for n in names
        )


def cache_share(artifact: Path) -> float:
    """The largest rank's part of the cache of an artifact."""
    state = launch.inspect(artifact)["state"]["state"]
    return float(max(state["bytes_per_rank"]) / state["bytes"])


def main() -> int:
    """Run the demo."""
    try:
        reference()
        faults = []
        for ranks in RANKS:
            found = run(ranks)
            print(found, flush=True)
            faults += [f"tensor={ranks}: {fault}" for fault in found.faults]
    except StepFailed as error:
        print(f"error: {error}", file=sys.stderr)
        print(f"help: the logs are in {LOGS}", file=sys.stderr)
        return 70
    print(f"generation: {'FAILED: ' + '; '.join(faults) if faults else 'as transformers'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
