"""Dimensions as products of pieces."""

from __future__ import annotations

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from distc.compiler.pieces import (
    Piece,
    aligned,
    distributed,
    extent,
    merged,
    reshape_groups,
)


def test_reshape_to_heads_splits_a_root() -> None:
    assert distributed([Piece(576, 0)], [9, 64]) == [(Piece(9, 0, 1),), (Piece(64, 0, 9),)]


def test_merging_heads_restores_the_root() -> None:
    assert merged([Piece(9, 0, 1), Piece(64, 0, 9)]) == (Piece(576, 0, 1),)


def test_pieces_of_other_roots_or_places_stay_apart() -> None:
    apart = (Piece(9, 0, 1), Piece(64, 1, 9), Piece(2, 1, 9))
    assert merged(apart) == apart


def test_pieces_of_size_one_vanish() -> None:
    assert merged([Piece(1), Piece(4, 0), Piece(1, 0, 4)]) == (Piece(4, 0),)


def test_a_border_that_does_not_divide_is_refused() -> None:
    assert distributed([Piece(6, 0), Piece(4, 1)], [4, 6]) is None


def test_repeated_groups_align_with_heads() -> None:
    heads, repeated = [Piece(9, 0)], [Piece(3, 1), Piece(3)]
    assert aligned(heads, repeated) == [
        (Piece(3, 0, 1), Piece(3, 1)),
        (Piece(3, 0, 3), Piece(3)),
    ]


def test_sizes_without_common_refinement_do_not_align() -> None:
    assert aligned([Piece(4), Piece(6)], [Piece(6), Piece(4)]) is None


def test_groups_of_a_reshape_are_the_smallest() -> None:
    assert reshape_groups((2, 8, 32), (16, 4, 8)) == [
        (range(0, 2), range(0, 1)),
        (range(2, 3), range(1, 3)),
    ]


def test_empty_dimensions_are_never_split_or_aligned() -> None:
    assert distributed([Piece(0, 0), Piece(4, 1)], [4]) is None
    assert aligned([Piece(4, 0)], [Piece(0, 1), Piece(4, 1)]) is None


def test_groups_of_an_empty_shape_are_unknown() -> None:
    assert reshape_groups((0, 4), (4, 0)) is None


sizes = st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=4)


@given(sizes, st.permutations(range(4)))
def test_groups_cover_both_shapes_with_equal_products(source: list[int], order: list[int]) -> None:
    target = [source[i] for i in order if i < len(source)]
    groups = reshape_groups(source, target)
    assert groups is not None
    assert [i for before, _ in groups for i in before] == list(range(len(source)))
    assert [j for _, after in groups for j in after] == list(range(len(target)))
    for before, after in groups:
        assert prod(source[i] for i in before) == prod(target[j] for j in after)


@given(sizes, sizes)
def test_distributing_keeps_every_element_in_order(major: list[int], minor: list[int]) -> None:
    size = prod(major) * prod(minor)
    dealt = distributed([Piece(size, 0)], [prod(major), prod(minor)])
    assert dealt is not None
    assert merged(p for d in dealt for p in d) == merged([Piece(size, 0)])
    assert [extent(d) for d in dealt] == [prod(major), prod(minor)]


@given(sizes, sizes)
def test_alignment_is_a_refinement_of_both(left: list[int], right: list[int]) -> None:
    a = list(distributed([Piece(prod(left) * prod(right), 0)], [*left, *right]) or [])
    b = list(distributed([Piece(prod(left) * prod(right), 1)], [*right, *left]) or [])
    pairs = aligned([p for d in a for p in d], [p for d in b for p in d])
    if pairs is None:
        return
    assert merged(p for p, _ in pairs) == merged(p for d in a for p in d)
    assert merged(q for _, q in pairs) == merged(q for d in b for q in d)
