"""One rank of sentence embedding with a compiled MiniLM; run as many as the mesh has ranks.

    torchrun --nproc-per-node 2 examples/minilm/embed.py \\
        build/demo/minilm.distc build/demo/reference-minilm.safetensors build/demo/embeddings

The program takes whole `input_ids` and `attention_mask` [sentences, length] from the second file
and returns whole hidden states [sentences, length, width]; an embedding is their normalised mean
over the tokens of the sentence. Written are OUTPUT.safetensors (`embeddings` [sentences, width],
by rank 0) and OUTPUT.<rank>.json (`seconds` of one step, weight bytes `read` and `total`).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

import distc


def pool(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """[sentences, length, width] and 0/1 [sentences, length] → unit vectors [sentences, width]."""
    kept = mask.unsqueeze(-1).to(hidden.dtype)
    return torch.nn.functional.normalize((hidden * kept).sum(dim=1) / kept.sum(dim=1), dim=-1)


def main() -> int:
    """Embed as this rank and write what it found."""
    parser = argparse.ArgumentParser(description="one rank of sentence embedding")
    parser.add_argument("artifact", type=Path)
    parser.add_argument("sentences", type=Path, help="safetensors: input_ids, attention_mask")
    parser.add_argument("output", help="path without suffix")
    parser.add_argument("--backend", default="gloo", choices=["auto", "gloo", "nccl", "sim"])
    args = parser.parse_args()
    program = distc.load(args.artifact, backend=args.backend)
    with safe_open(args.sentences, "pt") as file:
        ids, mask = file.get_tensor("input_ids"), file.get_tensor("attention_mask")
    program(input_ids=ids, attention_mask=mask)  # warm up: process groups, allocations
    start = time.perf_counter()
    hidden = program(input_ids=ids, attention_mask=mask)
    seconds = time.perf_counter() - start
    held = program.weight_bytes
    report = {"seconds": seconds, "read": held.read, "total": held.total}
    Path(f"{args.output}.{program.rank}.json").write_text(json.dumps(report))
    if program.rank == 0:
        save_file({"embeddings": pool(hidden, mask)}, f"{args.output}.safetensors")
    program.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except distc.DistcError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
