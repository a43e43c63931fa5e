"""A case: a module with a mesh and pins, the data of its arguments, the passes, how exact it is.

Its file is MLIR that distc-opt reads; what MLIR does not say stands in comments on top:

    // fuzz: driver exact
    // input 0: seed 17 from -3 to 3
    // input 1: [1, "nan", 2]
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import numpy as np
import torch
from executable.harness import Partitioned, run_whole
from semantics.check import array, run
from semantics.compare import difference
from semantics.text import NUMPY
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import arg_sharding, module_mesh, result_sharding
from distc.dialect.context import make_context, parse_module
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.transforms import make_pass
from distc.transforms.cleanup import CLEANUP
from distc.transforms.lower import lower
from distc.transforms.verify_partitioned import verify_partitioned
from fuzzing.data import Array, Inputs, is_float
from fuzzing.pins import main_of

_PROPAGATE = ("propagate", "insert-reshards", "reshard-to-collectives")
ROUTES: dict[str, tuple[str, ...]] = {
    "plain": (*_PROPAGATE, "partition"),
    "optimized": (*_PROPAGATE, "optimize-collectives", "partition"),
    "driver": (*CLEANUP, *_PROPAGATE, "optimize-collectives", "partition"),
}
"""The passes of a case: distribution alone, or in the order of `distc compile`."""

TOLERANCES = {"exact": 0.0, "equal": 0.0, "close": 1e-12}
"""How far a float may be off, as part of the largest expected value. Only `exact` looks at the
signs of zeros: a matrix product says nothing about them."""

_TRIALS, _SLACK, _JUMP = 8, 4.0, 1e-8

# A product of parts that cancel later is +0.0 where the product of their sum may be -0.0.
_UNSIGNED = ("dot_general", "convolution", "stablehlo.negate", "stablehlo.multiply")

_HEADER = re.compile(r"// fuzz: (\w+) (\w+)")
_INPUT = re.compile(r"// input \d+: (.*)")
_SEEDED = re.compile(r"seed (\d+) from (-?\d+) to (-?\d+)( special)?")

Data = Inputs | list[float | str]


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        text: the module with its pins.
        inputs: the data of each argument, seeded or element by element.
        route: a key of `ROUTES`.
        tolerance: a key of `TOLERANCES`.
        notes: what is known about it, for the top of its file.
    """

    text: str
    inputs: tuple[Data, ...]
    route: str = "plain"
    tolerance: str = "exact"
    notes: tuple[str, ...] = field(default=(), compare=False)

    def file(self) -> str:
        """The text of its file."""
        lines = [f"// {note}" for note in self.notes]
        lines.append(f"// fuzz: {self.route} {self.tolerance}")
        for i, data in enumerate(self.inputs):
            lines.append(f"// input {i}: {data if isinstance(data, Inputs) else json.dumps(data)}")
        return "\n".join(lines) + "\n" + self.text

    @classmethod
    def parse(cls, text: str) -> Case:
        """Read a file.

        Raises:
            ValueError: it has no line `// fuzz: ROUTE TOLERANCE`, or a line of another form.
        """
        header = _HEADER.search(text)
        if header is None or header[1] not in ROUTES or header[2] not in TOLERANCES:
            raise ValueError(
                f"no line '// fuzz: ROUTE TOLERANCE' with one of {', '.join(ROUTES)} "
                f"and one of {', '.join(TOLERANCES)}"
            )
        inputs = tuple(_data(found) for found in _INPUT.findall(text))
        body = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
        return cls(body, inputs, header[1], header[2])


def _data(text: str) -> Data:
    seeded = _SEEDED.fullmatch(text)
    if seeded is None:
        values = json.loads(text)
        if not isinstance(values, list):
            raise ValueError(f"not the data of an input: {text}")
        return values
    return Inputs(int(seeded[1]), int(seeded[2]), int(seeded[3]), bool(seeded[4]))


def tolerance_of(text: str) -> str:
    """How exact a program of whole numbers is."""
    return "equal" if any(name in text for name in _UNSIGNED) else "exact"


def listed(x: torch.Tensor) -> list[float | str]:
    """The elements of a tensor as data; what JSON lacks as words."""
    values = array(x).reshape(-1).tolist()
    return [v if not isinstance(v, float) or np.isfinite(v) else str(v) for v in values]


def tensors(module: ir.Module, inputs: tuple[Data, ...]) -> list[torch.Tensor]:
    """The arguments of @main."""
    made = []
    arguments = main_of(module).regions[0].blocks[0].arguments
    for argument, data in zip(arguments, inputs, strict=True):
        shape, dtype = stablehlo.shape(argument), stablehlo.dtype(argument)
        made.append(torch.from_numpy(_array(data, shape, dtype)).to(BOUNDARY[dtype]))
    return made


def _array(data: Data, shape: tuple[int, ...], dtype: str) -> Array:
    if isinstance(data, Inputs):
        return data.array(shape, dtype)
    return np.array([float(v) if isinstance(v, str) else v for v in data],
                    dtype=NUMPY[dtype]).reshape(shape)  # fmt: skip


def plain_text(text: str) -> str:
    """The module as one device runs it: no constraints, no pins, no mesh."""
    module = parse_module(text, make_context(), "fuzz")
    for func in stablehlo.functions(module):
        for op in list(stablehlo.walk(func)):
            if op.name == "dist.constraint":
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
    make_pass("strip-annotations").run(module)
    return str(module)


def partition(case: Case) -> Partitioned:
    """Run the passes of the case, verify and lower."""
    module = parse_module(case.text, make_context(), "fuzz")
    mesh = module_mesh(module)
    assert mesh is not None
    for name in ROUTES[case.route]:
        make_pass(name).run(module)
        make_pass("verify-shardings").run(module)
    assert module.operation.verify()
    verify_partitioned(module)
    func = main_of(module)
    signature = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
    arguments = [arg_sharding(func, i, mesh) for i in range(len(signature.inputs))]
    results = [result_sharding(func, i, mesh) for i in range(len(signature.results))]
    return Partitioned(
        module, lower(module), mesh, [s for s in arguments if s], [s for s in results if s]
    )


def check(case: Case) -> str:
    """Empty where all ranks together give what one device gives, else what is wrong."""
    plain = plain_text(case.text)
    inputs = tensors(parse_module(plain, make_context(), "fuzz"), case.inputs)
    expected = run_whole(plain, inputs)
    try:
        found = run(partition(case), inputs, expected)
    except Exception as error:  # whatever breaks is the finding
        return f"{type(error).__name__}: {error}"
    for number, (want, got) in enumerate(zip(expected, found, strict=True)):
        wrong = _wrong(case, want, got)
        if wrong and not is_rounding(case, plain, inputs, expected, number, got):
            return f"mismatch: result {number}: {wrong}"
    return ""


def is_rounding(
    case: Case,
    plain: str,
    inputs: list[torch.Tensor],
    expected: list[torch.Tensor],
    number: int,
    got: torch.Tensor,
) -> bool:
    """Whether one device's own result moves as far when its inputs move in the last place.

    A program that cancels (a variance of nearly equal numbers) says so little about its last
    digits that the order of a sum decides them. Results that jump (a maximum, a comparison) are no
    excuse: what moves by more than `_JUMP` of the result counts as wrong.
    """
    want = expected[number]
    if case.tolerance != "close" or not want.is_floating_point() or got.dtype is not want.dtype:
        return False
    finite = torch.isfinite(want)
    if not torch.equal(finite, torch.isfinite(got)):
        return False
    same = (got == want) | (got.isnan() & want.isnan()) | finite
    if not bool(same.all()):
        return False
    generator = torch.Generator().manual_seed(0)
    moved = 0.0
    for _ in range(_TRIALS):
        shifted = [_shifted(x, generator) for x in inputs]
        again = run_whole(plain, shifted)[number]
        moved = max(moved, _distance(again, want, finite))
    scale = max(1.0, float(want[finite].abs().max())) if finite.any() else 1.0
    return moved <= _JUMP * scale and _distance(got, want, finite) <= _SLACK * moved


def _distance(a: torch.Tensor, b: torch.Tensor, where: torch.Tensor) -> float:
    return float((a[where] - b[where]).abs().max()) if where.any() else 0.0


def _shifted(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Each float one unit in the last place up or down."""
    if not x.is_floating_point():
        return x
    signs = torch.randint(0, 2, x.shape, generator=generator) * 2 - 1
    return x * (1 + signs.to(x.dtype) * torch.finfo(x.dtype).eps)


def _wrong(case: Case, want: torch.Tensor, got: torch.Tensor) -> str:
    name = next(name for name, dtype in BOUNDARY.items() if dtype is want.dtype)
    if got.dtype is not want.dtype:
        return f"{got.dtype}, expected {want.dtype}"
    if case.tolerance == "exact" or not is_float(name):
        return difference(array(got), array(want), name, 0.0)
    a, b = array(got).astype(np.float64) + 0.0, array(want).astype(np.float64) + 0.0
    if not TOLERANCES[case.tolerance]:
        return difference(a, b, name, 0.0)
    finite = np.isfinite(b)
    # What cancels is as wrong as what it was made of.
    scale = max(1.0, float(np.abs(b[finite]).max()) if finite.any() else 0.0)
    ulps = TOLERANCES[case.tolerance] * 2.0**52
    return difference(np.append(a, scale), np.append(b, scale), "f64", ulps)
