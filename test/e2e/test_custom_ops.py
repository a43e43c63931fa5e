"""Custom ops end to end: exported, ruled, compiled, run on two ranks, refused where a rule lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from distc.compiler.cli import main
from distc.runtime import custom, launch
from distc.runtime.launch import RunOptions

SOURCE = str(Path(__file__).parents[2] / "src")
MODEL = """
import torch
from torch import nn

import distc


@distc.custom_op("e2e_NAME::squash", meta=lambda x: x.new_empty(x.shape)RULE)
def squash(x: torch.Tensor) -> torch.Tensor:
    return x / (1.0 + x.square().sum(1, keepdim=True))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return squash(self.up(x)) + 1.0


def model() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    return Model().eval(), (torch.randn(5, 8),)
"""
# Five rows on two ranks: the last rank's shard is padded.
PINS = '[[pin]]\ninput = "x"\nsharding = "[S(r), R]"\n'


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("DISTC_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS"):
        monkeypatch.delenv(name, raising=False)


def compiled(folder: Path, name: str, rule: str | None) -> int:
    """Compile a model whose op has a name of its own; return the exit code."""
    given = f', rule="{rule}"' if rule is not None else ""
    text = MODEL.replace("NAME", name).replace("RULE", given)
    (folder / f"{name}.py").write_text(text)
    (folder / "pins.toml").write_text(PINS)
    return main(
        [
            "compile", f"{folder / name}.py:model", "--mesh", "r=2",
            "--constraints", str(folder / "pins.toml"), "-o", str(folder / "out.distc"),
        ]
    )  # fmt: skip


def checked(folder: Path, backend: str) -> int:
    """Run the artifact on two ranks and compare with the source program."""
    ranks = 2 if backend == "gloo" else None
    options = RunOptions(
        artifact=str(folder / "out.distc"), backend=backend, ranks=ranks, random=0, check=True
    )
    return launch.run(options)


def plan(folder: Path) -> str:
    import zipfile

    path = folder / "out.distc"
    if path.is_dir():
        return (path / "plan.mlir").read_text()
    with zipfile.ZipFile(path) as archive:
        return archive.read("plan.mlir").decode()


def call_sharding(folder: Path) -> str:
    (line,) = (t for t in plan(folder).splitlines() if "custom_call @e2e" in t)
    return line


def test_a_discovered_rule_runs_on_two_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled(tmp_path, "found", None) == 0
    said = "".join(capsys.readouterr())
    assert "rule of e2e_found.squash discovered in" in said and "validated by execution" in said
    assert "0 ops replicated" in said
    assert '"r"' in call_sharding(tmp_path)
    assert checked(tmp_path, "sim") == 0
    monkeypatch.setenv(custom.IMPORT, str(tmp_path / "found.py"))
    assert checked(tmp_path, "gloo") == 0
    assert capsys.readouterr().out.count("equal") >= 2
    assert compiled(tmp_path, "found", None) == 0
    said = "".join(capsys.readouterr())
    assert "rule of e2e_found.squash from the cache" in said and "1 of 1 found" in said


def test_a_given_rule_is_executed_once_and_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled(tmp_path, "given", "[i, j] -> [i, j] need_replication={j}") == 0
    said = "".join(capsys.readouterr())
    assert "rule of e2e_given.squash given, holds in every execution tried" in said
    assert '"r"' in call_sharding(tmp_path)
    assert checked(tmp_path, "sim") == 0
    monkeypatch.setenv(custom.IMPORT, str(tmp_path / "given.py"))
    assert checked(tmp_path, "gloo") == 0


def test_a_wrong_rule_is_refused_with_a_counter_example(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiled(tmp_path, "wrong", "[i, j] -> [i, j]") == 65
    said = capsys.readouterr().err
    assert "'[i, j] -> [i, j]' of e2e_wrong.squash does not hold" in said
    assert "cut into 2 along j" in said
    assert "from shards and" in said and "from the whole, for [5, 6] of" in said
    assert not (tmp_path / "out.distc").exists()


def test_a_function_in_no_file_is_checked_too(capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    import distc
    from distc.runtime.errors import InputError

    names: dict[str, object] = {"torch": torch}
    exec("def flip(x: torch.Tensor) -> torch.Tensor:\n    return x.flip(0)", names)
    flip = distc.custom_op(
        "e2e_nofile::flip", meta=lambda x: x.new_empty(x.shape), rule="[i] -> [i]"
    )(names["flip"])

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return flip(x) * 2.0

    with pytest.raises(InputError, match=r"e2e_nofile\.flip does not hold: cut into 2 along i"):
        distc.compile(Model(), (torch.randn(6),), mesh=distc.Mesh.of(r=2))
