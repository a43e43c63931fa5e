"""Mistakes on the command line of `distc compile`: options, mesh, output."""

from __future__ import annotations

import os
from typing import Any

import pytest

Case = Any
Refused = Any


@pytest.mark.parametrize(
    "text",
    [
        "tensor",
        "tensor:2",
        "=2",
        "tensor=x",
        "",
        "tensor=-1",
        "tensor=2,,data=2",
        "tensor=²",
        "tensor=2;data=2",
        "tensor=1.5",
        "2",
        "tensor=" + "9" * 5000,
    ],
)
def test_mesh_text(case: Case, refused: Refused, text: str) -> None:
    refused(["compile", case.spec, "--mesh", text], 78, "mesh axis")


def test_mesh_axis_name(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["2d", "a-b", "a b", "ä", "a.b"])
    refused(["compile", case.spec, "--mesh", f"{name}=2"], 78, repr(name), "identifier")


def test_mesh_axis_twice(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["tensor", "data", "x"])
    mesh = f"{name}=2,y=2,{name}={case.rng.randint(1, 4)}"
    refused(["compile", case.spec, "--mesh", mesh], 78, f"{name} appears 2 times")


def test_mesh_axis_of_size_zero(case: Case, refused: Refused) -> None:
    refused(["compile", case.spec, "--mesh", "data=2,tensor=0"], 78, "tensor has size 0")


def test_mesh_too_large(case: Case, refused: Refused) -> None:
    size = case.rng.choice([10**6, 10**9, 10**15])
    refused(["compile", case.spec, "--mesh", f"tensor={size}"], 78, str(size))


def test_unknown_option(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["--tensor", "--ranks", "--out", "-x"])
    refused(case.compile(name, "2"), 2, name)


def test_unknown_preset(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["megatrn", "zero3", "MEGATRON", "", "data_parallel"])
    refused(case.compile("--preset", name), 2, repr(name), "data-parallel")


def test_preset_with_axes_it_does_not_take(case: Case, refused: Refused) -> None:
    refused(case.compile("--preset", "megatron:tensor"), 2, "megatron:tensor")


def test_preset_with_unknown_axis(case: Case, refused: Refused) -> None:
    refused(case.compile("--preset", "fsdp:nope"), 2, "'nope'")


def test_verify_with_another_word(case: Case, refused: Refused) -> None:
    refused(case.compile("--verify", case.rng.choice(["yes", "1", "ON "])), 2, "--verify")


def test_limits_of_a_search_that_are_none(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["budget", "memory"])
    text = case.rng.choice(["7", "much", "-1GiB", "60 s", ""])
    refused(case.compile("--solver", "exact", f"--{name}={text}"), 2, f"--{name}")


def test_limits_without_a_search(case: Case, refused: Refused) -> None:
    name, text = case.rng.choice([("budget", "7s"), ("memory", "7GiB")])
    refused(case.compile(f"--{name}", text), 2, f"--{name}", "--solver exact")


def test_solver_that_does_not_exist(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["7", "best", "Exact"])
    refused(case.compile("--solver", name), 2, repr(name), "exact")


def test_hardware_without_a_search(case: Case, refused: Refused) -> None:
    refused(case.compile("--hardware", "cpu"), 2, "--hardware", "--solver exact")


def test_batch_below_one(case: Case, refused: Refused) -> None:
    value = str(case.rng.choice([0, -1, -100]))
    refused(case.compile("--batch", value), 2, value)


def test_batch_that_is_no_number(case: Case, refused: Refused) -> None:
    refused(case.compile("--batch", "many"), 2, "many")


def test_output_in_a_folder_that_is_not_there(case: Case, refused: Refused) -> None:
    refused(case.compile("-o", "no/such/out.distc"), 66, "no/such/out.distc")


def test_output_below_a_file(case: Case, refused: Refused) -> None:
    case.write("notes.txt", "mine")
    refused(case.compile("-o", "notes.txt/out.distc"), 66, "notes.txt/out.distc")


def test_output_over_something_else(case: Case, refused: Refused) -> None:
    case.write("notes.txt", "mine")
    refused(case.compile("-o", "notes.txt"), 2, "notes.txt", "not overwritten")
    (case.folder / "mine").mkdir()
    case.write("mine/notes.txt", "mine")
    refused(case.compile("-o", "mine"), 2, "mine", "not overwritten")


def test_output_over_a_pipe(case: Case, refused: Refused) -> None:
    os.mkfifo(case.folder / "pipe")
    refused(case.compile("-o", "pipe"), 2, "a device or a pipe")
    assert (case.folder / "pipe").is_fifo()


def test_dump_into_a_file(case: Case, refused: Refused) -> None:
    case.write("notes.txt", "mine")
    refused(case.compile("--dump-ir", "notes.txt"), 2, "notes.txt")


def test_empty_spec(case: Case, refused: Refused) -> None:
    refused(["compile", case.rng.choice(["", " "]), "--mesh", "x=2"], 2, "SPEC")


def test_name_that_is_too_long(case: Case, refused: Refused) -> None:
    name = "x" * case.rng.randint(300, 2000)
    refused(case.compile("-o", name), 2, "too long")
    refused(["compile", f"{name}.mlir", "--mesh", "x=2"], 2, "too long")
