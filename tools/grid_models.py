"""Models of the grid at real sizes, from fake weights: their cleaned training steps.

Batches grow with the ranks (weak scaling); every model says its share of one rank.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.fake import fake_build
from distc.compiler.frontend.optimizers import parse_optimizer
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.compiler.frontend.training_spec import build_folder, next_token
from distc.dialect.context import make_context
from distc.transforms import make_pass
from distc.transforms.cleanup import CLEANUP

Loss = Callable[..., Tensor]


@dataclass(frozen=True)
class GridModel:
    """A model, how to make it and its batch for so many ranks.

    Attributes:
        name: as in the table.
        optimizer: as on the command line.
        build: makes the model, its batch and its loss.
    """

    name: str
    optimizer: str
    build: Callable[[int], tuple[nn.Module, tuple[Tensor, ...], Loss]]

    def step(self, ranks: int) -> ir.Module:
        """Return the training step of so many ranks, cleaned and without a plan."""
        model, batch, loss = self.build(ranks)
        options = TrainingOptions((parse_optimizer(self.optimizer),), evaluate=False)
        exported = export_training(
            model, batch, loss, options, context=make_context(), source=self.name
        )
        for name in (*CLEANUP, "copy-known"):
            make_pass(name).run(exported.module)
        return exported.module


def _classify(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(model(x), y)


def _mlp(ranks: int) -> tuple[nn.Module, tuple[Tensor, ...], Loss]:
    widths = (1024, *(8192,) * 4, 1024)
    layers = [m for a, b in pairwise(widths) for m in (nn.Linear(a, b), nn.ReLU())]
    model = fake_build(lambda: nn.Sequential(*layers))
    rows = 256 * ranks
    return model, (torch.zeros(rows, 1024), torch.zeros(rows, dtype=torch.int64)), _classify


class _Faces(nn.Module):
    """A layer that stands for the backbone's last, and a classifier of very many people."""

    def __init__(self, people: int) -> None:
        super().__init__()
        self.body = nn.Linear(25088, 512, bias=False)
        self.people = nn.Linear(512, people, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        return self.people(F.relu(self.body(features)))


def _faces(ranks: int) -> tuple[nn.Module, tuple[Tensor, ...], Loss]:
    model = fake_build(lambda: _Faces(1_000_000))
    rows = 64 * ranks
    return model, (torch.zeros(rows, 25088), torch.zeros(rows, dtype=torch.int64)), _classify


def _folder(config: Mapping[str, Any], seq: int) -> Callable[[int], Any]:
    def build(ranks: int) -> tuple[nn.Module, tuple[Tensor, ...], Loss]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "config.json").write_text(json.dumps(dict(config)))
            _, model, _ = build_folder(Path(folder), seq)
        return model, (torch.zeros(ranks, seq, dtype=torch.int64),), next_token

    return build


def _llama(hidden: int, inner: int, layers: int, heads: int, groups: int) -> Callable[[int], Any]:
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "max_position_embeddings": 8192,
        "tie_word_embeddings": False,
        "vocab_size": 128256,
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
    }
    return _folder(config, 2048)


_GPT2 = {
    "architectures": ["GPT2LMHeadModel"],
    "model_type": "gpt2",
    "vocab_size": 50257,
    "n_positions": 1024,
    "n_embd": 1024,
    "n_layer": 24,
    "n_head": 16,
    "tie_word_embeddings": True,
    "attn_pdrop": 0.0,
    "embd_pdrop": 0.0,
    "resid_pdrop": 0.0,
}

MODELS = (
    GridModel("mlp", "adamw", _mlp),
    GridModel("faces-1m", "sgd:momentum=0.9", _faces),
    GridModel("gpt2-medium", "adamw", _folder(_GPT2, 1024)),
    GridModel("llama-1b", "adamw", _llama(2048, 8192, 16, 32, 8)),
    GridModel("llama-8b", "adamw", _llama(4096, 14336, 32, 32, 8)),
    GridModel("llama-70b", "adamw", _llama(8192, 28672, 80, 64, 8)),
)
"""Everything the grid has a row for."""
