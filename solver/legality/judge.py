"""Whether one step is proved, and in words why not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from distc.dialect.sharding import Sharding
from distc.solver.legality.classes import Class, Classified, SplitClass, classify
from distc.solver.legality.ledger import Ledger
from distc.solver.legality.verdict import Counterexample, Status, Verdict
from distc.solver.step import Step


@cache
def ledger() -> Ledger:
    """Return the verdicts that this process knows."""
    return Ledger()


@lru_cache(maxsize=65536)
def refusal(step: Step, before: Sharding, shape: tuple[int, ...]) -> str | None:
    """Return why a step must not be used, None where it is proved.

    Args:
        step: the collective and the sharding it leaves.
        before: how the value lies before.
        shape: global shape of the value.
    """
    for found in _classified(step, before, shape):
        verdict = ledger().verdict(found.step_class)
        if not verdict.proved:
            return f"{_named(step, before, shape)}: {_why(verdict, found)}"
    for split in _splits(step, before, shape):
        if not ledger().verdict(split).proved:
            return f"{_named(step, before, shape)}: no proof that {split.parts} parts cover a whole"
    return None


def is_proved_at_all_sizes(step: Step, before: Sharding, shape: tuple[int, ...]) -> bool:
    """True when a step is proved for every shape that divides as `shape` does."""
    found = classify(step, before, shape).step_class
    classes: list[Class] = [found, *_splits(step, before, shape)]
    return all(ledger().verdict(each).proved for each in classes)


def classes_of(step: Step, before: Sharding, shape: tuple[int, ...]) -> frozenset[Class]:
    """Return the classes on whose proofs a step rests."""
    steps = [found.step_class for found in _classified(step, before, shape)]
    return frozenset([*steps, *_splits(step, before, shape)])


def _classified(step: Step, before: Sharding, shape: tuple[int, ...]) -> Iterator[Classified]:
    """The class of a step for all sizes; where that is not proved, for these; none of no element.

    A permutation is found by comparing boxes, which may agree at some sizes only.
    """
    if 0 in shape:
        return
    general = classify(step, before, shape)
    proved = ledger().verdict(general.step_class).proved
    yield general if proved else classify(step, before, shape, exact=True)


def _splits(step: Step, before: Sharding, shape: tuple[int, ...]) -> Iterator[SplitClass]:
    """The splits on which both layouts rest."""
    mesh = before.mesh
    refs = {ref for s in (before.normalize(shape), step.sharding) for d in s.dims for ref in d.axes}
    for size in sorted({mesh.ref_size(ref) for ref in refs}):
        yield SplitClass(size)


def _named(step: Step, before: Sharding, shape: tuple[int, ...]) -> str:
    axes = ", ".join(map(str, step.axes))
    return f"{step.kind} over {axes} from {before} to {step.sharding} of {list(shape)}"


def _why(verdict: Verdict, found: Classified) -> str:
    if verdict.status is Status.UNKNOWN or verdict.example is None:
        return "Z3 finds no proof in its time limit"
    return _told(verdict.example, found)


def _told(example: Counterexample, found: Classified) -> str:
    rank = ", ".join(f"{n}={c}" for n, c in zip(found.axes, example.rank, strict=True))
    element = ", ".join(
        f"{e} of dimension {d}" for d, e in zip(found.dims, example.element, strict=True)
    )
    faults = {
        "right": "does not receive element",
        "once": "has a contribution lost or doubled at element",
        "agree": "differs from its replica at element",
        "combined": "combines otherwise than the value is partial, at element",
        "sent once": "is one of two that the same rank sends to, at element",
    }
    return f"rank {rank} {faults[example.claim]} {element or '[]'}"
