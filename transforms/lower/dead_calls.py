"""Drop calls whose results nothing reads, and renumber."""

from __future__ import annotations

from dataclasses import replace

from distc.runtime.program import Arg, Call, Program, Ref


def drop_dead_calls(program: Program) -> Program:
    """Return the program without unread calls; regions too.

    Collectives go as well: all ranks run the same program, so all drop the same ones.
    """
    live = set(program.outputs)
    kept: list[Call] = []
    for call in reversed(program.calls):
        if not live.intersection(call.outs):
            continue
        kept.append(call)
        for arg in (*call.args, *call.kwargs.values()):
            _mark(arg, live)
    count = len(program.inputs)
    number = {i: i for i in range(count)}
    calls = []
    for call in reversed(kept):
        args = tuple(_renumber(a, number) for a in call.args)
        kwargs = {k: _renumber(v, number) for k, v in call.kwargs.items()}
        outs = tuple(range(count, count + len(call.outs)))
        number.update(zip(call.outs, outs, strict=True))
        count += len(outs)
        regions = tuple(drop_dead_calls(r) for r in call.regions)
        calls.append(replace(call, args=args, kwargs=kwargs, outs=outs, regions=regions))
    outputs = tuple(number[o] for o in program.outputs)
    return Program(program.inputs, tuple(calls), outputs, program.name)


def _mark(arg: Arg, live: set[int]) -> None:
    if isinstance(arg, Ref):
        live.add(arg.id)
    if isinstance(arg, list):
        for inner in arg:
            _mark(inner, live)


def _renumber(arg: Arg, number: dict[int, int]) -> Arg:
    match arg:
        case Ref(id=value):
            return Ref(number[value])
        case list():
            return [_renumber(a, number) for a in arg]
        case _:
            return arg
