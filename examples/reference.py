"""The reference that distc is compared with: plain transformers in one process, without distc.

    python examples/reference.py smollm2 build/smollm2 build/demo/smollm2.safetensors
    python examples/reference.py minilm  build/minilm  build/demo/minilm.safetensors

SmolLM2: for every prompt `prompt.<i>` [length] and the greedy continuation by `generate`, with its
key/value cache, each prompt alone and without padding: `tokens.<i>` [new tokens] and
`logits.<i>` [new tokens, vocabulary]. MiniLM: the padded sentences `input_ids`,
`attention_mask`, `token_type_ids` [sentences, length], and `embeddings` [sentences, width], each
computed from its sentence alone and without padding.

The file's metadata holds seconds, on one thread: `recompute.<n>` is the time in which the same
text is generated for the first n prompts by running the model on the whole padded sequence for
every token, which is what the compiled program does.
"""

from __future__ import annotations

import argparse
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
import transformers
import workload
from safetensors.torch import save_file


def smollm2(folder: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return prompts, greedy tokens and their logits, and the seconds of the recomputation."""
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.train(False)
    tensors: dict[str, torch.Tensor] = {}
    prompts: list[torch.Tensor] = []
    for index, text in enumerate(workload.PROMPTS):
        encoded = tokenizer.apply_chat_template(
            [{"role": "user", "content": text}],
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )
        prompt = encoded["input_ids"][0]
        if len(prompt) + workload.NEW_TOKENS > workload.SEQUENCE:
            raise SystemExit(f"error: prompt {index} has {len(prompt)} tokens, too long")
        generated = model.generate(
            **encoded,
            do_sample=False,
            max_new_tokens=workload.NEW_TOKENS,
            output_logits=True,
            return_dict_in_generate=True,
        )
        prompts.append(prompt)
        tensors[f"prompt.{index}"] = prompt.clone()
        tensors[f"tokens.{index}"] = generated.sequences[0, len(prompt) :].clone()
        tensors[f"logits.{index}"] = torch.cat(generated.logits).contiguous()
        answer = tokenizer.decode(tensors[f"tokens.{index}"], skip_special_tokens=True)
        print(f"reference: {text!r} -> {answer!r}")
    seconds = {
        f"recompute.{count}": f"{_recompute_seconds(model, prompts[:count]):.3f}"
        for count in range(1, len(prompts) + 1)
    }
    return tensors, seconds


def _recompute_seconds(model: Any, prompts: list[torch.Tensor]) -> float:
    """Time greedy generation that runs the whole padded sequence for every token."""
    ids = torch.zeros(len(prompts), workload.SEQUENCE, dtype=torch.int64)
    for row, prompt in zip(ids, prompts, strict=True):
        row[: len(prompt)] = prompt
    with torch.inference_mode():
        model(input_ids=ids, use_cache=False)  # warm up: allocations, first-call set-up
        start = time.perf_counter()
        for step in range(workload.NEW_TOKENS):
            logits = model(input_ids=ids, use_cache=False).logits
            for index, prompt in enumerate(prompts):
                position = len(prompt) + step
                ids[index, position] = logits[index, position - 1].argmax()
        return time.perf_counter() - start


def minilm(folder: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the padded sentences and the embedding of each sentence."""
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    model: Any = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32)
    model.train(False)
    sentences = list(workload.SENTENCES)
    embeddings = []
    with torch.inference_mode():
        for sentence in sentences:
            hidden = model(**tokenizer(sentence, return_tensors="pt")).last_hidden_state[0]
            embeddings.append(torch.nn.functional.normalize(hidden.mean(dim=0), dim=0))
    padded = tokenizer(
        sentences, padding="max_length", max_length=workload.SENTENCE_LENGTH, return_tensors="pt"
    )
    if padded["input_ids"].shape[1] != workload.SENTENCE_LENGTH:
        raise SystemExit(f"error: a sentence has {padded['input_ids'].shape[1]} tokens, too long")
    names = ("input_ids", "attention_mask", "token_type_ids")
    return {**{n: padded[n].clone() for n in names}, "embeddings": torch.stack(embeddings)}, {}


def main() -> int:
    """Compute the reference of one model and write it."""
    parser = argparse.ArgumentParser(description="plain transformers, one process, no distc")
    parser.add_argument("model", choices=["smollm2", "minilm"])
    parser.add_argument("folder", type=Path, help="the model as a Hugging Face folder")
    parser.add_argument("output", type=Path, help="the safetensors file to write")
    args = parser.parse_args()
    torch.set_num_threads(1)
    tensors, seconds = (smollm2 if args.model == "smollm2" else minilm)(args.folder)
    if "distc" in sys.modules:
        raise SystemExit("error: the reference imported distc")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, args.output, metadata=seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
