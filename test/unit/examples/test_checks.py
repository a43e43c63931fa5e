"""The arithmetic that decides whether the main job passes."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture
def checks(script: Callable[[str], ModuleType]) -> ModuleType:
    """`examples/checks.py`."""
    return script("checks.py")


def test_difference_is_relative_to_the_largest_expected_value(checks: ModuleType) -> None:
    found = checks.difference(
        np.array([1.0, -10.0], np.float32), np.array([1.0, -10.5], np.float32)
    )
    assert (found.largest, found.scale) == (0.5, 10.5)
    assert found.relative == pytest.approx(0.5 / 10.5)


@pytest.mark.parametrize(("gap", "within"), [(2.9e-4, True), (3.1e-4, False)])
def test_tolerance_is_relative_plus_one_millionth(
    checks: ModuleType, gap: float, within: bool
) -> None:
    assert checks.Difference(gap + 1e-6, 1.5).within(2e-4) is within


def test_small_tensors_get_the_absolute_tolerance(checks: ModuleType) -> None:
    assert checks.Difference(9e-7, 0.0).within(2e-4)
    assert not checks.Difference(1.1e-6, 0.0).within(2e-4)


@pytest.mark.parametrize("where", ["found", "expected"])
def test_nan_is_never_within(checks: ModuleType, where: str) -> None:
    clean, spoilt = np.zeros(3, np.float32), np.array([0.0, np.nan, 0.0], np.float32)
    pair = (spoilt, clean) if where == "found" else (clean, spoilt)
    assert not checks.difference(*pair).within(1e9)


def test_shapes_must_agree(checks: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"\(2,\) with \(3,\)"):
        checks.difference(np.zeros(2, np.float32), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="cannot compare"):
        checks.difference(np.zeros(0, np.float32), np.zeros(0, np.float32))


def test_tokens_after_the_first_wrong_one_do_not_count(checks: ModuleType) -> None:
    assert checks.equal_tokens([5, 6, 7], [5, 6, 7]) == 3
    assert checks.equal_tokens([5, 9, 7], [5, 6, 7]) == 1
    with pytest.raises(ValueError, match="2 tokens with 3"):
        checks.equal_tokens([5, 6], [5, 6, 7])


@pytest.mark.parametrize(
    ("name", "ranks", "expected"),
    [
        ("model.layers.0.self_attn.q_proj.weight", 2, 800),  # two of three groups
        ("model.layers.0.self_attn.o_proj.weight", 3, 400),
        ("model.layers.0.self_attn.k_proj.weight", 4, 400),  # the fourth rank holds none
        ("model.layers.0.mlp.down_proj.weight", 2, 600),
        ("model.layers.0.mlp.gate_proj.weight", 4, 300),
        ("model.embed_tokens.weight", 3, 400),
        ("model.layers.0.input_layernorm.weight", 4, 1200),
        ("model.norm.weight", 2, 1200),
    ],
)
def test_fair_bytes(checks: ModuleType, name: str, ranks: int, expected: int) -> None:
    assert checks.fair_bytes(name, 1200, ranks, groups=3) == expected


def test_fair_share_of_smollm2_on_two_ranks_is_53_percent(checks: ModuleType) -> None:
    width, inner, layers = 576, 1536, 30
    sizes = {"model.embed_tokens.weight": 49152 * width, "model.norm.weight": width}
    for i in range(layers):
        at = f"model.layers.{i}"
        sizes |= {f"{at}.self_attn.{p}_proj.weight": width * width for p in ("q", "o")}
        sizes |= {f"{at}.self_attn.{p}_proj.weight": width * width // 3 for p in ("k", "v")}
        sizes |= {f"{at}.mlp.{p}_proj.weight": width * inner for p in ("gate", "up", "down")}
        sizes |= {f"{at}.{p}_layernorm.weight": width for p in ("input", "post_attention")}
    bytes_ = {name: 4 * n for name, n in sizes.items()}
    share = checks.fair_share(bytes_, ranks=2, groups=3) / sum(bytes_.values())
    assert round(100 * share) == 53
    assert checks.fair_share(bytes_, ranks=1, groups=3) == sum(bytes_.values())


def test_all_reduces_are_counted_by_the_layer_they_name(checks: ModuleType) -> None:
    counts = checks.per_layer(
        [
            "model.layers.0.self_attn.o_proj at model.py:1:2",
            "model.layers.0.mlp.down_proj",
            "model.layers.12.mlp.down_proj",
            "encoder.layer.3.output",
            "model.embed_tokens",
            "",
        ]
    )
    assert counts == {0: 2, 12: 1, 3: 1, None: 2}
