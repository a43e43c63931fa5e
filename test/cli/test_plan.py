"""`distc plan --states` prints PaRO's table of a job, without torch unless a model is given."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from distc.compiler.cli import main
from distc.runtime.errors import ExitCode

JOB = ["plan", "--states", "--parameters", "7e9", "--hardware", "a100-8x"]
CLUSTER = [*JOB, "--mesh", "inter=4,intra=8"]


def table(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> dict[str, Any]:
    assert main([*argv, "--json"]) == code
    body = json.loads(capsys.readouterr().out)
    assert isinstance(body, dict)
    return body


def test_json_holds_every_state(capsys: pytest.CaptureFixture[str]) -> None:
    body = table(capsys, *CLUSTER, "--microbatches", "4", "--memory", "60GiB")
    rows = {r["state"]: r for r in body["states"]}
    assert len(rows) == len(body["states"]) == 14
    assert (body["ranks"], body["optimizer_bytes_per_parameter"]) == (32, 12)
    assert body["memory_limit"] == 60 * 2**30
    assert rows["NNG"]["called"] == "zero1" and rows["NNG"]["group"] is None
    assert rows["NII"]["memory"]["total"] == 7_000_000_000 * (2 * 8 + 2 + 12) // 8
    assert not rows["NNN"]["feasible"] and rows["NNN"]["rank"] is None
    assert sorted(r["rank"] for r in body["states"] if r["feasible"]) == list(range(1, 14))
    assert rows["NNN"]["reason"] == "needs 104.3 GiB, limit 60.0 GiB"
    for row in rows.values():
        seconds = row["seconds"]
        each = seconds["parameter"] + seconds["gradient"]
        once = seconds["sync_gradient"] + seconds["sync_parameter"]
        assert seconds["communication"] == pytest.approx(4 * each + once)
        assert row["indicator"] == pytest.approx(1 / seconds["step"])
    fits = [r["seconds"]["step"] for r in body["states"] if r["feasible"]]
    assert fits == sorted(fits)


def test_text_says_what_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CLUSTER, "--memory", "60GiB"]) == 0
    out = capsys.readouterr().out
    assert "needs 104.3 GiB, limit 60.0 GiB" in out
    assert "8 (node)" in out and "zero1" in out
    assert "communication alone" in out and "state alone" in out


def test_computation_counts_where_sizes_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [*CLUSTER, "--batch", "1", "--seq", "2048"]
    plain = table(capsys, *sizes)["states"][0]["seconds"]
    assert plain["computation"] == pytest.approx(6 * 7e9 * 2048 / (312e12 * 0.6))
    again = table(capsys, *sizes, "--checkpointing")["states"][0]["seconds"]
    assert again["computation"] == pytest.approx(plain["computation"] * 8 / 6)
    hidden = table(capsys, *sizes, "--overlap", "1")["states"][0]["seconds"]
    assert hidden["step"] == pytest.approx(hidden["max"])


def test_group_sizes_are_searched(capsys: pytest.CaptureFixture[str]) -> None:
    body = table(capsys, *JOB, "--devices", "32")
    assert {r["group"] for r in body["states"]} == {None, 2, 4, 8, 16}
    body = table(capsys, *JOB, "--devices", "32", "--group", "4", "--group", "16")
    assert {r["group"] for r in body["states"]} == {None, 4, 16}


@pytest.mark.parametrize(
    ("optimizer", "dtype", "bytes_"),
    [
        ("adamw", "bf16", 12),
        ("sgd", "bf16", 4),
        ("sgd:momentum=0.9", "f16", 8),
        ("lion", "bf16", 8),
        ("adam", "f32", 8),
        ("sgd", "f32", 0),
    ],
)
def test_what_an_optimizer_keeps(
    optimizer: str, dtype: str, bytes_: int, capsys: pytest.CaptureFixture[str]
) -> None:
    body = table(capsys, *CLUSTER, "--train", optimizer, "--compute-dtype", dtype)
    assert body["optimizer_bytes_per_parameter"] == bytes_


@pytest.mark.parametrize(
    ("share", "count"), [("1/16", 437_500_000), ("0.003", 21_000_000), ("4e6", 4_000_000)]
)
def test_trainable_share(share: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert table(capsys, *CLUSTER, "--trainable", share)["trainable"] == count


def test_two_levels_change_what_crosses_all_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    flat, two = (
        {r["state"]: r["seconds"] for r in table(capsys, *CLUSTER, *more)["states"]}
        for more in ((), ("--collectives", "paro-cc"))
    )
    assert flat["NII"] == two["NII"]
    assert flat["NNG"]["sync_gradient"] != two["NNG"]["sync_gradient"]


def test_nothing_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CLUSTER, "--memory", "1GiB"]) == ExitCode.INFEASIBLE
    error = capsys.readouterr().err
    assert "GGG needs least, 3.3 GiB, the limit is 1.0 GiB" in error
    body = table(capsys, *CLUSTER, "--memory", "1GiB", code=ExitCode.INFEASIBLE)
    assert not any(r["feasible"] for r in body["states"])


def test_activations_count(capsys: pytest.CaptureFixture[str]) -> None:
    bare = table(capsys, *CLUSTER)["states"]
    more = table(capsys, *CLUSTER, "--activations", "2GB")["states"]
    least = [min(r["memory"]["total"] for r in rows) for rows in (bare, more)]
    assert least[1] - least[0] == 2_000_000_000


WRONG = [
    (["plan"], "without --states"),
    (["plan", "--states", "--devices", "8"], "neither a SPEC nor --parameters"),
    ([*JOB, "model.py:f", "--devices", "8"], "both say how large the model is"),
    (JOB, "given nowhere"),
    ([*CLUSTER, "--devices", "8"], "given twice"),
    ([*CLUSTER, "--group", "8"], "both say how large a group is"),
    ([*JOB, "--mesh", "a=2,b=2,c=2"], "has 3 axes"),
    ([*JOB, "--devices", "32", "--group", "5"], "do not divide 32"),
    ([*CLUSTER, "--batch", "2"], "--seq is not given"),
    ([*CLUSTER, "--memory", "60"], "not a number of bytes"),
    ([*CLUSTER, "--trainable", "0"], "no share"),
    ([*CLUSTER, "--trainable", "1/0"], "no share"),
    ([*CLUSTER, "--trainable", "8e9"], "of 7000000000 parameters"),
    ([*CLUSTER, "--train", "adagrad"], "unknown optimizer"),
    ([*CLUSTER, "--train", "sgd:momentun=0.9"], "no setting 'momentun'"),
    ([*CLUSTER, "--train", "adafactor"], "depends on the shape"),
    (["plan", "--states", "--parameters", "7 billion", "--devices", "8"], "not a count"),
    (["plan", "--states", "--parameters", "1e99999", "--devices", "8"], "not a count"),
    ([*CLUSTER, "--overlap", "2"], "overlap"),
]


@pytest.mark.parametrize(("argv", "message"), WRONG)
def test_mistakes_are_named(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert message in error and "help:" in error


MODEL = """
import torch
from torch import nn


def frozen():
    model = nn.Sequential(nn.Linear(64, 256), nn.Linear(256, 64))
    model[0].requires_grad_(False)
    model.tied = model[1]
    return model, (torch.zeros(4, 64),), None


def nothing():
    return "no model", ()


def untrained():
    return nn.Linear(4, 4).requires_grad_(False), (torch.zeros(4, 4),)
"""


def test_counts_of_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    ranks = ["--devices", "4"]
    body = table(capsys, "plan", "--states", f"{tmp_path}/model.py:frozen", *ranks)
    assert body["parameters"] == 64 * 256 + 256 + 256 * 64 + 64
    assert body["trainable"] == 256 * 64 + 64
    for name, message in (("nothing", "returns str first"), ("untrained", "is trained")):
        spec = f"{tmp_path}/model.py:{name}"
        assert main(["plan", "--states", spec, *ranks]) == ExitCode.BAD_INPUT
        assert message in capsys.readouterr().err


def test_the_page_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "states.md").read_text(encoding="utf-8")
    shown = page.partition("```sh\n")[2]
    command, _, rest = shown.partition("\n```\n\n```\n")
    assert main(shlex.split(command)[1:]) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines()]
    assert rest.partition("\n```\n")[0].splitlines() == printed


def test_counts_of_a_model_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("transformers")
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "vocab_size": 32000,
    }
    assert main(["plan", "--states", str(tmp_path), "--devices", "4"]) == ExitCode.BAD_INPUT
    assert "no config.json" in capsys.readouterr().err
    (tmp_path / "config.json").write_text(json.dumps(config))
    body = table(capsys, "plan", "--states", str(tmp_path), "--devices", "32", "--group", "8")
    assert body["parameters"] == body["trainable"] == 6_738_415_616
