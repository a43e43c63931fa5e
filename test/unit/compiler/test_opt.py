"""distc-opt in process: exit codes, defects of passes, expected diagnostics."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import distc.compiler.opt as opt
from distc.compiler.expected import Diagnostic, diagnostics_of, expectations_in, mismatches
from distc.compiler.opt import run
from distc.runtime.errors import IllegalSharding
from distc.transforms.base import Finding, Pass, raise_findings


@dataclass(frozen=True)
class Defective(Pass):
    """A pass with a defect."""

    name: ClassVar[str] = "defective"

    def run(self, module):
        """Fail as a defect does."""
        raise KeyError("lost")


@dataclass(frozen=True)
class Spoiler(Pass):
    """A pass that leaves an invalid module."""

    name: ClassVar[str] = "spoiler"

    def run(self, module):
        """Drop the terminator of the function."""
        block = module.body.operations[0].regions[0].blocks[0]
        block.operations[0].operation.erase()


@pytest.fixture
def broken_passes(monkeypatch):
    classes = {"defective": Defective, "spoiler": Spoiler}
    monkeypatch.setattr(opt, "PASSES", {**opt.PASSES, **dict.fromkeys(classes, "")})
    monkeypatch.setattr(opt, "parse_pipeline", lambda text: (classes[text](),))


FUNCTION = "func.func @main() {\n  return\n}"


@pytest.mark.parametrize(
    ("argv", "text", "code"),
    [
        ([], "module {}", 0),
        ([], "nonsense", 1),
        (["--verify-diagnostics"], "// expected-error @+1 {{custom op}}\nnonsense", 0),
        (["--verify-diagnostics"], "// expected-error {{custom op}}\nnonsense", 1),
        (["--mesh", "x"], "module {}", 1),
        (["--mesh"], "module {}", 2),
        (["--no-such-pass"], "module {}", 2),
        (["--pass-pipeline"], "module {}", 2),
        (["/no/such/file.mlir"], "", 66),
        (["/"], "", 66),
        (["--help"], "", 0),
    ],
)
def test_exit_codes(argv, text, code):
    found, out, err = run(argv, text)
    assert found == code, err
    assert "Traceback" not in out + err
    assert code in (0, 1) or "help: " in err


def test_a_defect_is_named_and_traced_on_request(broken_passes):
    code, out, err = run(["--defective"], FUNCTION)
    assert code == 70 and out == ""
    assert "error[E-INTERNAL]: pass defective failed with KeyError: 'lost'" in err
    assert "Traceback" not in err
    assert "Traceback" in run(["--defective", "--debug"], FUNCTION)[2]


def test_a_pass_that_leaves_an_invalid_module_is_found(broken_passes):
    code, _, err = run(["--spoiler"], FUNCTION)
    assert code == 1 and "error[E-INPUT]" in err


def test_output_file(tmp_path):
    target = tmp_path / "out.mlir"
    assert run(["-o", str(target)], "module {}") == (0, "", "")
    assert target.read_text() == "module {\n}\n"


def test_pieces_keep_their_line_numbers():
    text = "module {}\n// -----\n\nnonsense\n"
    code, out, err = run(["--split-input-file"], text)
    assert code == 1 and out == "module {\n}\n" and ":4:1" in err


def test_all_findings_become_diagnostics():
    findings = [Finding("first", "a.mlir:3:1 (x.y)", "do"), Finding("second", "a.mlir:5:2", "do"),
                Finding("nowhere", None, "do")]  # fmt: skip
    with pytest.raises(IllegalSharding) as caught:
        raise_findings(findings, IllegalSharding)
    lines = [(d.line, d.text.split(": ", 1)[1].split(",")[0]) for d in diagnostics_of(caught.value)]
    assert lines == [(3, "first"), (5, "second"), (None, "nowhere")]


def test_expectations():
    text = "\n".join(
        [
            "// expected-error {{here}}",
            "// expected-error @+2 {{down}}  expected-note @-1 {{up}}",
            "// expected-error @above {{above}}",
            "// expected-error-re @below {{b[e]+low}}",
            "// expected-error @unknown {{lost}}",
        ]
    )
    found = [(e.line, e.pattern) for e in expectations_in(text)]
    assert found[0] == (1, "here")
    assert (2, "above") in found and (5, "b[e]+low") in found and (None, "lost") in found


def test_each_diagnostic_meets_one_expectation():
    expected = expectations_in("// expected-error {{twice}}")
    two = [Diagnostic("error: twice", 1), Diagnostic("error: twice", 1)]
    assert mismatches(expected, two[:1], "f") == []
    assert mismatches(expected, two, "f") == ["f:1: unexpected diagnostic: error: twice"]
    assert mismatches(expected, [], "f") == ["f:1: expected diagnostic 'twice' was not produced"]


def test_several_expectations_on_one_line():
    expected = expectations_in("// expected-error {{one}} expected-error {{two}}")
    assert [e.pattern for e in expected] == ["one", "two"]
