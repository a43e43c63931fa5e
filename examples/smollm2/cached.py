"""One rank of greedy generation from a sharded cache; run as many as the mesh has ranks.

    torchrun --nproc-per-node 2 examples/smollm2/cached.py \\
        build/demo/cached.distc build/demo/alone.safetensors build/demo/answer

The program has the entry points `prefill` and `decode`, whose keys and values are state, cut like
the heads. Prompts are the tensors `prompt.<i>` of the second file, continued one after another by
as many tokens as `tokens.<i>` has. Written are OUTPUT.safetensors (`tokens.<i>`, by rank 0) and
OUTPUT.<rank>.json (`seconds` of all continuations, weight bytes `read` and `total`).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from safetensors import safe_open
from safetensors.torch import save_file

import distc
from distc.runtime.generate import generate


def main() -> int:
    """Generate as this rank and write what it found."""
    parser = argparse.ArgumentParser(description="one rank of generation from a cache")
    parser.add_argument("artifact", type=Path)
    parser.add_argument("prompts", type=Path, help="safetensors with prompt.0, tokens.0, …")
    parser.add_argument("output", help="path without suffix")
    parser.add_argument("--backend", default="gloo", choices=["auto", "gloo", "nccl", "sim"])
    args = parser.parse_args()
    program = distc.load(args.artifact, backend=args.backend)
    with safe_open(args.prompts, "pt") as file:
        count = sum(name.startswith("prompt.") for name in file.keys())
        prompts = [file.get_tensor(f"prompt.{i}")[None] for i in range(count)]
        lengths = [len(file.get_tensor(f"tokens.{i}")) for i in range(count)]
    generate(program, prompts[0], 2)  # warm up: process groups, allocations
    start = time.perf_counter()
    found = [generate(program, p, n)[0] for p, n in zip(prompts, lengths, strict=True)]
    seconds = time.perf_counter() - start
    held = program.weight_bytes
    report = {"seconds": seconds, "read": held.read, "total": held.total}
    Path(f"{args.output}.{program.rank}.json").write_text(json.dumps(report))
    if program.rank == 0:
        tokens = {f"tokens.{i}": row for i, row in enumerate(found)}
        save_file(tokens, f"{args.output}.safetensors")
    program.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except distc.DistcError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
