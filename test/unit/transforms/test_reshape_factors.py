"""Factors of reshapes: what is merged, what two sides have in common."""

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distc.transforms.reshape_factors import (
    common,
    flatten,
    is_plain,
    merge_factors,
    plain,
    positions,
    refine,
)


@st.composite
def reshapes(draw):
    """A shape and another of as many elements."""
    primes = draw(st.lists(st.sampled_from((1, 2, 3)), max_size=6))

    def grouped():
        dims = [1]
        for p in draw(st.permutations(primes)):
            if draw(st.booleans()):
                dims.append(p)
            else:
                dims[-1] *= p
        return tuple(dims)

    return grouped(), grouped()


@given(reshapes())
def test_factors_multiply_to_their_dimension(pair):
    source, target = pair
    factors = merge_factors(source, target)
    assert tuple(prod(f) for f in factors) == target
    assert all(len(f) == 1 or 1 not in f for f in factors)


@given(reshapes())
def test_taking_apart_is_only_splitting(pair):
    """From the factors, the target is reached by merging alone."""
    source, target = pair
    factors = merge_factors(source, target)
    array = np.arange(prod(source)).reshape(source)
    assert (array.reshape(flatten(factors)).reshape(target) == array.reshape(target)).all()
    assert merge_factors(flatten(factors), target) == factors


@given(reshapes())
def test_a_cut_of_the_source_is_a_cut_of_the_factors_or_contradicts_the_target(pair):
    source, target = pair
    factors = merge_factors(source, target)
    if is_plain(factors):
        cuts = {prod(source[: i + 1]) for i in range(len(source))}
        ends = [prod(target[:i]) for i in range(len(target) + 1)]
        for low, high in pairwise(ends):
            inside = [c for c in cuts if low < c < high]
            assert all(c % low or high % c for c in inside)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ((2, 8, 3, 4), (16, 12), ((2, 8), (3, 4))),
        ((2, 12), (2, 3, 4), ((2,), (3,), (4,))),
        ((6, 4), (4, 6), ((4,), (6,))),
        ((4, 6), (2, 12), ((2,), (2, 6))),
        ((2, 1, 3), (6,), ((2, 3),)),
        ((1, 5), (5, 1), ((5,), (1,))),
        ((), (1,), ((1,),)),
        ((0, 3), (3, 0), ((3,), (0,))),
    ],
)
def test_examples(source, target, expected):
    assert merge_factors(source, target) == expected


def test_common_and_refine():
    assert common((2, 3, 4), (6, 4)) == (6, 4)
    assert common((2, 3), (3, 2)) == (6,)
    assert refine((2, 12), (6, 4)) == (2, 3, 4)
    assert refine((2, 3), (3, 2)) == (2, 3)
    assert refine((24,), (6, 4)) == (6, 4)


def test_positions_follow_the_flattened_order():
    assert positions(((2, 3), (4,), (5, 6))) == ((0, 1), (2,), (3, 4))
    assert plain((7, 8)) == ((7,), (8,))
