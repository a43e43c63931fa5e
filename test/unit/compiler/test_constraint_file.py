"""Constraint files: every mistake has a line and a next step; text and pins say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distc.compiler.constraint_file import (
    MAX_BYTES,
    Constraints,
    Pin,
    State,
    Target,
    load_constraints,
    parse_constraints,
)
from distc.runtime.errors import ConfigError, ExitCode, MissingFile

GOOD = """\
# a comment
[[pin]]
parameter = "h.*.attn.c_attn.weight"
sharding = "[R, R, S(tensor), R]"
view = [768, 3, 12, 64]

[[pin]]
input = "tokens"
sharding = "[S(data), R]"
"""


def test_pins_come_in_file_order_with_their_lines() -> None:
    constraints = parse_constraints(GOOD, "plan.toml")
    first, second = constraints.pins
    assert first == Pin(
        Target.PARAMETER, "h.*.attn.c_attn.weight", "[R, R, S(tensor), R]", (768, 3, 12, 64)
    )
    assert (first.where(), first.where("sharding")) == ("plan.toml:2", "plan.toml:4")
    assert first.where("view") == "plan.toml:5"
    assert (second.target, second.where("input")) == (Target.INPUT, "plan.toml:8")


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("[[pin]]\nparameter = 'a'\n", "plan.toml:1", "missing required field `sharding`"),
        ("[[pin]]\nparamter = 'a'\nsharding = '[R]'", "plan.toml:2", "unknown field `paramter`"),
        ("\npins = 3\n", "plan.toml:2", "unknown field `pins`"),
        ("[[pins]]\ninput = 'a'\n", "plan.toml:1", "unknown field `pins`"),
        ("[[pin]]\nsharding = '[R]'", "plan.toml:1", "has none"),
        (
            "[[pin]]\ninput = 'a'\noutput = 'b'\nsharding = '[R]'",
            "plan.toml:1",
            "has input and output",
        ),
        ("[[pin]]\ninput = 'a'\nsharding = 3", "plan.toml:3", "Expected `str`, got `int`"),
        ("[[pin]]\ninput = ''\nsharding = '[R]'", "plan.toml:2", "the input pattern is empty"),
        (
            "[[pin]]\nparameter = 'a'\nsharding = '[R]'\nview = [0, 4]",
            "plan.toml:4",
            "view [0, 4] is not a list of positive sizes",
        ),
        ("[[pin]]\nparameter = 'a'\nsharding = '[R]'\nview = []", "plan.toml:4", "view []"),
        (
            "[[pin]]\nparameter = 'a'\nsharding = '[R]'\nview = ['x']",
            "plan.toml:4",
            "Expected `int`, got `str`",
        ),
        ("[[pin]]\ninput = 'a'\nsharding = '[R]'\nview = [4]", "plan.toml:4", "view does not"),
        (
            "[[pin]]\noutput = 'a'\nsharding = '[R]'\nstate = 'gradient'",
            "plan.toml:4",
            "state does not apply to output 'a'",
        ),
        (
            "[[pin]]\nparameter = 'a'\nsharding = '[R]'\nstate = 'momentum'",
            "plan.toml:4",
            "Invalid enum value 'momentum'",
        ),
        ("[[pin]]\nparameter = \n", "plan.toml:2:13", "not TOML: Invalid value"),
        ("[[pin]\n", "plan.toml:1:6", "not TOML"),
        ("", "plan.toml", "no [[pin]]"),
        ("pin = 7\n", "plan.toml", "Expected `array`, got `int`"),
        ("\n[[pin]]\ninput='a'\nsharding='[R]'\n[[pin]]\nshardin='[R]'", "plan.toml:6", "shardin"),
    ],
)
def test_mistakes_are_located(text: str, where: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_constraints(text, "plan.toml")
    assert says in caught.value.message
    assert caught.value.where == where
    assert caught.value.help
    assert caught.value.exit_code is ExitCode.CONFIG


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"there is no constraint file .*none\.toml"):
        load_constraints(tmp_path / "none.toml")


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a file"):
        load_constraints(tmp_path)


def test_garbage_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "garbage.toml"
    path.write_bytes(b"[[pin]]\n\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8 text: byte 8 is 0xff"):
        load_constraints(path)


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than"):
        load_constraints(path)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"nests too deep|not TOML"):
        parse_constraints("pin = " + "[" * 100_000, "plan.toml")


def test_a_file_is_read_as_its_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(GOOD, encoding="utf-8")
    constraints = load_constraints(path)
    assert constraints == parse_constraints(GOOD, str(path))
    assert constraints.pins[0].where() == f"{path}:2"


def test_later_constraints_come_after() -> None:
    one = Constraints((Pin(Target.INPUT, "a", "[R]"),))
    two = Constraints((Pin(Target.INPUT, "a", "[S(x)]"),))
    assert [p.sharding for p in (one + two).pins] == ["[R]", "[S(x)]"]


words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip)
state_pins = st.builds(
    Pin,
    st.sampled_from([Target.PARAMETER, Target.MODULE]),
    words,
    words,
    st.none() | st.lists(st.integers(1, 999), min_size=1).map(tuple),
    st.sampled_from(State),
)
value_pins = st.builds(Pin, st.sampled_from([Target.INPUT, Target.OUTPUT]), words, words)


@given(st.lists(state_pins | value_pins, min_size=1, max_size=4).map(tuple).map(Constraints))
def test_toml_round_trip(constraints: Constraints) -> None:
    assert parse_constraints(constraints.to_toml(), "x.toml") == constraints


def test_the_text_is_the_documented_form() -> None:
    assert parse_constraints(GOOD, "plan.toml").to_toml() == GOOD.removeprefix("# a comment\n")


def test_a_sequence_needs_no_pin_and_the_last_one_wins() -> None:
    alone = parse_constraints('sequence = "tensor"', "plan.toml")
    assert alone == Constraints((), "tensor")
    assert parse_constraints(alone.to_toml(), "again.toml") == alone
    both = parse_constraints(f'sequence = "x"\n{GOOD}', "plan.toml")
    assert (both.sequence, len(both.pins)) == ("x", 2)
    assert (alone + both).sequence == "x" == (both + Constraints()).sequence
    with pytest.raises(ConfigError, match="Expected `str \\| null`, got `int`"):
        parse_constraints("sequence = 3", "plan.toml")
