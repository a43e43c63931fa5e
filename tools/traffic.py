"""Write docs/traffic.md: what sharded training layers move, counted in their rank programs."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]
PAGE = ROOT / "docs" / "traffic.md"
_HEAD = """# What sharded layers move

Written by `tools/traffic.py`; do not edit. Each row is the joint graph (loss and gradients) of a
small float64 function, cut as shown, gradients as their arguments. Bytes are those of the operands
of all collectives on one rank; the last column is the largest operand. Values and bounds are
checked by `test/executable/test_traffic.py`.

| program | mesh | arguments lie | collectives, bytes | largest |
|---|---|---|---|---|
"""


def main() -> int:
    """Write the page."""
    from executable.harness import partition
    from executable.traffic import joint_text, largest, moved
    from executable.traffic_cases import CASES

    from distc.dialect.mesh import Mesh
    from distc.dialect.text import parse_sharding

    lines = []
    for case in CASES:
        mesh = Mesh.parse(case.mesh)
        lying = {i: parse_sharding(s, mesh) for i, s in enumerate(case.lying)}
        gradients = {i: parse_sharding(s, mesh) for i, s in case.gradients.items()}
        module = partition(joint_text(case.function, case.arguments), mesh, lying, gradients).module
        sums = ", ".join(f"{name} {count}" for name, count in sorted(moved(module).items()))
        places = " · ".join(f"`{s}`" for s in case.lying)
        lines.append(f"| {case.name} | {case.mesh} | {places} | {sums} | {largest(module)} |")
    PAGE.write_text(_HEAD + "\n".join(lines) + "\n")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
