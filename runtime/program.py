"""The rank program: what `program.json` holds. One program for all ranks (SPMD), local shapes.

A program is a flat list of calls in execution order. A call names what to run:

    aten.<op>.<overload>   an operator on the allow list of `runtime/kernels/allowed.py`
    distc.<name>           a kernel of `runtime/kernels`
    collective.<name>      all_reduce | all_gather | reduce_scatter | all_to_all | permute
    control.<name>         while | if | case | map: with nested programs in `regions`

Its arguments are literals or references to earlier values. Standard library only; every layer
may import this module. JSON form: `{"v": 7}` is a reference to value 7, `{"dtype": "f32"}` a
dtype, `{"f": "nan"}` a float JSON cannot say, lists stay lists, the rest are JSON scalars.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TypeAlias

from distc.runtime.errors import ArtifactError
from distc.runtime.strict_json import load_json

SCHEMA_VERSION = 1
MAX_DEPTH = 32

DTYPES = (
    "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64",
    "f16", "bf16", "f32", "f64", "c64", "c128",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to a value: program inputs come first, then call results, in order."""

    id: int


@dataclass(frozen=True, slots=True)
class Dtype:
    """A dtype argument, named as in StableHLO (`f32`, `i1`, `ui8`)."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in DTYPES:
            raise ArtifactError(
                f"unknown dtype {self.name!r} in program", help="recompile with this version"
            )


Arg: TypeAlias = "Ref | Dtype | None | bool | int | float | str | list[Arg]"
Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"


@dataclass(frozen=True, slots=True)
class ValueType:
    """Static local type of a value: shape `[d0, d1, …]` and dtype name."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Call:
    """One step. `outs` are the ids it defines, `types` their local types, `loc` the source."""

    op: str
    args: tuple[Arg, ...]
    kwargs: dict[str, Arg]
    outs: tuple[int, ...]
    types: tuple[ValueType, ...]
    loc: str = ""
    regions: tuple[Program, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """Inputs (ids 0 … n-1), calls and the ids returned."""

    inputs: tuple[ValueType, ...]
    calls: tuple[Call, ...]
    outputs: tuple[int, ...]
    name: str = field(default="main")


def to_json(program: Program) -> str:
    """Return the canonical text: sorted keys, one call a line, equal bytes for equal programs."""
    body = _program_to_json(program)
    calls = body.pop("calls")
    assert isinstance(calls, list)
    head = json.dumps({"schema": SCHEMA_VERSION, **body}, sort_keys=True, allow_nan=False)
    lines = ",\n".join(json.dumps(c, sort_keys=True, allow_nan=False) for c in calls)
    return f'{head[:-1]}, "calls": [\n{lines}\n]}}\n'


def from_json(text: str) -> Program:
    """Parse and check a program.

    Raises:
        ArtifactError: not JSON, wrong schema version, a reference to a value not yet defined,
            nesting deeper than 32.
    """
    body = load_json(text, "program.json")
    found = body.get("schema") if isinstance(body, dict) else None
    if not isinstance(body, dict) or found != SCHEMA_VERSION:
        raise ArtifactError(
            f"program.json has schema {found!r}, this version reads {SCHEMA_VERSION}",
            help="recompile with this version of distc",
        )
    try:
        return _program_from_json(body, 0)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ArtifactError(
            f"program.json is malformed: {type(error).__name__} {error}",
            help="recompile or copy the artifact again",
        ) from None


def _program_to_json(program: Program) -> dict[str, Json]:
    return {
        "name": program.name,
        "inputs": [_type_to_json(t) for t in program.inputs],
        "outputs": list(program.outputs),
        "calls": [_call_to_json(c) for c in program.calls],
    }


def _type_to_json(value: ValueType) -> Json:
    return [value.dtype, *value.shape]


def _call_to_json(call: Call) -> Json:
    body: dict[str, Json] = {
        "op": call.op,
        "args": [_arg_to_json(a) for a in call.args],
        "outs": list(call.outs),
        "types": [_type_to_json(t) for t in call.types],
    }
    if call.kwargs:
        body["kwargs"] = {k: _arg_to_json(v) for k, v in call.kwargs.items()}
    if call.loc:
        body["loc"] = call.loc
    if call.regions:
        body["regions"] = [_program_to_json(r) for r in call.regions]
    return body


def _arg_to_json(arg: Arg) -> Json:
    match arg:
        case Ref(id=value):
            return {"v": value}
        case Dtype(name=name):
            return {"dtype": name}
        case list():
            return [_arg_to_json(a) for a in arg]
        case float() if not math.isfinite(arg):
            return {"f": repr(arg)}
        case _:
            return arg


def _program_from_json(body: dict[str, Json], depth: int) -> Program:
    if depth > MAX_DEPTH:
        raise ValueError(f"regions nested deeper than {MAX_DEPTH}")
    inputs = tuple(_type_from_json(t) for t in _list(body["inputs"]))
    defined = len(inputs)
    calls = []
    for raw in _list(body["calls"]):
        call = _call_from_json(_dict(raw), defined, depth)
        if call.outs != tuple(range(defined, defined + len(call.outs))):
            raise ValueError(f"call {call.op} defines {call.outs}, expected ids from {defined}")
        defined += len(call.outs)
        calls.append(call)
    outputs = tuple(_id(o, defined) for o in _list(body["outputs"]))
    return Program(inputs, tuple(calls), outputs, str(body["name"]))


def _call_from_json(body: dict[str, Json], defined: int, depth: int) -> Call:
    outs = tuple(_int(o) for o in _list(body["outs"]))
    types = tuple(_type_from_json(t) for t in _list(body["types"]))
    if len(types) != len(outs):
        raise ValueError(f"call {body['op']} has {len(outs)} results and {len(types)} types")
    return Call(
        op=str(body["op"]),
        args=tuple(_arg_from_json(a, defined) for a in _list(body["args"])),
        kwargs={k: _arg_from_json(v, defined) for k, v in _dict(body.get("kwargs", {})).items()},
        outs=outs,
        types=types,
        loc=str(body.get("loc", "")),
        regions=tuple(
            _program_from_json(_dict(r), depth + 1) for r in _list(body.get("regions", []))
        ),
    )


def _arg_from_json(raw: Json, defined: int) -> Arg:
    match raw:
        case {"v": value}:
            return Ref(_id(value, defined))
        case {"dtype": str(name)}:
            return Dtype(name)
        case {"f": str(text)}:
            return float(text)
        case dict():
            raise ValueError(f"unknown argument {raw}")
        case list():
            return [_arg_from_json(a, defined) for a in raw]
        case _:
            return raw


def _type_from_json(raw: Json) -> ValueType:
    dtype, *shape = _list(raw)
    dims = tuple(_int(d) for d in shape)
    if dtype not in DTYPES or any(d < 0 for d in dims) or len(dims) > 16:
        raise ValueError(f"bad type {raw}")
    return ValueType(dims, str(dtype))


def _id(raw: Json, defined: int) -> int:
    value = _int(raw)
    if not 0 <= value < defined:
        raise ValueError(f"value {value} is used before it is defined ({defined} so far)")
    return value


def _int(raw: Json) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool):
        raise TypeError(f"expected an integer, found {raw!r}")
    return raw


def _list(raw: Json) -> list[Json]:
    if not isinstance(raw, list):
        raise TypeError(f"expected a list, found {raw!r}")
    return raw


def _dict(raw: Json) -> dict[str, Json]:
    if not isinstance(raw, dict):
        raise TypeError(f"expected an object, found {raw!r}")
    return raw
