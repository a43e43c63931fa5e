"""What `distc diff` prints for people."""

from __future__ import annotations

from distc.compiler.cli import console
from distc.compiler.explain.differences import Difference, Differences
from distc.compiler.units import duration, size


def show(found: Differences, top: int) -> None:
    """Print what differs in one entry point; `top` rows of a table, 0 for all."""
    print(f"\nentry {found.entry}" + (": no difference" if found.equal else ""))
    if found.seconds is not None:
        before, after = found.seconds
        share = (after - before) / before if before else 0.0
        print(f"cost {duration(before)} -> {duration(after)} ({share:+.2%})")
    elif found.why_no_seconds:
        print(f"cost not compared: {found.why_no_seconds}")
    _show_sent(found)
    _show_differences("tensors that lie differently", found.tensors, top)
    if found.ops is None:
        print("\nops not compared: both plans must have been searched")
    else:
        _show_differences("ops that run differently", found.ops, top)


def _show_sent(found: Differences) -> None:
    rows = [
        (kind, a.count, b.count, size(a.wire_bytes), size(b.wire_bytes))
        for kind, (a, b) in found.sent.items()
    ]
    if not rows:
        print("no collectives in either")
        return
    columns = ("collective", "before", "after", "sent before", "sent after")
    console.stdout().print(console.table("\na rank sends", columns, rows))


def _show_differences(title: str, found: tuple[Difference, ...], top: int) -> None:
    if not found:
        return
    shown = found[: top or None]
    rows = [(d.name, d.kind, d.before or "—", d.after or "—") for d in shown]
    count = f"{len(shown)} of {len(found)}" if len(shown) < len(found) else str(len(found))
    columns = ("what", "kind", "before", "after")
    console.stdout().print(console.table(f"\n{title} ({count})", columns, rows))
