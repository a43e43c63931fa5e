"""Who the ranks are: launch environment, rendezvous, process groups.

A rank learns its place from torchrun's or Kubernetes' variables (RANK, WORLD_SIZE, MASTER_ADDR,
MASTER_PORT) or Slurm's. Keys in the store carry the restart attempt, so that after
`torchrun --max-restarts` nobody meets the addresses of the attempt before. On one host
everything stays on the loopback interface. Nothing on the wire is pickled.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store, TCPStore
from torch.distributed.device_mesh import DeviceMesh

from distc.runtime.errors import ConfigError, InternalError, PeerLost, Unavailable, UsageError
from distc.runtime.layout import AxisSplit
from distc.runtime.spawn import STORE_FD

GroupList: TypeAlias = Sequence[Sequence[int]]
_Key: TypeAlias = "tuple[tuple[int, ...], ...]"

JOIN_SECONDS = 300.0
COLLECTIVE_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where this process stands among the ranks and where they meet."""

    rank: int
    world: int
    local_rank: int
    local_world: int
    address: str
    port: int
    attempt: int = 0
    agent_store: bool = False

    @property
    def on_one_host(self) -> bool:
        """True when no rank is on another machine."""
        return self.local_world == self.world or self.address in ("localhost", "127.0.0.1", "::1")


def detect(environ: Mapping[str, str] | None = None) -> Place | None:
    """Return this process's place if a launcher started it, else None.

    Raises:
        ConfigError: a variable is missing or is not a number.
    """
    env = os.environ if environ is None else environ
    if "WORLD_SIZE" in env and ("RANK" in env or "JOB_COMPLETION_INDEX" in env):
        return _from_variables(env)
    if "SLURM_PROCID" in env and int(env.get("SLURM_NTASKS", "1")) > 1:
        return _from_slurm(env)
    return None


def _number(env: Mapping[str, str], name: str, default: int | None = None) -> int:
    text = env.get(name, "" if default is None else str(default))
    if not text.isdigit():
        raise ConfigError(
            f"environment variable {name} is {text!r}, not a number",
            help="start the ranks with torchrun, srun or distc run -n N, which set it",
        )
    return int(text)


def _from_variables(env: Mapping[str, str]) -> Place:
    rank = _number(env, "RANK" if "RANK" in env else "JOB_COMPLETION_INDEX")
    world = _number(env, "WORLD_SIZE")
    if rank >= world:
        raise ConfigError(
            f"RANK is {rank}, WORLD_SIZE is {world}", help="ranks are 0 … WORLD_SIZE - 1"
        )
    return Place(
        rank=rank,
        world=world,
        local_rank=_number(env, "LOCAL_RANK", 0),
        local_world=_number(env, "LOCAL_WORLD_SIZE", 1),
        address=env.get("MASTER_ADDR", "127.0.0.1"),
        port=_number(env, "MASTER_PORT") if world > 1 else _number(env, "MASTER_PORT", 0),
        attempt=_number(env, "TORCHELASTIC_RESTART_COUNT", 0),
        agent_store=env.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
    )


def _from_slurm(env: Mapping[str, str]) -> Place:
    nodes = env.get("SLURM_STEP_NODELIST") or env.get("SLURM_JOB_NODELIST", "")
    world = _number(env, "SLURM_NTASKS")
    on_one = _number(env, "SLURM_NNODES", 1) == 1
    return Place(
        rank=_number(env, "SLURM_PROCID"),
        world=world,
        local_rank=_number(env, "SLURM_LOCALID", 0),
        local_world=world if on_one else 1,
        address=env.get("MASTER_ADDR") or ("127.0.0.1" if on_one else first_host(nodes)),
        port=_number(env, "MASTER_PORT", 20000 + _number(env, "SLURM_JOB_ID", 0) % 10000),
        attempt=_number(env, "SLURM_RESTART_COUNT", 0),
    )


def first_host(nodes: str) -> str:
    """Return the first host of a Slurm node list: `gpu[003-007,9],cpu1` is `gpu003`."""
    match = re.match(r"([^\[,]+)(?:\[([^\],-]+))?", nodes)
    if match is None:
        raise ConfigError(
            f"cannot read the Slurm node list {nodes!r}", help="set MASTER_ADDR to the first host"
        )
    return match.group(1) + (match.group(2) or "")


def check_world(world: int, ranks: int, mesh: str) -> None:
    """Check that there are as many processes as the mesh has ranks.

    Raises:
        UsageError: there are more or fewer.
    """
    if world != ranks:
        raise UsageError(
            f"the artifact is for {ranks} ranks (mesh {mesh}), the launch has {world}",
            help=f"start {ranks} processes, or compile for a mesh of {world}",
            code="E-WORLD-SIZE",
        )


def choose_backend(name: str, local_ranks: int = 1) -> str:
    """Return `gloo` or `nccl` for a wish of `auto`, `gloo` or `nccl`.

    Raises:
        Unavailable: NCCL was wished for and there is no NCCL or not a GPU for each rank here.
        UsageError: another name.
    """
    gpus = torch.cuda.device_count() if dist.is_nccl_available() else 0
    match name:
        case "auto":
            return "nccl" if gpus >= local_ranks else "gloo"
        case "gloo":
            return "gloo"
        case "nccl" if gpus >= local_ranks:
            return "nccl"
        case "nccl":
            has_nccl = "this machine has" if dist.is_nccl_available() else "this torch can use"
            raise Unavailable(
                f"backend nccl needs a GPU for each of {local_ranks} ranks, {has_nccl} {gpus}",
                help="use --backend gloo, or a CUDA build of torch on a machine with more GPUs",
            )
        case _:
            raise UsageError(f"unknown backend {name!r}", help="use one of: auto, gloo, nccl, sim")


def meet(place: Place, seconds: float = JOIN_SECONDS) -> Store:
    """Return the store of all ranks once each has joined it.

    Raises:
        Unavailable: the port is taken by another program.
        PeerLost: some ranks did not come in time; they are named.
    """
    try:
        base = TCPStore(
            place.address,
            place.port,
            place.world,
            is_master=place.rank == 0 and not place.agent_store,
            timeout=timedelta(seconds=seconds),
            wait_for_workers=False,
            master_listen_fd=_listening(place),
        )
    except (RuntimeError, OSError) as error:
        raise _no_store(place, error) from None
    store = PrefixStore(f"distc/{place.attempt}", base)
    store.set(f"joined/{place.rank}", "1")
    keys = [f"joined/{r}" for r in range(place.world)]
    try:
        store.wait(keys, timedelta(seconds=seconds))
    except (RuntimeError, OSError):
        absent = [r for r, key in enumerate(keys) if not store.check([key])]
        raise PeerLost(
            f"rank(s) {', '.join(map(str, absent))} of {place.world} did not join within "
            f"{seconds:g} s",
            help=f"check that every rank was started and reaches {place.address}:{place.port}",
        ) from None
    return store


def _listening(place: Place) -> int | None:
    """Return a socket to serve the store on: the launcher's, or our own on loopback."""
    if place.rank != 0 or place.agent_store:
        return None
    if STORE_FD in os.environ:
        return int(os.environ.pop(STORE_FD))
    if place.address not in ("localhost", "127.0.0.1"):
        return None
    return socket.create_server(("127.0.0.1", place.port)).detach()


def _no_store(place: Place, error: Exception) -> Unavailable | PeerLost:
    where = f"{place.address}:{place.port}"
    if place.rank == 0 and "in use" in str(error).lower():
        return Unavailable(
            f"port {where} is taken by another program",
            help="choose another with --port or MASTER_PORT",
            code="E-PORT",
        )
    return PeerLost(
        f"rank {place.rank} cannot reach the store at {where}: {str(error).splitlines()[0]}",
        help="check that rank 0 runs and MASTER_ADDR and MASTER_PORT name it",
    )


def device_for(backend: str, place: Place | None, wish: str | None = None) -> torch.device:
    """Return the device of this rank and, for NCCL, make it current."""
    if wish is not None:
        return torch.device(wish)
    if backend != "nccl":
        return torch.device("cpu")
    local = 0 if place is None else place.local_rank % torch.cuda.device_count()
    torch.cuda.set_device(local)
    return torch.device("cuda", local)


def initialize(place: Place, store: Store, backend: str) -> None:
    """Create the default process group."""
    if place.on_one_host:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group(
        backend,
        store=PrefixStore("default", store),
        rank=place.rank,
        world_size=place.world,
        timeout=timedelta(seconds=COLLECTIVE_SECONDS),
    )


@dataclass(frozen=True, slots=True)
class Group:
    """The process group that this rank is in: its name, its size, our index there."""

    name: str
    size: int
    index: int


class GroupTable:
    """Process groups by the list of groups a collective names, each made once.

    Making one is a collective: all ranks prepare the same lists in the same order. The axes of
    the mesh come from its DeviceMesh, which DTensors share.
    """

    def __init__(self, rank: int, mesh: Sequence[tuple[str, int]], backend: str) -> None:
        self.rank, self.backend = rank, backend
        self._sizes = tuple(mesh)
        self._groups: dict[_Key, Group] = {}
        self._device_mesh: DeviceMesh | None = None
        ranks = tuple(range(self._count()))
        everybody = dist.group.WORLD if dist.is_initialized() and len(ranks) > 1 else None
        name = "" if everybody is None else everybody.group_name
        self.world = Group(name, len(ranks), rank)
        self._groups[(ranks,)] = self.world

    def _count(self) -> int:
        count = 1
        for _, size in self._sizes:
            count *= size
        return count

    def axes(self) -> tuple[AxisSplit, ...]:
        """Return the axes of the mesh, outermost first, as splits of ranks."""
        splits, stride = [], self.world.size
        for name, size in self._sizes:
            stride //= size
            splits.append(AxisSplit(name, size, stride))
        return tuple(splits)

    def device_mesh(self, device: str) -> DeviceMesh:
        """Return the mesh as torch's DeviceMesh, its axes' groups those of collectives."""
        if self._device_mesh is None:
            shape = [size for _, size in self._sizes]
            ids = torch.arange(self._count()).reshape(shape)
            names = tuple(name for name, _ in self._sizes)
            self._device_mesh = DeviceMesh(device, ids, mesh_dim_names=names)
            for axis in range(len(shape)):
                self._take_axis(ids, axis)
        return self._device_mesh

    def _take_axis(self, ids: torch.Tensor, axis: int) -> None:
        rows = ids.movedim(axis, -1).reshape(-1, ids.shape[axis]).tolist()
        key = tuple(sorted(tuple(row) for row in rows))
        assert self._device_mesh is not None
        handle: Any = self._device_mesh.get_group(axis)
        row = next(row for row in key if self.rank in row)
        self._groups.setdefault(key, Group(handle.group_name, len(row), row.index(self.rank)))

    def prepare(self, groups: GroupList) -> Group:
        """Make the groups if they are new; every rank must call this alike."""
        key = tuple(tuple(row) for row in groups)
        known = self._groups.get(key) or self._groups.get(tuple(sorted(key)))
        if known is None:
            known = self._create(key)
        self._groups[key] = known
        return known

    def _create(self, key: _Key) -> Group:
        mine: Group | None = None
        for row in key:
            handle: Any = dist.new_group(list(row), sort_ranks=False) if len(row) > 1 else None
            if self.rank in row:
                name = handle.group_name if handle is not None else ""
                mine = Group(name, len(row), row.index(self.rank))
        if mine is None:
            raise InternalError(
                f"rank {self.rank} is in none of the groups {[list(r) for r in key]}",
                help="report this with the artifact",
            )
        return mine

    def mine(self, groups: GroupList) -> Group:
        """Return the group of this rank among `groups`."""
        key = tuple([tuple(row) for row in groups])
        found = self._groups.get(key)
        return self.prepare(groups) if found is None else found
