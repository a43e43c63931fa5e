"""Conversions are proved: every path that is taken, and no wrong one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import z3
from unit.solver.test_conversion_table import all_shardings

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import Reduction, Sharding
from distc.dialect.text import parse_sharding
from distc.runtime.errors import InternalError
from distc.solver import conversion, conversion_search
from distc.solver.collective_cost import StepKind
from distc.solver.conversion import conversion_path
from distc.solver.hardware import load_hardware
from distc.solver.legality import refusal
from distc.solver.legality.classes import Class, SplitClass, StepClass, classify
from distc.solver.legality.ledger import Ledger
from distc.solver.legality.movement import Frame, Index, Rank, Source, reads
from distc.solver.legality.prove import prove
from distc.solver.legality.verdict import Status
from distc.solver.step import Step

MESHES = (
    Mesh.of(x=2), Mesh.of(x=3), Mesh.of(x=4), Mesh.of(x=2, y=2), Mesh.of(x=2, y=3),
    Mesh.of(x=2, y=2, z=2),
)  # fmt: skip
HARDWARE = load_hardware("h100-8x")


def steps_between(
    source: Sharding, target: Sharding, shape: tuple[int, ...]
) -> Iterator[tuple[Step, Sharding]]:
    """The steps of a conversion, each with the sharding before it."""
    before = source.normalize(shape)
    for step in conversion_path(source, target, shape, 4, HARDWARE):
        yield step, before
        before = step.sharding


@pytest.mark.parametrize("mesh", MESHES, ids=str)
def test_every_step_of_every_path_is_proved(mesh: Mesh) -> None:
    chosen = random.Random(str(mesh))
    kinds = (Reduction.SUM, Reduction.MAX, Reduction.AND)
    values = all_shardings(mesh, 2)
    for _ in range(60):
        shape = (chosen.randrange(10), chosen.randrange(10))
        kind = chosen.choice(kinds)
        source, target = (
            Sharding(mesh, s.dims, tuple((a, kind) for a, _ in s.partial)).normalize(shape)
            for s in (chosen.choice(values), chosen.choice(values))
        )
        for step, before in steps_between(source, target, shape):
            assert refusal(step, before, shape) is None


@pytest.mark.parametrize(
    ("mesh_text", "source", "target", "shape"),
    [
        ("a=2,b=2", "[R, S(a)]", "[S(b), S(a)]", (6, 4)),
        ("a=2,b=2", "[S(a,b), R]", "[S(b,a), R]", (8, 3)),
        ("a=2,b=2", "[S(a,b), R]", "[R, S(a,b)]", (6, 6)),
        ("a=2,b=2", "[S(a), R]", "[R, R] P(sum: a)", (5, 4)),
        ("a=3", "[R, R] P(sum: a)", "[S(a), R]", (7, 2)),
        ("a=4", "[S(a:(1)2), R]", "[S(a), R]", (8, 3)),
        ("a=4", "[S(a:(2)2), R]", "[R, S(a:(1)2)]", (8, 4)),
        ("a=2", "[S(a)/4, R]", "[R, S(a)]", (12, 3)),
        ("a=2,b=2", "[S(a)/2, R] P(max: b)", "[S(a)/2, S(b)]", (6, 5)),
    ],
)
def test_layouts_that_others_get_wrong(
    mesh_text: str, source: str, target: str, shape: tuple[int, int]
) -> None:
    mesh = Mesh.parse(mesh_text)
    found = list(steps_between(parse_sharding(source, mesh), parse_sharding(target, mesh), shape))
    assert found
    assert all(refusal(step, before, shape) is None for step, before in found)


def class_of(mesh: Mesh, source: str, target: str, shape: tuple[int, ...], kind: str) -> StepClass:
    """The class of the one step of that kind between two shardings."""
    steps = steps_between(parse_sharding(source, mesh), parse_sharding(target, mesh), shape)
    step, before = next((s, b) for s, b in steps if s.kind == kind)
    return classify(step, before, shape).step_class


Moves = Callable[[Frame, Rank, Index], list[Source]]


def _one_lost(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    return reads(frame, rank, index)[:-1]


def _one_twice(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    found = reads(frame, rank, index)
    return [*found, found[0]]


def _members_reversed(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    found = reads(frame, rank, index)
    givers = [s.rank for s in reversed(found)]
    return [replace(s, rank=giver) for s, giver in zip(found, givers, strict=True)]


def _next_slot(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    return [replace(s, index=(s.index[0] + 1, *s.index[1:])) for s in reads(frame, rank, index)]


def _whole_pieces(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    """An all-gather that joins pieces of one width and does not take padding out of them."""
    return [
        Source(
            z3.And(index[0] >= _WIDTH * j, index[0] < _WIDTH * (j + 1)),
            frame.member(rank, j),
            (index[0] - _WIDTH * j, *index[1:]),
        )
        for j in range(frame.step_class.members)
    ]


_WIDTH = 2
X = (AxisRef("x"),)
X4, X2Y3 = Mesh.of(x=4), Mesh.of(x=2, y=3)
WRONG: dict[str, tuple[StepClass, Moves, str]] = {
    "a contribution is lost": (
        class_of(X4, "[R] P(sum: x)", "[R]", (8,), "all_reduce"), _one_lost, "once",
    ),
    "a contribution counts twice": (
        class_of(X4, "[R] P(sum: x)", "[R]", (8,), "all_reduce"), _one_twice, "once",
    ),
    "shards are joined in another order": (
        class_of(X4, "[S(x)]", "[R]", (8,), "all_gather"), _members_reversed, "right",
    ),
    "a slot is off by one": (
        class_of(X2Y3, "[R]", "[S(y)]", (9,), "all_slice"), _next_slot, "right",
    ),
    "padding is not taken out": (
        class_of(Mesh.of(x=2, y=2), "[S(x,y)]", "[S(x)]", (5,), "all_gather"),
        _whole_pieces,
        "right",
    ),
    "an all-to-all reads a neighbour's part": (
        class_of(X4, "[S(x), R]", "[R, S(x)]", (8, 8), "all_to_all"), _members_reversed, "right",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_movement_is_refuted(name: str) -> None:
    found, moves, claim = WRONG[name]
    assert prove(found).proved
    verdict = prove(found, moves)
    assert verdict.status is Status.REFUTED
    assert verdict.example is not None
    assert verdict.example.claim == claim
    assert len(verdict.example.rank) == len(found.axes)


def test_a_step_that_leaves_another_layout_than_it_says_is_refused() -> None:
    mesh, shape = Mesh.of(x=2, y=2), (8, 8)
    rows, columns = parse_sharding("[S(x), R]", mesh), parse_sharding("[R, S(x)]", mesh)
    whole = Sharding.replicated(mesh, 2)
    for kind, before, says in (
        (StepKind.ALL_SLICE, whole, Step(StepKind.ALL_SLICE, X, columns, target_dim=0)),
        (StepKind.ALL_GATHER, rows, Step(StepKind.ALL_GATHER, X, columns, source_dim=0)),
        (StepKind.ALL_TO_ALL, rows, Step(StepKind.ALL_TO_ALL, X, whole, 0, 1)),
    ):
        why = refusal(says, before, shape)
        assert why is not None and why.startswith(str(kind)) and "rank " in why


def test_a_sum_that_combines_by_the_greatest_is_refused() -> None:
    mesh = Mesh.of(x=2)
    before, whole = parse_sharding("[R] P(sum: x)", mesh), parse_sharding("[R]", mesh)
    step = Step(StepKind.ALL_REDUCE, X, whole, reduction=Reduction.MAX)
    assert "combines otherwise" in (refusal(step, before, (4,)) or "")


def test_a_permutation_with_a_wrong_pair_is_refuted() -> None:
    mesh = Mesh.of(x=2, y=2)
    found = class_of(mesh, "[S(x,y), R]", "[S(y,x), R]", (8, 3), "collective_permute")
    assert prove(found).proved
    (a, b), (c, d), *rest = found.pairs
    assert not prove(replace(found, pairs=((a, d), (c, b), *rest))).proved
    assert not prove(replace(found, pairs=((a, b), (a, d), *rest))).proved


def test_parts_of_an_axis_in_another_order_are_refuted() -> None:
    found = class_of(X4, "[S(x:(1)2,x:(2)2)]", "[R]", (8,), "all_gather")
    if len(found.group) == 1:
        (digit,) = found.group
        halves = (replace(digit, post=1, size=2), replace(digit, post=2, size=2))
        found = replace(found, group=halves)
        assert not prove(found).proved


@pytest.mark.parametrize("mesh", [Mesh.of(x=2), Mesh.of(x=3), Mesh.of(x=2, y=3)], ids=str)
def test_what_is_proved_moves_every_element_to_its_place(mesh: Mesh) -> None:
    """Movements carried out on numbers, against the boxes that the runtime computes."""
    chosen = random.Random(str(mesh))
    values = [s for s in all_shardings(mesh, 2) if not s.partial]
    for _ in range(25):
        shape = (chosen.randrange(1, 8), chosen.randrange(1, 8))
        source, target = chosen.choice(values), chosen.choice(values)
        for step, before in steps_between(source, target, shape):
            found = classify(step, before, shape, exact=True)
            _check_movement(found.step_class, found.axes, found.dims, step, before, shape)


def _check_movement(
    found: StepClass,
    axes: tuple[str, ...],
    dims: tuple[int, ...],
    step: Step,
    before: Sharding,
    shape: tuple[int, ...],
) -> None:
    frame = Frame(found, (1,) * len(found.dims))
    mesh = before.mesh
    for rank in product(*(range(n) for n in found.axes)):
        coordinates = dict(zip(axes, rank, strict=True))
        number = _rank_number(mesh, coordinates)
        after_box = step.sharding.layout(shape).box(number)
        sizes = [after_box[d][1] for d in dims]
        for index in product(*map(range, sizes)):
            (source,) = [s for s in reads(frame, rank, index) if s.when]
            giver = _rank_number(mesh, dict(zip(axes, source.rank, strict=True)))
            box = before.layout(shape).box(giver)
            held = [box[d][0] + i for d, i in zip(dims, source.index, strict=True)]
            wanted = [after_box[d][0] + i for d, i in zip(dims, index, strict=True)]
            assert held == wanted


def _rank_number(mesh: Mesh, coordinates: dict[str, int]) -> int:
    number = 0
    for axis in mesh.axes:
        number = number * axis.size + coordinates.get(axis.name, 0)
    return number


def test_what_is_not_proved_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh, shape = Mesh.of(x=4), (64, 64)
    source, target = parse_sharding("[S(x), R]", mesh), parse_sharding("[R, S(x)]", mesh)

    def no(*kinds: StepKind) -> Callable[[Step, Sharding, tuple[int, ...]], str | None]:
        return lambda step, before, shape: "no proof" if step.kind in kinds else None

    def path(*kinds: StepKind) -> list[str]:
        conversion_path.cache_clear()
        for module in (conversion, conversion_search):
            monkeypatch.setattr(module, "refusal", no(*kinds))
        return [s.kind for s in conversion_path(source, target, shape, 4, HARDWARE)]

    try:
        assert path() == ["all_to_all"]
        assert path(StepKind.ALL_TO_ALL) == ["all_gather", "all_slice"]
        with pytest.raises(InternalError, match="is proved; no proof"):
            path(*StepKind)
    finally:
        conversion_path.cache_clear()


def test_a_class_is_proved_once_and_found_on_disk(tmp_path: Path) -> None:
    found: list[Class] = [
        class_of(X4, "[S(x)]", "[R]", (8,), "all_gather"),
        SplitClass(4),
    ]
    first = Ledger(tmp_path)
    assert all(first.verdict(c).proved and first.verdict(c).proved for c in found)
    assert first.proofs == 2
    second = Ledger(tmp_path)
    assert all(second.verdict(c).proved for c in found) and second.proofs == 0
    for path in tmp_path.rglob("*.json"):
        path.write_text(path.read_text().replace("proved", "proven"))
    third = Ledger(tmp_path)
    assert all(third.verdict(c).proved for c in found) and third.proofs == 2


def test_blocks_are_part_of_a_class() -> None:
    mesh = Mesh.of(x=2)
    found = class_of(mesh, "[S(x)/4]", "[R]", (12,), "all_gather")
    assert found.dims[0].before.block == 4
    ignored = tuple(replace(d, pieces=replace(d.pieces, block=1)) for d in found.dims)
    assert not prove(replace(found, dims=ignored)).proved
