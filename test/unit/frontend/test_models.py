"""Whole models: the exported module says the same as eager PyTorch."""

from __future__ import annotations

import importlib

import pytest
import torch
from unit.frontend import harness

MODELS = ("mlp", "resnet18", "gpt2", "llama", "bert", "integer_mlp")


@pytest.mark.parametrize("name", MODELS)
def test_model_equals_eager(name: str) -> None:
    model, args = importlib.import_module(f"models.{name}").reduced()
    program = harness.assert_equals_eager(model, *args)
    floats = "f64" in str(program.module).replace(" : f64", "")
    assert not floats, "the module computes in f64"
    assert torch.is_grad_enabled()
