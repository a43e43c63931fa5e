"""JSON as artifacts may hold it: no repeated keys, no NaN, nesting the parser survives."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeAlias

from distc.runtime.errors import ArtifactError

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
RECOMPILE = "recompile the model, or copy the artifact again"


def load_json(text: str, member: str) -> Json:
    """Parse the text of `member`.

    Raises:
        ArtifactError: it is not JSON, repeats a key, holds NaN or nests too deep.
    """
    try:
        parsed: Json = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"{member} is not plain JSON: {error}", help=RECOMPILE) from None
    return parsed


def _unique(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    body: dict[str, Json] = {}
    for key, value in pairs:
        if key in body:
            raise ValueError(f"key {key!r} appears twice")
        body[key] = value
    return body


def _no_constant(text: str) -> Json:
    raise ValueError(f"{text} is not JSON")


def expect_int(raw: Json) -> int:
    """Return `raw` if it is an integer."""
    if not isinstance(raw, int) or isinstance(raw, bool):
        raise TypeError(f"expected an integer, found {raw!r}")
    return raw


def expect_str(raw: Json) -> str:
    """Return `raw` if it is text."""
    if not isinstance(raw, str):
        raise TypeError(f"expected text, found {raw!r}")
    return raw


def expect_list(raw: Json) -> list[Json]:
    """Return `raw` if it is a list."""
    if not isinstance(raw, list):
        raise TypeError(f"expected a list, found {type(raw).__name__}")
    return raw


def expect_dict(raw: Json) -> dict[str, Json]:
    """Return `raw` if it is an object."""
    if not isinstance(raw, dict):
        raise TypeError(f"expected an object, found {type(raw).__name__}")
    return raw
