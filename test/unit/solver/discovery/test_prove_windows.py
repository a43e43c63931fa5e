"""Windows: what Z3 proves about a block and its halo, compared with all indices one by one."""

from __future__ import annotations

import pytest

from distc.compiler.op_samples import SAMPLES
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.solver.discovery.bands import Band
from distc.solver.discovery.prove_windows import Taps, _block_suffices, window_is_proved

CASES = [
    (Taps(1, -1, 3), 8, 8),
    (Taps(2, -1, 3), 7, 4),
    (Taps(2, -3, 7), 14, 7),
    (Taps(1, 0, 3), 9, 7),
    (Taps(1, -2, 3, 2), 8, 8),
    (Taps(1, -1, 3, 1, 2), 5, 9),
    (Taps(-1, 5), 6, 6),
]


def enough(taps: Taps, band: Band, size: int, total: int) -> bool:
    """The claim, by trying every block, position and tap."""
    for low in range(total):
        for high in range(low + 1, total + 1):
            begin, end = band.window(size, total, low, high)
            for e in range(low, high):
                for w in range(taps.taps):
                    p, between = divmod(
                        taps.stride * e + taps.dilation * w + taps.offset, taps.base
                    )
                    if not between and (0 <= p < size) != (begin <= p < end):
                        return False
    return True


@pytest.mark.parametrize(("taps", "size", "total"), CASES)
@pytest.mark.parametrize("halo", [(0, 0), (1, 0), (1, 1), (2, 2), (3, 3)])
def test_what_is_proved_is_what_holds_for_every_index(
    taps: Taps, size: int, total: int, halo: tuple[int, int]
) -> None:
    band = Band((0,), (0,), *halo, taps.stride < 0)
    assert _block_suffices(taps, band, size, total) is enough(taps, band, size, total)


def proved(name: str, band: Band) -> bool:
    module = parse_module(SAMPLES[name], make_context(), "test.mlir")
    block = stablehlo.functions(module)[0].regions[0].blocks[0]
    ops = [view.operation for view in block.operations]
    return window_is_proved(ops[-2], band)


def test_a_window_of_three_needs_one_neighbour_on_each_side() -> None:
    assert proved("reduce_window", Band((1, None), (1,), 1, 1, False))
    assert not proved("reduce_window", Band((1, None), (1,), 0, 1, False))


def test_a_reversal_takes_shards_in_opposite_order() -> None:
    assert proved("reverse", Band((1,), (1,), 0, 0, True))
    assert not proved("reverse", Band((1,), (1,), 0, 0, False))


def test_a_convolution_has_no_window_over_features() -> None:
    assert proved("convolution", Band((3, None), (3,), 1, 1, False))
    assert not proved("convolution", Band((1, None), (1,), 9, 9, False))
