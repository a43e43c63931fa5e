"""Where the weights of an artifact come from: matched by name against files, never read here.

A weight lies in an external safetensors file, recorded by path and size, or in a member of the
artifact. What no checkpoint holds (RoPE frequencies, lifted constants) is always a member.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from distc.compiler.frontend.exported import WeightInfo
from distc.runtime.errors import InputError
from distc.runtime.manifest import ExternalFile, StoredAt, Weights
from distc.runtime.stored import StoredTensor, closest, index

WEIGHTS_MEMBER = "weights.safetensors"
VALUES_MEMBER = "values.safetensors"
_LISTED = 10


@dataclass(frozen=True, slots=True)
class WeightSource:
    """Where each weight and value lies.

    Attributes:
        external: absolute path of a weight file → names of the weights in it → keys.
        embedded: names whose tensors lie in a member, by member.
        aliases: further names of a weight → the name the program uses.
    """

    external: Mapping[Path, Mapping[str, str]] = field(default_factory=dict)
    embedded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def record(self, home: Path) -> Weights:
        """Return the manifest's record for an artifact that is written into folder `home`."""
        stored: dict[str, StoredAt] = {}
        external: list[ExternalFile] = []
        for file in sorted(self.external):
            path = os.path.relpath(file, home)
            external.append(ExternalFile(path, file.stat().st_size))
            stored.update({n: StoredAt(path, k) for n, k in self.external[file].items()})
        for member, names in self.embedded.items():
            stored.update({name: StoredAt(member, name) for name in names})
        return Weights(tuple(external), dict(sorted(stored.items())), dict(self.aliases))


def match_weights(weights: Iterable[WeightInfo], path: Path) -> dict[Path, dict[str, str]]:
    """Find every weight in the safetensors files at `path`, by its name or one of its aliases.

    Raises:
        MissingFile: nothing is there.
        InputError: a weight is missing (with the nearest name), or has another shape or dtype.
            All of them are named at once.
    """
    stored = index(path)
    found: dict[Path, dict[str, str]] = {}
    missing: list[WeightInfo] = []
    wrong: list[str] = []
    for weight in weights:
        tensor = _lookup(weight, stored)
        if tensor is None:
            missing.append(weight)
            continue
        wrong += _differences(weight, tensor)
        found.setdefault(tensor.file.absolute(), {})[weight.name] = tensor.key
    if missing:
        raise _missing(missing, stored, path)
    if wrong:
        raise InputError(
            "; ".join(wrong[:_LISTED]),
            where=str(path),
            help="name the weights that belong to this model with --weights",
            code="E-WEIGHTS",
        )
    return found


def _lookup(weight: WeightInfo, stored: Mapping[str, StoredTensor]) -> StoredTensor | None:
    names = (weight.name, *weight.aliases)
    return next((stored[name] for name in names if name in stored), None)


def _differences(weight: WeightInfo, tensor: StoredTensor) -> list[str]:
    found: list[str] = []
    if tensor.shape != weight.shape:
        found.append(
            f"weight {weight.name} has shape {list(tensor.shape)}, "
            f"the model wants {list(weight.shape)}"
        )
    if tensor.dtype != weight.dtype:
        found.append(
            f"weight {weight.name} has dtype {tensor.dtype}, the model wants {weight.dtype}"
        )
    return found


def _missing(
    missing: list[WeightInfo], stored: Mapping[str, StoredTensor], path: Path
) -> InputError:
    names = [w.name for w in missing]
    shown = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    near = closest(names[0], stored)
    hint = f"the nearest name there is {near!r}; " if near else ""
    return InputError(
        f"{len(names)} of the model's weights are not in the file: {shown}"
        if len(names) > 1
        else f"weight {shown} is not in the file",
        where=str(path),
        help=f"{hint}name the weights that belong to this model with --weights",
        code="E-WEIGHTS",
    )
