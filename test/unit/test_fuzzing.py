"""The fuzzer itself: it repeats, it finds planted faults, it shrinks them, its files replay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import shrink
from fuzzing.backward import net
from fuzzing.case import Case, check
from fuzzing.choices import Choices, Played, Seeded
from fuzzing.generate import Seed, joint_case

from distc.transforms.localize.context import LocalContext

ROOT = Path(__file__).resolve().parents[2]
FAILING = """\
// fuzz: driver exact
// input 0: [0, 1, 2, 3, 4]
// input 1: seed 3 from -2 to 2
"dist.mesh"() {axes = ["x"], links = ["device"], sizes = array<i64: 2>, sym_name = "mesh"}
    : () -> ()
func.func @main(
    %a: tensor<5xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>},
    %b: tensor<5xf32> {dist.sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>})
    -> (tensor<5xf32>, tensor<f32>) {
  %0 = stablehlo.add %a, %b : tensor<5xf32>
  %1 = stablehlo.abs %0 : tensor<5xf32>
  %2 = stablehlo.negate %1 : tensor<5xf32>
  %3 = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%1 init: %3) applies stablehlo.add across dimensions = [0]
    : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.abs %4 : tensor<f32>
  return %2, %5 : tensor<5xf32>, tensor<f32>
}
"""


@pytest.fixture
def unmasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Padding goes into reductions."""
    monkeypatch.setattr(LocalContext, "masked", lambda self, x, *rest: x)


def test_a_seed_is_one_case() -> None:
    for number in (3, 5):
        (case, choices), (again, _) = Seed(number).build(), Seed(number).build()
        assert case == again
        assert Seed(number).played(choices.made) == case


def test_no_choices_are_the_simplest_program() -> None:
    case = Seed(0).played([])
    assert case.text.count("stablehlo.") <= 2
    assert check(case) == ""


def test_what_exceeds_its_bound_is_cut_down() -> None:
    choices = Choices(Played([9, 1]))
    assert [choices.below(4), choices.between(2, 5), choices.below(7)] == [3, 3, 0]
    assert choices.made == [3, 1, 0]


def test_a_case_is_its_file() -> None:
    case = Case.parse(FAILING)
    assert Case.parse(case.file()) == case
    assert (case.route, case.tolerance, len(case.inputs)) == ("driver", "exact", 2)
    assert check(case) == ""


@pytest.mark.parametrize("line", ["// fuzz: fast exact", "// fuzz: plain roughly", "// fuzz"])
def test_a_file_without_a_header_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no line '// fuzz: ROUTE TOLERANCE'"):
        Case.parse(FAILING.replace("// fuzz: driver exact", line))


@pytest.mark.usefixtures("unmasked")
def test_a_missing_mask_is_found_and_shrunk() -> None:
    failure = check(Case.parse(FAILING))
    assert failure.startswith("mismatch: result 1: NaN")
    fails = shrink.same_failure(failure)
    smaller = shrink.shrink_module(Case.parse(FAILING), fails, 60.0)
    assert fails(smaller)
    assert smaller.route == "plain"
    assert len(smaller.inputs) == 1
    assert {"stablehlo.reduce", "stablehlo.constant", "stablehlo.add"} == _ops(smaller)


@pytest.mark.usefixtures("unmasked")
def test_random_programs_find_a_missing_mask() -> None:
    found = [n for n in range(14) if check(Seed(n).build()[0])]
    assert found
    case, choices = Seed(found[0]).build()
    fails = shrink.same_failure(check(case))
    smaller = shrink.shrink_choices(choices.made, Seed(found[0]).played, fails, 4.0)
    assert len(smaller) < len(choices.made)
    assert fails(Seed(found[0]).played(smaller))


def test_the_joint_graph_of_a_net_has_its_value_and_its_gradients() -> None:
    made = net(Choices(Seeded(0)))
    case = joint_case(made)
    floats = [dtype for _, _, dtype in made.inputs if dtype.is_floating_point]
    returned = next(line for line in case.text.splitlines() if line.strip().startswith("return"))
    assert returned.partition(":")[2].count("tensor<") == 1 + len(floats)
    assert len(case.inputs) == len(made.inputs)


def test_a_file_replays(tmp_path: Path) -> None:
    path = tmp_path / "case.mlir"
    path.write_text(FAILING)
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "fuzz.py"), "--replay", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"{path}: the same on all ranks\n", done.stderr
    assert done.returncode == 0


def _ops(case: Case) -> set[str]:
    words = case.text.replace('"', " ").replace("(", " ").split()
    return {w for w in words if w.startswith("stablehlo.") and w != "stablehlo.return"}
