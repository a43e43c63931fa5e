"""Mistakes in constraint files: each is told with the line of the file."""

from __future__ import annotations

from typing import Any

import pytest

Case = Any
Refused = Any

PIN = '[[pin]]\nparameter = "{}"\nsharding = "{}"\n'


def test_axis_list_that_does_not_end(case: Case, refused: Refused) -> None:
    text = case.rng.choice(["[S(tensor, R]", "[S(), R]", "[S(tensor,), R]"])
    refused(case.pins(PIN.format(case.parameter, text)), 78, "plan.toml:3", "unknown mesh axis")


def test_unknown_axis(case: Case, refused: Refused) -> None:
    axis = case.rng.choice(["tensr", "data", "x"])
    text = PIN.format(case.parameter, f"[S({axis}), R]")
    refused(case.pins(text), 78, repr(axis), "plan.toml:3")


def test_sub_axis_that_does_not_divide(case: Case, refused: Refused) -> None:
    refused(case.pins(PIN.format(case.parameter, "[S(tensor:(1)3), R]")), 78, "tensor:(1)3")


def test_rank_mismatch(case: Case, refused: Refused) -> None:
    sharding = case.rng.choice(["[S(tensor)]", "[R, S(tensor), R]", "[]"])
    refused(case.pins(PIN.format(case.parameter, sharding)), 65, "plan.toml:3", sharding)


def test_axis_used_twice(case: Case, refused: Refused) -> None:
    text = PIN.format(case.parameter, "[S(tensor), S(tensor)]")
    refused(case.pins(text), 65, "used twice", "plan.toml:3")


def test_block_that_does_not_divide(case: Case, refused: Refused) -> None:
    block = case.rng.choice([7, 11, 13])
    text = PIN.format(case.parameter, f"[S(tensor)/{block}, R]")
    refused(case.pins(text), 65, f"block {block}", "plan.toml:3")


def test_partial_parameter(case: Case, refused: Refused) -> None:
    text = PIN.format(case.parameter, "[R, R] P(sum: tensor)")
    refused(case.pins(text), 65, "partial", "plan.toml:3")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S(tensor)",
        "[S(tensor) R]",
        "[S(tensor",
        "[Q, R]",
        "[S tensor, R]",
        "[S(tensor)/0, R]",
        "[R, R] P(avg: tensor)",
        "[R; R]",
        "[S(tensor), R] nonsense",
    ],
)
def test_sharding_text(case: Case, refused: Refused, text: str) -> None:
    refused(case.pins(PIN.format(case.parameter, text)), 65, "column", "plan.toml:3")


def test_pattern_that_matches_nothing(case: Case, refused: Refused) -> None:
    pattern = case.rng.choice(["dwn.weight", "layers.*.weight", "DOWN.weight", "down"])
    err = refused(
        case.pins(PIN.format(pattern, "[R, R]")),
        78,
        repr(pattern),
        "matches nothing",
        "plan.toml:2",
    )
    assert "down." in err.split("help:")[1]


def test_output_pattern_that_matches_nothing(case: Case, refused: Refused) -> None:
    text = '[[pin]]\noutput = "logitz"\nsharding = "[R, R]"\n'
    refused(case.pins(text), 78, "logitz", "plan.toml:2")


def test_unknown_key(case: Case, refused: Refused) -> None:
    key = case.rng.choice(["shardings", "params", "axis"])
    text = PIN.format(case.parameter, "[R, R]") + f'{key} = "x"\n'
    refused(case.pins(text), 78, key, "plan.toml:4")


def test_unknown_table(case: Case, refused: Refused) -> None:
    refused(case.pins('[[pins]]\nparameter = "x"\n'), 78, "pins")


def test_not_toml(case: Case, refused: Refused) -> None:
    good = PIN.format(case.parameter, "[R, R]")
    broken = case.rng.choice([good[:-2], "[[pin\n" + good, good + "= 3\n", good + "a = [1,\n"])
    refused(case.pins(broken), 78, "TOML", "plan.toml:")


def test_wrong_type(case: Case, refused: Refused) -> None:
    value = case.rng.choice(["3", "true", '["R"]', "1.5"])
    text = f'[[pin]]\nparameter = "{case.parameter}"\nsharding = {value}\n'
    refused(case.pins(text), 78, "str", "plan.toml:3")


def test_two_targets(case: Case, refused: Refused) -> None:
    text = PIN.format(case.parameter, "[R, R]") + 'module = "down"\n'
    refused(case.pins(text), 78, "exactly one", "plan.toml:1")


def test_no_pin(case: Case, refused: Refused) -> None:
    refused(case.pins(case.rng.choice(["", "# nothing\n", "pin = []\n"])), 78, "[[pin]]")


def test_view_of_another_size(case: Case, refused: Refused) -> None:
    view = case.rng.choice(["[1000]", "[2, 3]", "[1, 1, 1]"])
    text = PIN.format(case.parameter, "[R, R]") + f"view = {view}\n"
    refused(case.pins(text), 65, "elements", "plan.toml:4")


def test_view_that_is_none(case: Case, refused: Refused) -> None:
    view = case.rng.choice(["[]", "[0, 4]", "[-1]"])
    text = PIN.format(case.parameter, "[R, R]") + f"view = {view}\n"
    refused(case.pins(text), 78, "view", "plan.toml:4")


def test_state_that_an_inference_program_has_not(case: Case, refused: Refused) -> None:
    state = case.rng.choice(["gradient", "optimizer"])
    text = PIN.format(case.parameter, "[R, R]") + f'state = "{state}"\n'
    refused(case.pins(text), 78, state, "plan.toml:4")


def test_no_such_file(case: Case, refused: Refused) -> None:
    refused(case.compile("--constraints", "plam.toml"), 66, "plam.toml")


def test_a_folder(case: Case, refused: Refused) -> None:
    refused(case.compile("--constraints", "."), 78, "not a file")


def test_not_text(case: Case, refused: Refused) -> None:
    (case.folder / "plan.toml").write_bytes(case.rng.randbytes(64) + b"\xff\xfe")
    refused(case.compile("--constraints", "plan.toml"), 78, "plan.toml", "UTF-8")
