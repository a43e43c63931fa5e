"""SmolLM2 trained and asked in one process with plain PyTorch and transformers, without distc.

    python examples/smollm2/alone.py build/smollm2 build/demo/alone --new-tokens 64 \\
        --prompt "Why is the sky blue?" --chat [--text build/demo/text.txt --steps 20]

Takes the steps first, each on the next samples of the text with torch.optim.AdamW, then continues
every prompt greedily with `generate` and its key/value cache. Writes OUTPUT.safetensors
(`prompt.<i>` [length], `tokens.<i>` [new tokens]) and OUTPUT.json (`steps`, each with `loss`
and `seconds`; `seconds` of the generation, over all prompts).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

# Read by transformers when it is imported.
os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}

import torch
import torch.nn.functional as F
import transformers
from safetensors.torch import save_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import workload


def train(model: Any, ids: torch.Tensor, steps: int) -> list[dict[str, float]]:
    """Take `steps` steps; return the loss before each and the seconds it took."""
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=workload.WEIGHT_DECAY)
    rows = workload.BATCH
    samples = ids[: steps * rows * workload.TRAIN_SEQUENCE].view(steps, rows, -1)
    taken = []
    for step, batch in enumerate(samples, 1):
        start = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = workload.LEARNING_RATE * min(1.0, step / workload.WARMUP)
        logits = model(input_ids=batch, use_cache=False).logits
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        taken.append({"loss": loss.item(), "seconds": time.perf_counter() - start})
    return taken


def answer(
    model: Any, tokenizer: Any, text: str, *, chat: bool, new_tokens: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tokens of a prompt and its greedy continuation."""
    if chat:
        encoded = tokenizer.apply_chat_template(
            [{"role": "user", "content": text}],
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )
    else:
        encoded = tokenizer(text, return_tensors="pt")
    prompt = encoded["input_ids"][0]
    made = model.generate(**encoded, do_sample=False, max_new_tokens=new_tokens)
    tokens = made[0, len(prompt) :]
    if len(tokens) != new_tokens:
        raise SystemExit(f"error: {text!r} ends after {len(tokens)} tokens, not {new_tokens}")
    return prompt.clone(), tokens.clone()


def main() -> int:
    """Train and generate, and write what came out."""
    parser = argparse.ArgumentParser(description="plain transformers, one process, no distc")
    parser.add_argument("folder", type=Path, help="the model as a Hugging Face folder")
    parser.add_argument("output", help="path without suffix")
    parser.add_argument("--prompt", action="append", required=True)
    parser.add_argument("--chat", action="store_true", help="prompts are questions of a chat")
    parser.add_argument("--new-tokens", type=int, required=True)
    parser.add_argument("--text", type=Path, help="what to train on")
    parser.add_argument("--steps", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(args.folder)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(args.folder, dtype=torch.float32)
    steps: list[dict[str, float]] = []
    if args.steps:
        text = args.text.read_text("utf-8")
        steps = train(
            model.train(), tokenizer(text, return_tensors="pt")["input_ids"][0], args.steps
        )
    model.train(False)
    tensors: dict[str, torch.Tensor] = {}
    start = time.perf_counter()
    for index, text in enumerate(args.prompt):
        prompt, tokens = answer(model, tokenizer, text, chat=args.chat, new_tokens=args.new_tokens)
        tensors |= {f"prompt.{index}": prompt, f"tokens.{index}": tokens}
        print(f"alone: {text!r} -> {tokenizer.decode(tokens, skip_special_tokens=True)!r}")
    seconds = time.perf_counter() - start
    if "distc" in sys.modules:
        raise SystemExit("error: the reference imported distc")
    save_file(tensors, f"{args.output}.safetensors")
    Path(f"{args.output}.json").write_text(json.dumps({"steps": steps, "seconds": seconds}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
