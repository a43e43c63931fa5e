"""Every registered pass loads, is documented, and reads its options from text."""

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import pytest

import distc.transforms as registry
from distc.runtime.errors import UsageError
from distc.transforms import PASSES, make_pass, parse_pipeline, pass_class
from distc.transforms.base import Pass
from distc.transforms.verify_shardings import Stage, VerifyShardings


class Mode(StrEnum):
    FAST = "fast"
    EXACT = "exact"


@dataclass(frozen=True)
class Options(Pass):
    """A pass with an option of each kind."""

    name: ClassVar[str] = "options"
    count: int = 1
    ratio: float = 0.5
    deep: bool = False
    mode: Mode = Mode.EXACT
    axes: tuple[str, ...] = ()
    limit: int | None = None

    def run(self, module):
        """Do nothing."""


@pytest.fixture(autouse=True)
def extra_pass(monkeypatch):
    original = registry.pass_class
    monkeypatch.setattr(
        registry, "pass_class", lambda n: Options if n == "options" else original(n)
    )


@pytest.mark.parametrize("name", PASSES)
def test_registered_pass(name):
    cls = pass_class(name)
    assert cls.name == name
    assert issubclass(cls, Pass) and dataclasses.is_dataclass(cls)
    assert cls.__dataclass_params__.frozen
    summary = (cls.__doc__ or "").strip().split("\n")[0]
    assert summary.endswith("."), f"{name}: one line, then the contract"
    assert "Example:" in cls.__doc__, f"{name}: shows input and output IR"
    assert make_pass(name) == cls()


def test_options_are_read_by_their_types():
    text = "options{count=3 ratio=2e-1 deep=true mode=fast axes=x;y limit=7}"
    assert parse_pipeline(text) == (Options(3, 0.2, True, Mode.FAST, ("x", "y"), 7),)


def test_pipelines():
    stage = VerifyShardings(Stage.PLANNED)
    assert parse_pipeline("") == ()
    assert parse_pipeline("options , verify-shardings{stage=planned}") == (Options(), stage)
    assert parse_pipeline("builtin.module(verify-shardings{stage=planned})") == (stage,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("options{count=x}", "'x' is not a value of type int"),
        ("options{deep=maybe}", "'maybe' is not a value of type bool"),
        ("options{mode=slow}", "'slow' is not a value of type Mode"),
        ("options{width=3}", "pass options has no option 'width'"),
        ("options{count}", "option 'count' has no value"),
        ("no-such", "unknown pass 'no-such'"),
        ("options options", "cannot read pipeline"),
        ("options{{}}", "cannot read pipeline"),
        ("Options", "cannot read pipeline"),
    ],
)
def test_bad_pipelines_are_usage_errors(text, reason):
    with pytest.raises(UsageError, match=reason) as caught:
        parse_pipeline(text)
    assert caught.value.help
