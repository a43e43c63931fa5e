"""Reported regimes beside the cost model's: PaRO's states and collectives, class-parallel heads.

python tools/regimes.py            print the page
python tools/regimes.py --write    write docs/regimes.md
python tools/regimes.py --check    exit 1 where docs/regimes.md says something else
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]
PAGE = ROOT / "docs" / "regimes.md"


def main(arguments: list[str]) -> int:
    """Print, write or check the page; return the exit code."""
    text = page()
    if "--write" in arguments:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")
        return 0
    if "--check" in arguments:
        is_fresh = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text
        if not is_fresh:
            print("docs/regimes.md is stale: run `make regimes`")
        return 0 if is_fresh else 1
    print(text, end="")
    return 0


def page() -> str:
    """The whole page."""
    from claims import claim, faces, paro

    from distc.solver.hardware import load_hardware

    a100, v100 = load_hardware("a100-8x"), load_hardware("v100-8x")
    node = a100.devices_per_node
    ring, inside = node * a100.node.bytes_per_second / 1e9, a100.device.bytes_per_second / 1e9
    groups = paro.B7.ranks // node
    bound = (1 - 1 / paro.B7.ranks) / (1 - 1 / groups)
    tokens, steps = " or ".join(f"{t:,}" for t in paro.TOKENS), ", ".join(map(str, paro.STEPS))
    backbone = 3 * faces.BATCH * faces.IMAGE_FLOPS / v100.flops_per_second("f32")
    return f"""# Reported regimes and the cost model's

<!-- Written by tools/regimes.py: `make regimes`. -->

What the papers behind distc report, beside what its cost model ([states.md](states.md)) predicts.
Constants are those of the hardware files, from vendors' data, the same for every row of a column;
none is chosen by a reported result. Rows that miss stay.

{claim.RULE}

## PaRO: which state, by how much

The reports we have do not say which GPUs and network they ran on. So there are three columns:

- `a100-8x`: the link model on a DGX A100, a port of 200 Gb/s for each of eight GPUs;
- `p4de`: the link model on the same GPUs in a public cloud, 400 Gb/s a node;
- `table`: PaRO's own formulas, where whatever leaves a group has one port, B; B and B' are the
  bandwidths of `a100-8x`, without latency.

Assumed, since not reported: {tokens} tokens per rank and micro-step, s = {steps} micro-steps,
groups of a node, Adam in mixed precision (12 bytes of a trainable parameter), nothing overlaps
(T = T_sum, as the files say), state alone counts as memory. 65B runs with activation checkpointing,
as reported: 8 FLOPs of a parameter and token instead of 6. Collectives: an all-gather of 1 GB.

{paro.claims_table()}

Why what misses misses:

- With a port per GPU a flat ring over all ranks has {node} ports, {ring:.0f} GB/s, against
  {inside:.0f} of NVLink: keeping state within a node saves little. The gains reported need a slower
  network: next table.
- Where a flat ring has all ports of a node, NII sends at most {bound:.2f} times less through them
  than ZeRO-1 on {groups} nodes, on any network. The reported 1.487 needs a ring that reaches fewer.
- PaRO's own three times say so, too: fitted to 162 and 183 ms, the link model gives a ring 170 ms,
  41 % below the reported 288; it had 4.7 of eight ports (test/unit/solver/test_states.py). `table`
  gives it one, and errs on the other side.

### The same claims on other networks

The link model; all else as in `a100-8x`. Smallest and largest over s and tokens; nothing is judged.

{paro.networks_table()}

### Which state wins

The cheapest that fits 80 GB, its step at {paro.TOKENS[0]:,} tokens, its gain over ZeRO-1 and ZeRO-3
where they fit.

{paro.winners_table()}

### Which size of groups

A group need not be a node; distc looks at every size that tiles ranks and nodes.

{paro.groups_table()}

## Class-parallel heads against data parallelism

R100 in f32 on `v100-8x`, {faces.BATCH} images per GPU; formulas in `tools/claims/faces.py`.

{faces.claims_table()}

Where the gain misses and the time saved does not, the backbone is why: {backbone:.2f} s for
{faces.BATCH} images at the file's share of the peak, while OneFlow's whole iteration takes 0.28 s.

### By classes and GPUs

Gain of classes over data. The search for plans finds the same by itself: it cuts a head of
Glint360k's classes by classes, one of 1,000 not (test/e2e/test_class_parallel.py).

{faces.sizes_table()}
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
