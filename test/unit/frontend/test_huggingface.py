"""Hugging Face folders: built offline from config.json, weights by the names of the files."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from unit.frontend import harness

from distc.compiler.frontend.spec import Loaded, load
from distc.dialect.context import make_context
from distc.runtime.errors import DistcError, InputError, MissingFile, UsageError

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None,
    reason="transformers is not installed (examples/requirements.txt)",
)

SIZES = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 37,
    "max_position_embeddings": 12,
}
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "num_key_value_heads": 2,
    "tie_word_embeddings": True,
    **SIZES,
}
BERT = {"model_type": "bert", "architectures": ["BertModel"], **SIZES}


def write(folder: Path, config: dict[str, Any], weights: bool = True) -> Any:
    """Save a config and, with `weights`, a randomly filled model; return the model."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    if not weights:
        return None
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    kind = AutoModelForCausalLM if config is LLAMA else AutoModel
    torch.manual_seed(0)
    model = kind.from_config(AutoConfig.from_pretrained(str(folder))).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    return model


def run(loaded: Loaded, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    """Evaluate the module with the folder's weights."""
    program, tensors = loaded.exported, loaded.tensors()
    known = {**tensors, **program.values, **inputs}
    arrays = [known[n].numpy() for n in harness.argument_names(program)]
    return torch.from_numpy(harness.interpret(program.module, arrays)[0])


def close(a: torch.Tensor, b: torch.Tensor) -> bool:
    """max|a - b| ≤ 1e-5 · max|b|."""
    return (a - b).abs().max().item() <= 1e-5 * b.abs().max().item()


def test_llama(tmp_path: Path) -> None:
    model = write(tmp_path / "llama", LLAMA)
    loaded = load(str(tmp_path / "llama"), context=make_context(), batch=2, seq=8)
    program = loaded.exported
    assert [o.name for o in program.outputs] == ["logits"]
    assert [i.name for i in program.inputs] == ["input_ids"]
    assert loaded.weights == tmp_path / "llama"
    embedding = program.weights[0]
    assert embedding.name == "model.embed_tokens.weight"
    assert {"lm_head.weight", "embed_tokens.weight"} <= set(embedding.aliases)
    assert set(program.values) == {"model.rotary_emb.inv_freq"}
    counts = harness.op_names(program)
    assert counts["stablehlo.dot_general"] == 2 * 7 + 1
    for name in ("gather", "compare", "select", "and", "scatter", "constant"):
        assert not counts[f"stablehlo.{name}"], name
    names = [c.name for c in harness.composites(program)]
    assert names.count("distc.rms_norm") == 5 and names.count("distc.attention") == 2
    attention = next(c for c in harness.composites(program) if c.name == "distc.attention")
    assert attention.attributes["is_causal"] is True
    ids = torch.randint(0, 37, (2, 8))
    with torch.no_grad():
        expected = model(input_ids=ids).logits
    assert close(run(loaded, {"input_ids": ids}), expected)


def test_bert(tmp_path: Path) -> None:
    model = write(tmp_path / "bert", BERT)
    loaded = load(str(tmp_path / "bert"), context=make_context(), batch=2, seq=8)
    program = loaded.exported
    assert [o.name for o in program.outputs] == ["last_hidden_state"]
    assert [i.name for i in program.inputs] == ["input_ids", "attention_mask"]
    assert "bert.embeddings.word_embeddings.weight" in program.weights[0].aliases
    assert "pooler.dense.weight" in program.unused
    counts = harness.op_names(program)
    assert not counts["stablehlo.gather"] and counts["stablehlo.iota"] == 1
    ids = torch.randint(1, 37, (2, 8))
    kept = torch.ones_like(ids)
    kept[0, 5:] = 0
    with torch.no_grad():
        expected = model(input_ids=ids, attention_mask=kept).last_hidden_state
    found = run(loaded, {"input_ids": ids, "attention_mask": kept})
    assert close(found, expected)
    harness.assert_plain(program)


def test_the_dtype_of_the_config(tmp_path: Path) -> None:
    write(tmp_path / "m", {**LLAMA, "dtype": "bfloat16"}, weights=False)
    program = load(str(tmp_path / "m"), context=make_context(), batch=1, seq=4).exported
    assert {w.dtype for w in program.weights} == {"bf16"}
    assert program.outputs[0].dtype == "bf16"


@pytest.mark.parametrize(
    ("config", "seq", "error", "says"),
    [
        (LLAMA, 13, UsageError, "12 positions"),
        ({"architectures": []}, 4, InputError, "model_type"),
        ({"model_type": "no-such-type"}, 4, InputError, "no-such-type"),
        ({**LLAMA, "num_attention_heads": 3}, 4, InputError, "cannot"),
    ],
)
def test_mistakes(
    tmp_path: Path, config: dict[str, Any], seq: int, error: type[DistcError], says: str
) -> None:
    write(tmp_path / "m", config, weights=False)
    with pytest.raises(error, match=says) as caught:
        load(str(tmp_path / "m"), context=make_context(), batch=1, seq=seq)
    assert caught.value.help


def test_a_folder_without_weights(tmp_path: Path) -> None:
    write(tmp_path / "m", LLAMA, weights=False)
    loaded = load(str(tmp_path / "m"), context=make_context(), batch=1, seq=4)
    with pytest.raises(MissingFile, match="safetensors"):
        loaded.tensors()
    (tmp_path / "m" / "model.safetensors").write_bytes(b"garbage")
    with pytest.raises(InputError, match="not a safetensors file"):
        loaded.tensors()
