"""The verifier of everything that `dist` says about ops it does not own.

MLIR lets a Python dialect verify its own ops, not the discardable attributes it hangs on those of
others. This pass does, and the pipeline runs it after every pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import attrs
from distc.dialect.assignment_text import FACTORS, THROUGH
from distc.dialect.collectives import COLLECTIVES, step_error
from distc.dialect.custom_ops import RULE
from distc.dialect.locations import file_line, where
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.dialect.stablehlo import FIRST
from distc.runtime.errors import DistcError, IllegalSharding
from distc.transforms.base import Finding, Pass, raise_findings
from distc.transforms.verify_state import STATE_KINDS, state_findings

KINDS = (*STATE_KINDS, "input")
_BOTH_ATTRIBUTES = frozenset({"dist.name", "dist.sharding", "dist.global_shape"})
RESULT_ATTRIBUTES = _BOTH_ATTRIBUTES | {"dist.updates"}
ARGUMENT_ATTRIBUTES = _BOTH_ATTRIBUTES | {
    "dist.kind", "dist.original_shape", "dist.parameter", "dist.slot", "dist.initial",
    "dist.stored",
}  # fmt: skip
OP_ATTRIBUTES = frozenset(
    {
        "dist.sharding",
        "dist.replicated_for_lack_of_rule",
        FACTORS,
        THROUGH,
        RULE,
        FIRST,
        attrs.AGAIN,
    }
)


class Stage(StrEnum):
    """How far a module has come; each stage has its own set of `dist` ops."""

    ANY = "any"
    SOURCE = "source"
    PLANNED = "planned"
    RESHARDED = "resharded"
    COLLECTIVE = "collective"
    PARTITIONED = "partitioned"


_ALLOWED: dict[Stage, frozenset[str]] = {
    Stage.SOURCE: frozenset({"constraint"}),
    Stage.PLANNED: frozenset(),
    Stage.RESHARDED: frozenset({"reshard"}),
    Stage.COLLECTIVE: COLLECTIVES,
    Stage.PARTITIONED: frozenset(),
}


@dataclass(frozen=True)
class VerifyShardings(Pass):
    """Check every sharding and every other `dist` attribute of a module.

    Needs: nothing. Leaves: the module as it is. Fails when

    * a `dist.sharding` is malformed, names an unknown mesh or axis, uses an axis twice, differs
      in rank from its value, or has a block that does not divide the dimension; when an op has
      another number of shardings than results; when a `dist.*` attribute is unknown;
    * a local type of a partitioned function is not the one its sharding and global shape give;
    * a collective leads between two shardings that one such collective does not connect;
    * an op outlives its stage (`dist.constraint` beyond the plan, `dist.reshard` beside
      collectives, any `dist` op in a partitioned module). With `stage` given the module must be
      exactly there, and from `planned` on every op of a public function carries its sharding;
    * `verify-state` finds state that does not come back as it went in.

    All findings are collected and raised at once.

    Example:
        Input:
        ```mlir
        %0 = stablehlo.abs %a {dist.sharding = [#dist.sharding<@mesh, [["z"]], array<i64: 1>, {}>]}
            : tensor<8xf32>
        ```
        Output:
        ```
        error[E-SHARDING]: unknown mesh axis 'z'; the mesh is x=2, at model.mlir:3:8 (stablehlo.abs)
        help: use one of: x
        ```

    Why: the passes trust shardings; one that does not fit would surface as a wrong number.
    """

    name: ClassVar[str] = "verify-shardings"

    stage: Stage = Stage.ANY

    def run(self, module: ir.Module) -> None:
        """Raise one `IllegalSharding` for all findings, or return."""
        raise_findings(_Verifier(module, self.stage).findings(), IllegalSharding)


class _Verifier:
    def __init__(self, module: ir.Module, stage: Stage) -> None:
        self.module, self.stage = module, stage
        self.mesh: Mesh | None = None
        self._checked: dict[tuple[int, int], Finding | None] = {}

    def findings(self) -> list[Finding]:
        """Return everything wrong, in the order of the module."""
        found = list(self._meshes())
        ops: list[ir.OpView] = []
        collect_ops(self.module.operation, ops)
        found += self._life_cycle(ops)
        for op in ops:
            found += self._function(op) if op.operation.name == "func.func" else self._op(op)
        return found + list(state_findings(self.module))

    # Mesh and life cycle

    def _meshes(self) -> Iterator[Finding]:
        declared = [op for op in self.module.body.operations if op.operation.name == attrs.MESH_OP]
        try:
            self.mesh = attrs.mesh_of(declared[0]) if declared else None
        except DistcError as error:
            yield Finding(error.message, where(declared[0]), error.help)
        for op in declared[1:]:
            yield Finding(
                f"{len(declared)} meshes are declared, a module has one", where(op), "keep one"
            )

    def _life_cycle(self, ops: list[ir.OpView]) -> Iterator[Finding]:
        names = {op.operation.name.removeprefix("dist.") for op in ops if attrs.is_dist_op(op)}
        allowed = _ALLOWED.get(self.stage)
        if allowed is None:
            allowed = self._latest(names)
        for op in ops:
            name = op.operation.name
            if attrs.is_dist_op(op) and name.removeprefix("dist.") not in allowed:
                yield Finding(
                    f"{name} outlived its stage: the module is {self._describe(names)}",
                    where(op),
                    "a pass before this one had to replace it; see --mlir-print-ir-after-all",
                )

    def _latest(self, names: set[str]) -> frozenset[str]:
        """Ops allowed next to the furthest one found."""
        if self._is_partitioned():
            return _ALLOWED[Stage.PARTITIONED]
        if names & COLLECTIVES:
            return COLLECTIVES
        if "reshard" in names:
            return _ALLOWED[Stage.RESHARDED]
        return _ALLOWED[Stage.SOURCE]

    def _describe(self, names: set[str]) -> str:
        if self.stage is not Stage.ANY:
            return self.stage
        if self._is_partitioned():
            return Stage.PARTITIONED
        return Stage.COLLECTIVE if names & COLLECTIVES else Stage.RESHARDED

    def _is_partitioned(self) -> bool:
        return any(
            attrs.arg_attr(f, i, "dist.global_shape") is not None
            for f in self.module.body.operations
            if f.operation.name == "func.func"
            for i in range(len(f.attributes["function_type"].value.inputs))
        )

    # Ops

    def _op(self, op: ir.OpView) -> Iterator[Finding]:
        name = op.operation.name
        if name == attrs.MESH_OP:
            return
        if attrs.is_dist_op(op):
            yield from self._dist_op(op)
            return
        for key in op.attributes:
            if key.startswith("dist.") and key not in OP_ATTRIBUTES:
                yield Finding(
                    f"unknown attribute {key} on {name}",
                    where(op),
                    f"the attributes of an op are: {', '.join(sorted(OP_ATTRIBUTES))}",
                )
        if attrs.SHARDING in op.attributes:
            yield from self._op_sharding(op, op.attributes[attrs.SHARDING])
        elif self._must_carry(op):
            yield Finding(
                f"{name} carries no dist.sharding", where(op), "run propagate before this pass"
            )

    def _op_sharding(self, op: ir.OpView, entries: ir.Attribute) -> Iterator[Finding]:
        name, results = op.operation.name, op.results
        if not isinstance(entries, ir.ArrayAttr):
            yield Finding(
                f"dist.sharding of {name} is {entries}",
                where(op),
                "write an array, one entry per result",
            )
            return
        if len(entries) != len(results):
            yield Finding(
                f"{name} has {len(results)} results and {len(entries)} shardings",
                where(op),
                "write one sharding per result",
            )
            return
        for result, attribute in zip(results, entries, strict=True):
            finding = self._sharding(result.type, attribute)
            if finding is not None:
                yield Finding(finding.message, where(op), finding.help)

    def _must_carry(self, op: ir.OpView) -> bool:
        if self.stage not in (Stage.PLANNED, Stage.RESHARDED, Stage.COLLECTIVE):
            return False
        parent = op.operation.parent
        if not len(op.results) or parent is None or parent.operation.name != "func.func":
            return False
        return is_entry_point(parent)

    def _dist_op(self, op: ir.OpView) -> Iterator[Finding]:
        name = op.operation.name.removeprefix("dist.")
        if "sharding" not in op.attributes:
            yield Finding(f"dist.{name} has no sharding", where(op), "give it its target sharding")
            return
        result = op.results[0]
        finding = self._sharding(result.type, op.attributes["sharding"])
        if finding is not None:
            yield Finding(finding.message, where(op), finding.help)
            return
        if name not in COLLECTIVES or self.mesh is None:
            return
        try:
            source = attrs.value_sharding(op.operands[0], self.mesh)
            target = attrs.from_attr(op.attributes["sharding"], self.mesh)
            shape = tuple(result.type.shape)
            reason = step_error(name, source, target, shape) if source is not None else None
        except DistcError:
            return  # the operand's own sharding is at fault and reported there
        if reason is not None:
            yield Finding(reason, where(op), "split the conversion into legal steps")

    # Functions

    def _function(self, func: ir.OpView) -> Iterator[Finding]:
        signature = func.attributes["function_type"].value
        block = next(iter(func.regions[0].blocks), None)
        seen: dict[str, int] = {}
        for index, kind in enumerate(signature.inputs):
            place = where(func)
            if block is not None:
                place = file_line(block.arguments[index].location) or place
            place = f"{place}, argument {index}"
            yield from self._boundary(func, "arg_attrs", index, kind, place)
            yield from _argument_names(func, index, seen, place)
        for index, kind in enumerate(signature.results):
            yield from self._boundary(
                func, "res_attrs", index, kind, f"{where(func)}, result {index}"
            )

    def _boundary(
        self, func: ir.OpView, which: str, index: int, kind: ir.Type, place: str
    ) -> Iterator[Finding]:
        known = ARGUMENT_ATTRIBUTES if which == "arg_attrs" else RESULT_ATTRIBUTES
        entries = {}
        if which in func.attributes:
            entries = {p.name: p.attr for p in func.attributes[which][index]}
        for key in entries:
            if key.startswith("dist.") and key not in known:
                yield Finding(
                    f"unknown attribute {key}", place, f"use one of: {', '.join(sorted(known))}"
                )
        kind_attr = entries.get("dist.kind")
        if kind_attr is not None and getattr(kind_attr, "value", None) not in KINDS:
            yield Finding(
                f"unknown dist.kind {kind_attr}", place, f"use one of: {', '.join(KINDS)}"
            )
        yield from self._shapes(entries, kind, place)

    def _shapes(
        self, entries: dict[str, ir.Attribute], kind: ir.Type, place: str
    ) -> Iterator[Finding]:
        if not isinstance(kind, ir.RankedTensorType):
            return
        local = tuple(kind.shape)
        shape = _ints(entries["dist.global_shape"]) if "dist.global_shape" in entries else local
        original = entries.get("dist.original_shape")
        if original is not None and prod(_ints(original)) != prod(shape):
            yield Finding(
                f"the value {list(shape)} is no view of dist.original_shape "
                f"{list(_ints(original))}: other numbers of elements",
                place,
                "a view keeps the elements and their order",
            )
        attribute = entries.get(attrs.SHARDING)
        if attribute is None:
            return
        try:
            sharding = self._decode(attribute)
            expected = sharding.local_shape(shape)
        except DistcError as error:
            yield Finding(error.message, place, error.help)
            return
        if "dist.global_shape" in entries and expected != local:
            yield Finding(
                f"local type {kind} is not what {sharding} gives of {list(shape)}: "
                f"{list(expected)}",
                place,
                "partition again: types and shardings disagree",
            )

    # One sharding

    def _sharding(self, kind: ir.Type, attribute: ir.Attribute) -> Finding | None:
        key = (hash(kind), hash(attribute))
        if key not in self._checked:
            self._checked[key] = self._check(kind, attribute)
        return self._checked[key]

    def _check(self, kind: ir.Type, attribute: ir.Attribute) -> Finding | None:
        try:
            sharding = self._decode(attribute)
            if not isinstance(kind, ir.RankedTensorType):
                return Finding(
                    f"a value of type {kind} has sharding {sharding}", None, "only tensors have one"
                )
            sharding.normalize(tuple(kind.shape))
        except DistcError as error:
            return Finding(error.message, None, error.help)
        return None

    def _decode(self, attribute: ir.Attribute) -> Sharding:
        if self.mesh is None:
            raise IllegalSharding(
                "a sharding is given and the module declares no mesh",
                help="add dist.mesh, or distc-opt --mesh x=2",
            )
        return attrs.from_attr(attribute, self.mesh)


def collect_ops(parent: ir.Operation, into: list[ir.OpView]) -> None:
    """Append all ops nested in `parent`, in order of the text."""
    for region in parent.regions:
        for block in region.blocks:
            for op in block.operations:
                into.append(op)
                if len(op.regions):
                    collect_ops(op.operation, into)


def is_entry_point(func: ir.Operation | ir.OpView) -> bool:
    """True for a public function; private ones are bodies of composites."""
    visibility = func.attributes.get("sym_visibility")
    return visibility is None or visibility.value != "private"


def _argument_names(
    func: ir.OpView, index: int, seen: dict[str, int], place: str
) -> Iterator[Finding]:
    attribute = attrs.arg_attr(func, index, "dist.name")
    if attribute is None:
        return
    if not isinstance(attribute, ir.StringAttr):
        yield Finding(f"dist.name is {attribute}", place, "write a string")
        return
    name = attribute.value
    if name in seen:
        yield Finding(
            f"arguments {seen[name]} and {index} are both called {name!r}",
            place,
            "give every argument its own name; a tied weight is one argument",
        )
    seen.setdefault(name, index)


def _ints(attribute: ir.Attribute | None) -> tuple[int, ...]:
    return tuple(attribute) if isinstance(attribute, ir.DenseI64ArrayAttr) else ()
