"""Which layer of a model an op or an argument is in, read from its module path.

`model.layers.3.self_attn.q_proj#bwd` is in layer 3 at the place `model.layers.*.self_attn…`. Layers
only tell the search a good order; a program without module paths is planned as well, slower.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

_NUMBER = re.compile(r"(?<=\.)\d+(?=[.#@]|\Z)|\A\d+(?=\.)")


@dataclass(frozen=True, slots=True)
class Place:
    """The layer (-1 outside layers) and the place in it, equal in equal layers."""

    block: int
    name: str


def place_of(path: str, what: str) -> Place:
    """Return the place of something in a module path; the first number names the layer."""
    found = _NUMBER.search(path)
    if found is None:
        return Place(-1, f"{path}:{what}")
    return Place(int(found.group()), f"{any_layer(path)}:{what}")


def any_layer(path: str) -> str:
    """Return a module path with `*` for the number of its layer: equal in equal layers."""
    return _NUMBER.sub("*", path, count=1)


def numbered(places: Sequence[Place]) -> list[Place]:
    """Tell apart equal places of one layer by the order they come in."""
    seen: Counter[Place] = Counter()
    result = []
    for place in places:
        result.append(replace(place, name=f"{place.name}:{seen[place]}"))
        seen[place] += 1
    return result
