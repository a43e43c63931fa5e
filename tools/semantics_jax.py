"""The cases of test/semantics on JAX: XLA's partitioner on the same StableHLO, on CPU devices.

Needs jax and jaxlib of the version that `make semantics` puts into build/peers-venv; no torch.
A case becomes a module whose arguments and results are replicated and constrained with `sdy`
inside, so that uneven shards are possible. It is compared with the same program compiled for one
device: what counts is whether sharding changes the result. Pending arguments and blocks have no
counterpart and are not run.

One line a case, `INDEX STATUS DETAIL`, before each the line `INDEX begin`: a crash names its case.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler, xla_bridge  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from semantics.case import Case, ranks  # noqa: E402
from semantics.compare import difference  # noqa: E402
from semantics.families import all_cases  # noqa: E402

_HEAD = re.compile(
    r"func\.func @main\((.*?)\) -> \((.*?)\) \{\n(.*?)\n  return (.*?) : .*?\n\}", re.DOTALL
)
_ARGUMENT = re.compile(r"(%a\d+): (tensor<[^>]*>)")
_NARROW = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
# Fusion may round a few times more or less; not what this is about.
_ULPS = 8.0


def expressible(case: Case) -> bool:
    """True where a constraint can say how every pinned value lies, and one result is right."""
    if "not defined" in case.interpreter:
        return False
    return not any("P(" in s or "/" in s for _, s in case.arguments + case.results)


def _constraint(text: str) -> str:
    """`[S(x,y), R]` as sdy writes it."""
    inner = text.strip()[1:-1]
    dims = re.findall(r"S\((?:[^()]|\([^()]*\))*\)|R", inner)
    return "[" + ", ".join(_dimension(d) for d in dims) + "]"


def _dimension(text: str) -> str:
    if text == "R":
        return "{}"
    axes = re.findall(r"(\w+)(:\(\d+\)\d+)?(?:,|$)", text[2:-1])
    return "{" + ", ".join(f'"{name}"{part}' for name, part in axes) + "}"


def _whole(kind: str) -> str:
    """The attribute of an argument or result that every device holds whole."""
    dims = ", ".join(["{}"] * kind.count("x", 0, kind.rindex("x") + 1)) if "x" in kind else ""
    return f"{{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}}"


def module_text(case: Case, *, sharded: bool) -> str:
    """The module that XLA compiles."""
    program = case.program.text
    found = _HEAD.search(program)
    if found is None:
        raise ValueError("a program of another form")
    arguments, results, body, returned = found.groups()
    rest = program[found.end() :]
    if not sharded:
        return f"module @jit_f {{\n{program}\n}}"
    axes = ", ".join(
        f'"{name}"={size}' for name, size in (part.split("=") for part in case.mesh.split(","))
    )
    pins = dict(case.arguments)
    head, before = [], []
    for index, (name, kind) in enumerate(_ARGUMENT.findall(arguments)):
        outside = f"{name}_in" if index in pins else name
        head.append(f"{outside}: {kind} {_whole(kind)}")
        if index in pins:
            before.append(
                f"  {name} = sdy.sharding_constraint {name}_in <@mesh, {_constraint(pins[index])}>"
                f" : {kind}"
            )
    values = returned.split(", ")
    kinds = [k.strip() for k in re.findall(r"tensor<[^>]*>", results)]
    after = []
    for index, text in case.results:
        after.append(
            f"  %out{index} = sdy.sharding_constraint {values[index]} <@mesh, {_constraint(text)}>"
            f" : {kinds[index]}"
        )
        values[index] = f"%out{index}"
    lines = "\n".join([*before, body, *after])
    return (
        f"module @jit_f attributes {{mhlo.num_partitions = {ranks(case.mesh)} : i32, "
        "mhlo.num_replicas = 1 : i32} {\n"
        f"sdy.mesh @mesh = <[{axes}]>\n"
        f"func.func public @main({', '.join(head)}) -> ("
        f"{', '.join(f'{k} {_whole(k)}' for k in kinds)}) {{\n{lines}\n"
        f"  return {', '.join(values)} : {results}\n}}{rest}\n}}"
    )


def run(text: str, count: int, inputs: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Compile for `count` devices, run, return the results of the first; replicas must agree."""
    context = mlir.make_ir_context()
    with context:
        module = ir.Module.parse(text)
    devices = jax.devices()[:count]
    options = compiler.get_compile_options(
        num_replicas=1, num_partitions=count, device_assignment=np.arange(count).reshape(1, count)
    )
    options.executable_build_options.use_spmd_partitioning = True
    options.executable_build_options.use_shardy_partitioner = True
    backend = xla_bridge.get_backend("cpu")
    executable = compiler.backend_compile_and_load(
        backend, module, xla_client.DeviceList(tuple(devices)), options, []
    )
    place = NamedSharding(Mesh(np.array(devices), ("d",)), PartitionSpec())
    arrays = [jax.device_put(x, place) for x in inputs]
    outputs = executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
    results = []
    for copies in outputs:
        held = [np.asarray(c) for c in copies]
        if any(h.tobytes() != held[0].tobytes() for h in held):
            raise AssertionError("replicas differ")
        results.append(held[0])
    return results


_alone: dict[int, list[np.ndarray[Any, Any]]] = {}


def check(case: Case) -> tuple[str, str]:
    """Status (ok, wrong, refused) and detail."""
    program = case.program
    inputs = [
        x.astype(_NARROW[d]) if d in _NARROW else x
        for x, d in zip(program.inputs, program.dtypes, strict=True)
    ]
    try:
        key = id(program)
        if key not in _alone:
            _alone.clear()
            _alone[key] = run(module_text(case, sharded=False), 1, inputs)
        found = run(module_text(case, sharded=True), ranks(case.mesh), inputs)
    except AssertionError as error:
        return "wrong", str(error)
    except Exception as error:
        return "refused", (str(error).splitlines() or [type(error).__name__])[0][:160]
    for want, got in zip(_alone[key], found, strict=True):
        wrong = _difference(got, want, case.ulps)
        if wrong:
            return "wrong", wrong
    return "ok", ""


def _difference(got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], ulps: float) -> str:
    if got.dtype == ml_dtypes.bfloat16:
        return difference(got.astype(np.float32), want.astype(np.float32), "bf16", ulps + _ULPS)
    name = {"float16": "f16", "float32": "f32", "float64": "f64"}.get(got.dtype.name, "i")
    return difference(got, want, name, ulps + _ULPS)


def main() -> int:
    """Run the cases from `--first` on, those that can be expressed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for index, case in enumerate(all_cases()):
        if index < options.first or index % options.every or not expressible(case):
            continue
        print(f"{index} begin", flush=True)
        status, detail = check(case)
        print(f"{index} {status} {detail}", flush=True)
    print("end", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
