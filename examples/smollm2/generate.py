"""One rank of greedy generation with a compiled SmolLM2; run as many as the mesh has ranks.

    torchrun --nproc-per-node 2 examples/smollm2/generate.py \\
        build/demo/smollm2.distc build/demo/reference-smollm2.safetensors build/demo/answer

The program takes whole token ids [batch, sequence] and returns whole logits
[batch, sequence, vocabulary]. For each new token it runs on the padded sequence again; the model
is causal, so what stands right of a position never changes its logits.

Prompts are the tensors `prompt.<i>` of the second file, one per row of the batch. Written are
OUTPUT.safetensors (`tokens` [batch, new tokens], `logits` [batch, new tokens, vocabulary], by
rank 0) and OUTPUT.<rank>.json (`seconds` of the generation, weight bytes `read` and `total`).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file

import distc


def generate(
    program: Any, prompts: list[torch.Tensor], new_tokens: int
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Return greedy tokens, the logits that chose them, and seconds after one warm-up step."""
    batch, sequence = program.point.inputs[0].shape
    lengths = torch.tensor([len(prompt) for prompt in prompts])
    if len(prompts) != batch or int(lengths.max()) + new_tokens > sequence:
        raise SystemExit(f"error: the program takes {batch} texts of {sequence} tokens")
    ids = torch.zeros(batch, sequence, dtype=torch.int64)
    for row, prompt in zip(ids, prompts, strict=True):
        row[: len(prompt)] = prompt
    rows = torch.arange(batch)
    chosen: list[torch.Tensor] = []
    program(ids)  # warm up: process groups, allocations
    start = time.perf_counter()
    for step in range(new_tokens):
        logits = program(ids)
        # Of all positions only the last one of each text matters; the rest is let go.
        last = logits[rows, lengths + step - 1]
        ids[rows, lengths + step] = last.argmax(dim=-1)
        chosen.append(last)
    seconds = time.perf_counter() - start
    tokens = torch.stack([ids[rows, lengths + step] for step in range(new_tokens)], dim=1)
    return tokens, torch.stack(chosen, dim=1), seconds


def main() -> int:
    """Generate as this rank and write what it found."""
    parser = argparse.ArgumentParser(description="one rank of greedy generation")
    parser.add_argument("artifact", type=Path)
    parser.add_argument("prompts", type=Path, help="safetensors with prompt.0, prompt.1, …")
    parser.add_argument("output", help="path without suffix")
    parser.add_argument("--new-tokens", type=int, default=32)
    parser.add_argument("--backend", default="gloo", choices=["auto", "gloo", "nccl", "sim"])
    args = parser.parse_args()
    program = distc.load(args.artifact, backend=args.backend)
    batch = program.point.inputs[0].shape[0]
    with safe_open(args.prompts, "pt") as file:
        prompts = [file.get_tensor(f"prompt.{i}") for i in range(batch)]
    tokens, logits, seconds = generate(program, prompts, args.new_tokens)
    held = program.weight_bytes
    report = {"seconds": seconds, "read": held.read, "total": held.total}
    Path(f"{args.output}.{program.rank}.json").write_text(json.dumps(report))
    if program.rank == 0:
        save_file({"tokens": tokens, "logits": logits}, f"{args.output}.safetensors")
    program.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except distc.DistcError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
