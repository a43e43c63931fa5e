"""Generation with a cache: tokens equal to transformers', on one rank and on several."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import torch

import distc
from distc.dialect.mesh import Mesh
from distc.runtime.errors import InputError, UsageError
from distc.runtime.generate import generate

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None,
    reason="transformers is not installed (examples/requirements.txt)",
)
BATCH, POSITIONS, CHUNK = 2, 16, 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of six heads in three groups, saved."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=64,
        hidden_size=48,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=3,
        max_position_embeddings=64,
        tie_word_embeddings=True,
        eos_token_id=None,
        bos_token_id=None,
    )
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("llama")
    LlamaForCausalLM(config).save_pretrained(path)
    return path


def expected(folder: Path, prompt: torch.Tensor, count: int) -> torch.Tensor:
    """Greedy tokens, the whole sequence computed anew for each."""
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(str(folder)).eval()
    tokens = prompt
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens, use_cache=False).logits[:, -1]
            tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], 1)
    return tokens[:, prompt.shape[1] :]


@pytest.fixture(scope="module")
def compiled(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for mesh in ("tensor=2", "data=2,tensor=2"):
        path = tmp_path_factory.mktemp("artifacts") / "program.distc"
        result = distc.compile(
            str(folder),
            mesh=Mesh.parse(mesh),
            preset="megatron",
            batch=BATCH,
            seq=POSITIONS,
            generate=CHUNK,
        )
        result.save(path)
        found[mesh] = path
    return found


@pytest.mark.parametrize("mesh", ["tensor=2", "data=2,tensor=2"])
@pytest.mark.parametrize("length", [1, 3, 4, 9])
def test_tokens_equal_those_of_transformers(
    folder: Path, compiled: dict[str, Path], mesh: str, length: int
) -> None:
    generator = torch.Generator().manual_seed(length)
    prompt = torch.randint(0, 64, (BATCH, length), generator=generator)
    program = distc.load(compiled[mesh], entry="prefill", backend="sim")
    count = POSITIONS + 1 - length
    assert torch.equal(generate(program, prompt, count), expected(folder, prompt, count))


def test_the_cache_is_cut_by_heads(compiled: dict[str, Path]) -> None:
    program = distc.load(compiled["tensor=2"], entry="decode", backend="sim")
    kept = [r for r in program.point.arguments if r.kind == "state"]
    assert {r.sharding for r in kept} == {"[R, S(tensor), R, R]"}


def test_a_prompt_beyond_the_cache_is_refused(compiled: dict[str, Path]) -> None:
    program = distc.load(compiled["tensor=2"], entry="prefill", backend="sim")
    with pytest.raises(InputError, match="do not fit a cache of 16"):
        generate(program, torch.zeros(BATCH, 10, dtype=torch.int64), 8)
    with pytest.raises(InputError, match="the program continues"):
        generate(program, torch.zeros(BATCH + 1, 2, dtype=torch.int64), 1)


def test_a_chunk_longer_than_the_cache_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="do not fit a cache"):
        distc.compile(str(folder), mesh=Mesh.of(tensor=1), batch=1, seq=4, generate=5)
