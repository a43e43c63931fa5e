"""Machines: what a rank computes, holds and sends in a second. Read from the TOML files here.

    [memory]  bytes, bytes_per_second          of one device
    [compute] bf16 = 989e12, …                 peak FLOP/s per element type
              efficiency                       share of the peak that large matmuls reach
              launch_seconds                   of one operator
    [links.device], [links.node]               within and between nodes, per device and direction:
              base_seconds, hop_seconds, bytes_per_second

Every number of a shipped file names its source in a comment. `distc calibrate` writes such a file
for the machine it runs on.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from distc.runtime.errors import ConfigError, MissingFile

FOLDER = Path(__file__).parent
MAX_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Link:
    """What one device sends to its neighbours of a group.

    Attributes:
        base_seconds: what a collective costs before anything moves.
        hop_seconds: latency of one step from neighbour to neighbour.
        bytes_per_second: in one direction, with all devices of a node sending.
    """

    base_seconds: float
    hop_seconds: float
    bytes_per_second: float


@dataclass(frozen=True, eq=False)
class Hardware:
    """A cluster of equal nodes of equal devices; compared and hashed by identity.

    Attributes:
        name: of the file, without suffix.
        devices_per_node: consecutive ranks share a node.
        memory_bytes: of one device.
        memory_bytes_per_second: of one device, read and write together.
        flops: peak FLOP/s by element type, as in StableHLO (`f32`, `bf16`).
        efficiency: share of the peak that a large matmul reaches.
        launch_seconds: least time of one operator.
        overlap: share of communication that computation hides, 0 to 1.
        device, node: links within a node and between nodes.
    """

    name: str
    devices_per_node: int
    memory_bytes: int
    memory_bytes_per_second: float
    flops: Mapping[str, float]
    efficiency: float
    launch_seconds: float
    overlap: float
    device: Link
    node: Link

    def flops_per_second(self, dtype: str) -> float:
        """Reached FLOP/s of large matmuls of an element type; f32's where it is not listed."""
        return self.flops.get(dtype, self.flops["f32"]) * self.efficiency


class _Memory(msgspec.Struct, forbid_unknown_fields=True):
    bytes: float
    bytes_per_second: float


class _Link(msgspec.Struct, forbid_unknown_fields=True):
    base_seconds: float
    hop_seconds: float
    bytes_per_second: float


class _File(msgspec.Struct, forbid_unknown_fields=True):
    devices_per_node: int
    memory: _Memory
    compute: dict[str, float]
    links: dict[str, _Link]
    overlap: float = 0.0


_SETTINGS = ("efficiency", "launch_seconds")


def shipped() -> tuple[str, ...]:
    """Names of the files that come with distc."""
    return tuple(sorted(p.stem for p in FOLDER.glob("*.toml")))


@cache
def load_hardware(name: str) -> Hardware:
    """Return a machine by the name of a shipped file, or by the path of one.

    Raises:
        MissingFile: neither.
        ConfigError: the file is not what the module describes; `where` is the file.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        raise MissingFile(
            f"there is no hardware {name!r}",
            help=f"use one of {', '.join(shipped())}, or the path of a .toml file",
        )
    data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES} bytes", help="give a hardware file")
    try:
        raw = tomllib.loads(data.decode())
        file = msgspec.convert(raw, _File)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(
            f"not a hardware file: {error}", where=str(path), help="see docs/hardware.md"
        ) from None
    return _hardware(path.stem, file, str(path))


def _hardware(name: str, file: _File, where: str) -> Hardware:
    missing = [k for k in (*_SETTINGS, "f32") if k not in file.compute]
    missing += [f"links.{k}" for k in ("device", "node") if k not in file.links]
    if missing:
        raise ConfigError(
            f"the hardware file has no {', '.join(missing)}",
            where=where,
            help="see docs/hardware.md",
        )
    numbers = [
        file.memory.bytes,
        file.memory.bytes_per_second,
        *file.compute.values(),
        *(link.bytes_per_second for link in file.links.values()),
        float(file.devices_per_node),
    ]
    if min(numbers) <= 0 or not 0 <= file.overlap <= 1:
        raise ConfigError(
            "a size or a speed is not positive, or overlap is not in 0 … 1",
            where=where,
            help="see docs/hardware.md",
        )
    links = {
        k: Link(v.base_seconds, v.hop_seconds, v.bytes_per_second) for k, v in file.links.items()
    }
    flops = {k: v for k, v in file.compute.items() if k not in _SETTINGS}
    return Hardware(
        name,
        file.devices_per_node,
        int(file.memory.bytes),
        file.memory.bytes_per_second,
        MappingProxyType(flops),
        file.compute["efficiency"],
        file.compute["launch_seconds"],
        file.overlap,
        links["device"],
        links["node"],
    )


DEFAULT = "generic"


def default_hardware() -> Hardware:
    """The machine that is assumed where none is named."""
    return load_hardware(DEFAULT)
