"""Programs in Shardy's words: imported, partitioned, run on all ranks, compared with one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conformance.shardy_programs import MANUALS, PROGRAMS

from distc.compiler.frontend.sdy import import_shardy
from distc.dialect.context import make_context
from distc.runtime.errors import InputError, UnsupportedOp

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from peer.annotated import check_annotated  # noqa: E402
from peer.executables import NotUnderstood, check_executable  # noqa: E402

FOLDER = Path(os.environ.get("DISTC_CONFORMANCE", ROOT.parent / "shared" / "peer-tests"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_ranks_equal_one(name: str) -> None:
    assert check_annotated(PROGRAMS[name]) == ""


@pytest.mark.parametrize("name", MANUALS)
def test_a_manual_computation_gives_each_device_its_value(name: str, tmp_path: Path) -> None:
    path = tmp_path / "manual.mlir"
    path.write_text(MANUALS[name])
    assert check_executable(path) == ""


def test_a_wrong_expectation_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "manual.mlir"
    path.write_text(MANUALS["partition_id"].replace("dense<[18, 21]>", "dense<[18, 22]>"))
    assert "check 3" in check_executable(path)


def test_a_file_without_checks_does_not_pass(tmp_path: Path) -> None:
    path = tmp_path / "manual.mlir"
    text = MANUALS["partition_id"]
    path.write_text("\n".join(line for line in text.splitlines() if "check." not in line))
    with pytest.raises(NotUnderstood):
        check_executable(path)


def test_a_source_program_has_no_manual_computation() -> None:
    text = MANUALS["partition_id"].split("//--- part")[1].partition("\n")[2]
    with pytest.raises(UnsupportedOp, match="speaks of single ranks"):
        import_shardy(text, make_context(), "m.mlir")


def test_one_device_of_many_makes_a_value_that_differs() -> None:
    text = """sdy.mesh @m = <["x"=3]>
    sdy.mesh @second = <[], device_ids=[1]>
    func.func @main() -> tensor<i32> {
      %0 = stablehlo.partition_id : tensor<ui32>
      %1 = stablehlo.convert %0 {sdy.sharding = #sdy.sharding_per_value<[<@second, []>]>}
        : (tensor<ui32>) -> tensor<i32>
      return %1 : tensor<i32>
    }"""
    program = import_shardy(text, make_context(), manual=True)
    assert "all_gather" in str(program.module)
    assert "all_gather" not in str(
        import_shardy(text.replace("partition_id", "constant dense<1>"), make_context()).module
    )


def test_notices_say_what_is_left_out() -> None:
    notices = import_shardy(PROGRAMS["called_function"], make_context()).notices
    assert [n.partition(" ")[0] for n in notices] == [
        "sdy.sharding_group",
        "sdy.propagation_barrier",
    ]


def test_an_unknown_mesh_is_refused() -> None:
    text = PROGRAMS["iota"].replace("@m,", "@unknown,")
    with pytest.raises(InputError, match="@unknown"):
        import_shardy(text, make_context(), "m.mlir")


def test_shardys_own_tests_pass() -> None:
    folder = FOLDER / "shardy"
    if not folder.is_dir():
        pytest.skip(f"no Shardy tests in {folder}; set DISTC_CONFORMANCE to their parent folder")
    files = sorted(folder.glob("executable_*/*.mlir"))[::3]
    assert files
    assert {f.stem: wrong for f in files if (wrong := check_executable(f))} == {}
