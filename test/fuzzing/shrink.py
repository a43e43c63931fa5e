"""Smaller failing cases: fewer and smaller choices, then fewer ops and pins of the module.

Choices shrink ops, shapes, shardings and the mesh of a generated program at once. The module itself
shrinks for every case: results and pins go, and an op goes by making its result an argument that
holds what it computed, pinned as it lay.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from executable.harness import run_whole
from torch_mlir import ir

from distc.dialect.attrs import (
    SHARDING,
    module_mesh,
    op_shardings,
    set_arg_sharding,
)
from distc.dialect.context import make_context, parse_module
from distc.transforms import make_pass
from fuzzing.case import ROUTES, Case, check, listed, plain_text, tensors
from fuzzing.pins import main_of

Fails = Callable[[Case], bool]


def kind_of(failure: str) -> str:
    """What a smaller case must fail with too: the error class, or that values differ."""
    return failure.partition(":")[0]


def same_failure(failure: str) -> Fails:
    """True for cases that fail in the same way."""
    kind = kind_of(failure)

    def fails(case: Case) -> bool:
        try:
            return kind_of(check(case)) == kind
        except Exception:  # no case at all: what one device cannot run either
            return False

    return fails


def shrink_choices(
    made: list[int], build: Callable[[list[int]], Case], fails: Fails, seconds: float
) -> list[int]:
    """The shortest, then smallest list found in the time that still fails."""
    end = time.monotonic() + seconds

    def works(numbers: list[int]) -> bool:
        try:
            case = build(numbers)
        except Exception:  # no program comes of these
            return False
        return fails(case)

    best, improved = made, True
    while improved and time.monotonic() < end:
        improved = False
        for candidate in _smaller(best):
            if time.monotonic() > end:
                break
            if works(candidate):
                best, improved = candidate, True
                break
    return best


def _smaller(numbers: list[int]) -> Iterator[list[int]]:
    size = len(numbers) // 2
    while size:
        for start in range(0, len(numbers), size):
            yield numbers[:start] + numbers[start + size :]
        size //= 2
    for i, number in enumerate(numbers):
        for less in dict.fromkeys((0, number // 2, number - 1)):
            if 0 <= less < number:
                yield [*numbers[:i], less, *numbers[i + 1 :]]


def shrink_module(case: Case, fails: Fails, seconds: float) -> Case:
    """The case with as few results, ops and pins as still fail."""
    end = time.monotonic() + seconds
    improved = True
    while improved and time.monotonic() < end:
        improved = False
        for candidate in _candidates(case):
            if time.monotonic() > end:
                break
            if candidate is not None and fails(candidate):
                case, improved = candidate, True
                break
    return case


def _candidates(case: Case) -> Iterator[Case | None]:
    for route in ROUTES:
        if route == case.route:
            break
        yield replace(case, route=route)
    edit = _Edit(case)
    if edit.results > 1:
        for i in range(edit.results):
            yield _Edit(case).with_result(i)
    for i in range(edit.operations):
        yield _Edit(case).bypassed(i)
        yield _Edit(case).without_op(i, pin=False)
        yield _Edit(case).without_op(i, pin=True)
    for i in range(edit.results):
        yield _Edit(case).unpinned("res_attrs", i)
    for i in range(len(case.inputs)):
        yield _Edit(case).unpinned("arg_attrs", i)


@dataclass
class _Edit:
    """One change of a case's module."""

    case: Case

    def __post_init__(self) -> None:
        self.module = parse_module(self.case.text, make_context(), "fuzz")
        self.func = main_of(self.module)
        self.block = self.func.regions[0].blocks[0]
        self.ops = [o.operation for o in self.block.operations]
        self.inputs = list(self.case.inputs)

    @property
    def results(self) -> int:
        """How many results there are."""
        return len(self.ops[-1].operands)

    @property
    def operations(self) -> int:
        """How many ops there are before the return."""
        return len(self.ops) - 1

    def with_result(self, index: int) -> Case:
        """Only one result."""
        value = self.ops[-1].operands[index]
        if "res_attrs" in self.func.attributes:
            kept = self.func.attributes["res_attrs"][index]
            with self.module.context:
                self.func.attributes["res_attrs"] = ir.ArrayAttr.get([kept])
        ir.Operation.create(
            "func.return", operands=[value], ip=ir.InsertionPoint(self.ops[-1]),
            loc=self.ops[-1].location,
        )  # fmt: skip
        self.ops[-1].erase()
        return self._finished()

    def without_op(self, index: int, *, pin: bool) -> Case | None:
        """An op's results become arguments."""
        op = self.ops[index]
        if op.name == "dist.constraint":
            if pin:
                return None
            op.results[0].replace_all_uses_with(op.operands[0])
            return self._finished()
        if op.name == "stablehlo.constant":
            return None
        shardings = self._planned(index) if pin else None
        values = self._computed(index)
        count = len(self.block.arguments)
        for i, result in enumerate(op.results):
            argument = self.block.add_argument(result.type, op.location)
            result.replace_all_uses_with(argument)
            self.inputs.append(values[i])
        self._retype()
        if shardings is not None:
            for i, sharding in enumerate(shardings):
                set_arg_sharding(self.func, count + i, sharding)
        return self._finished()

    def bypassed(self, index: int) -> Case | None:
        """An op gives way to its first operand of the type of its result."""
        op = self.ops[index]
        same = [v for v in op.operands if len(op.results) == 1 and v.type == op.results[0].type]
        if not same:
            return None
        op.results[0].replace_all_uses_with(same[0])
        return self._finished()

    def _planned(self, index: int):  # type: ignore[no-untyped-def]
        """The shardings that propagation gives the op's results."""
        module = parse_module(self.case.text, make_context(), "fuzz")
        mesh = module_mesh(module)
        assert mesh is not None
        make_pass("propagate").run(module)
        ops = [o.operation for o in main_of(module).regions[0].blocks[0].operations]
        return op_shardings(ops[index], mesh)

    def _computed(self, index: int) -> list[list[float | str]]:
        """What the op's results hold."""
        module = parse_module(self.case.text, make_context(), "fuzz")
        func = main_of(module)
        ops = [o.operation for o in func.regions[0].blocks[0].operations]
        ir.Operation.create(
            "func.return", operands=list(ops[index].results), ip=ir.InsertionPoint(ops[-1]),
            loc=ops[-1].location,
        )  # fmt: skip
        ops[-1].erase()
        _set_type(func)
        plain = plain_text(str(module))
        inputs = tensors(parse_module(plain, make_context(), "fuzz"), self.case.inputs)
        return [listed(x) for x in run_whole(plain, inputs)]

    def unpinned(self, which: str, index: int) -> Case | None:
        """Without the pin of an argument or a result."""
        if which not in self.func.attributes:
            return None
        entries = list(self.func.attributes[which])
        if SHARDING not in entries[index]:
            return None
        with self.module.context:
            entries[index] = ir.DictAttr.get({})
            self.func.attributes[which] = ir.ArrayAttr.get(entries)
        return self._finished()

    def _finished(self) -> Case:
        self._drop_dead()
        self._drop_arguments()
        self._retype()
        return replace(self.case, text=str(self.module), inputs=tuple(self.inputs))

    def _drop_dead(self) -> None:
        for view in reversed(list(self.block.operations)[:-1]):
            if not any(list(r.uses) for r in view.operation.results):
                view.operation.erase()

    def _drop_arguments(self) -> None:
        arguments = list(self.block.arguments)
        attributes = list(self._argument_attributes())
        for i in reversed(range(len(arguments))):
            if list(arguments[i].uses) or len(self.block.arguments) == 1:
                continue
            self.block.erase_argument(i)
            del self.inputs[i], attributes[i]
        with self.module.context:
            self.func.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)

    def _argument_attributes(self) -> list[ir.Attribute]:
        given = (
            list(self.func.attributes["arg_attrs"]) if "arg_attrs" in self.func.attributes else []
        )
        with self.module.context:
            missing = len(self.block.arguments) - len(given)
            return given + [ir.DictAttr.get({})] * missing

    def _retype(self) -> None:
        attributes = self._argument_attributes()
        _set_type(self.func)
        with self.module.context:
            self.func.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def _set_type(func: ir.Operation) -> None:
    """The function type that block and return say; pins of results that are gone go too."""
    block = func.regions[0].blocks[0]
    returned = list(block.operations[len(block.operations) - 1].operands)
    with func.context:
        signature = ir.FunctionType.get(
            [a.type for a in block.arguments], [v.type for v in returned]
        )
        func.attributes["function_type"] = ir.TypeAttr.get(signature)
        if "res_attrs" in func.attributes and len(func.attributes["res_attrs"]) != len(returned):
            del func.attributes["res_attrs"]
