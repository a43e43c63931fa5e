"""Write docs/traffic.md: what sharded training layers move, counted in their rank programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from executable.traffic_case import TrafficCase

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]
PAGE = ROOT / "docs" / "traffic.md"
_HEAD = """# What sharded training programs move

Written by `tools/traffic.py`; do not edit. Each row is the joint graph (loss and gradients) of a
small float64 function, cut as shown, gradients as their arguments; parameters have a star. Listed
are the collectives that a rank runs with the bytes of their operands, the largest operand, and what
`test/executable/test_traffic.py` allows it to be. That test compares all values with PyTorch's and
fails where a collective runs that is not listed.
"""
_TABLE = """
| program | mesh | arguments lie | collectives: bytes | largest | limit |
|---|---|---|---|---|---|
"""


def main() -> int:
    """Write the page."""
    from executable.traffic_cases import FAMILIES

    sections = [
        f"\n## {title}\n{_TABLE}" + "".join(map(_row, cases)) for title, cases in FAMILIES.items()
    ]
    PAGE.write_text(_HEAD + "".join(sections))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def _row(case: TrafficCase) -> str:
    from executable.harness import partition
    from executable.traffic import counted, joint_text, largest, moved

    from distc.dialect.mesh import Mesh
    from distc.dialect.text import parse_sharding

    mesh = Mesh.parse(case.mesh)
    lying = {i: parse_sharding(s, mesh) for i, s in enumerate(case.lying)}
    gradients = {i: parse_sharding(s, mesh) for i, s in case.gradients.items()}
    text = joint_text(case.function, case.arguments, case.weights)
    module = partition(text, mesh, lying, gradients).module
    counts, bytes_ = counted(module), moved(module)
    sums = ", ".join(f"{counts[name]} {name}: {bytes_[name]}" for name in sorted(counts))
    places = " · ".join(f"`{s}`" + "*" * (i in case.weights) for i, s in enumerate(case.lying))
    cells = (case.name, case.mesh, places, sums or "none", largest(module), case.most)
    return f"| {' | '.join(map(str, cells))} |\n"


if __name__ == "__main__":
    raise SystemExit(main())
