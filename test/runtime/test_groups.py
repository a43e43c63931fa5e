"""Launch environments, rendezvous and groups."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path

import pytest
import torch
from ranks import join, run_ranks

from distc.runtime import groups
from distc.runtime.errors import ConfigError, DistcError, PeerLost, Unavailable, UsageError
from distc.runtime.session import agree

TORCHRUN = {
    "RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4",
    "MASTER_ADDR": "node0", "MASTER_PORT": "29500", "TORCHELASTIC_RESTART_COUNT": "2",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
}  # fmt: skip


def test_torchrun_variables() -> None:
    place = groups.detect(TORCHRUN)
    assert place == groups.Place(5, 8, 1, 4, "node0", 29500, attempt=2, agent_store=True)
    assert not place.on_one_host
    assert groups.Place(0, 4, 0, 4, "node0", 1).on_one_host


def test_kubernetes_variables() -> None:
    indexed = {
        "JOB_COMPLETION_INDEX": "3", "WORLD_SIZE": "4", "MASTER_ADDR": "job-0", "MASTER_PORT": "1"
    }  # fmt: skip
    assert groups.detect(indexed) == groups.Place(3, 4, 0, 1, "job-0", 1)


def test_slurm_variables() -> None:
    slurm = {
        "SLURM_PROCID": "9", "SLURM_NTASKS": "16", "SLURM_LOCALID": "1", "SLURM_NNODES": "2",
        "SLURM_STEP_NODELIST": "gpu[003-007,9],cpu1", "SLURM_JOB_ID": "1234567",
    }  # fmt: skip
    assert groups.detect(slurm) == groups.Place(9, 16, 1, 1, "gpu003", 24567)
    assert groups.detect({**slurm, "SLURM_NTASKS": "1"}) is None
    one = groups.detect({**slurm, "SLURM_NNODES": "1"})
    assert one is not None and one.address == "127.0.0.1" and one.on_one_host


@pytest.mark.parametrize(
    ("nodes", "first"),
    [("a1", "a1"), ("a1,a2", "a1"), ("a[1-4]", "a1"), ("n[08,10-12]", "n08"), ("h-0,x[1]", "h-0")],
)
def test_first_host(nodes: str, first: str) -> None:
    assert groups.first_host(nodes) == first


def test_no_launcher_and_broken_ones() -> None:
    assert groups.detect({}) is None
    with pytest.raises(ConfigError, match="WORLD_SIZE is 'four'"):
        groups.detect({**TORCHRUN, "WORLD_SIZE": "four"})
    with pytest.raises(ConfigError, match="RANK is 8, WORLD_SIZE is 8"):
        groups.detect({**TORCHRUN, "RANK": "8"})
    with pytest.raises(ConfigError, match="MASTER_PORT is ''"):
        groups.detect({k: v for k, v in TORCHRUN.items() if k != "MASTER_PORT"})
    with pytest.raises(ConfigError, match="node list ''"):
        groups.first_host("")


def test_world_and_mesh_must_agree() -> None:
    groups.check_world(4, 4, "tensor=4")
    with pytest.raises(UsageError) as error:
        groups.check_world(3, 4, "tensor=4")
    assert "4 ranks (mesh tensor=4)" in error.value.message and "has 3" in error.value.message


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_backends_without_a_gpu() -> None:
    assert groups.choose_backend("auto") == "gloo"
    with pytest.raises(Unavailable) as error:
        groups.choose_backend("nccl")
    assert error.value.exit_code == 69 and "gloo" in error.value.help
    with pytest.raises(UsageError, match="unknown backend 'mpi'"):
        groups.choose_backend("mpi")


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable) as error:
            groups.meet(groups.Place(0, 2, 0, 2, "127.0.0.1", port), 5.0)
    assert error.value.code == "E-PORT" and str(port) in error.value.message


def test_ranks_that_do_not_come_are_named() -> None:
    start = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(PeerLost, match=r"rank\(s\) 1, 2 of 3 did not join within 1 s"):
        groups.meet(groups.Place(0, 3, 0, 3, "127.0.0.1", port), 1.0)
    assert time.monotonic() - start < 5.0


def test_ranks_that_disagree_are_refused_with_both_values() -> None:
    def body(rank: int) -> str:
        place = groups.detect()
        assert place is not None
        store = groups.meet(place, 30.0)
        agree(store, 1, rank, 3, {"torch version": "2.13.0"})
        try:
            agree(store, 2, rank, 3, {"program digest": "abc" if rank < 2 else "xyz"})
        except DistcError as error:
            return f"{error.code} {int(error.exit_code)} {error.message}"
        return "agreed"

    found = run_ranks(3, body)
    assert (
        found
        == ["E-DESYNC 75 ranks disagree on program digest: rank 0 has abc, rank 2 has xyz"] * 3
    )


def test_groups_are_made_once_and_axes_come_from_the_mesh() -> None:
    def body(rank: int) -> tuple[list[str], list[int]]:
        table = join(rank, [("data", 2), ("tensor", 2)])
        mesh = table.device_mesh("cpu")
        rows, columns = [[0, 1], [2, 3]], [[0, 2], [1, 3]]
        names = [
            str(table.mine(rows).name == mesh.get_group("tensor").group_name),
            str(table.mine(columns).name == mesh.get_group("data").group_name),
            str(table.mine([[2, 3], [0, 1]]) == table.mine(rows)),
            str(table.prepare([[3, 0], [1, 2]]) is table.mine([[3, 0], [1, 2]])),
            str(table.mine([[0, 1, 2, 3]]) is table.world),
        ]
        return names, [table.mine([[3, 0], [1, 2]]).index, table.mine([[0], [1], [2], [3]]).size]

    for rank, (names, numbers) in enumerate(run_ranks(4, body)):
        assert names == ["True"] * 5
        assert numbers == [[1, 0, 1, 0][rank], 1]


def test_axes_are_splits_of_ranks() -> None:
    table = groups.GroupTable(0, [("a", 2), ("b", 3)], "gloo")
    assert [(s.name, s.size, s.stride) for s in table.axes()] == [("a", 2, 3), ("b", 3, 1)]


def listening_addresses() -> set[str]:
    """Return the addresses, in hexadecimal, on which this process listens."""
    inodes = set()
    for link in Path("/proc/self/fd").iterdir():
        target = os.readlink(link) if link.is_symlink() else ""
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
        found |= {r[1].split(":")[0] for r in rows if r[3] == "0A" and r[9] in inodes}
    return found


def test_on_one_host_nothing_listens_beyond_loopback() -> None:
    def body(rank: int) -> set[str]:
        join(rank, [("x", 2)]).device_mesh("cpu")
        return listening_addresses()

    loopback, loopback6 = "0100007F", "00000000000000000000000001000000"
    mapped = "0000000000000000FFFF00000100007F"
    for found in run_ranks(2, body):
        assert found and found <= {loopback, loopback6, mapped}


def test_nothing_is_pickled_on_the_wire() -> None:
    folder = Path(groups.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8")
        for word in ("pickle", "_object(", "torch.load", "marshal", "eval("):
            assert not re.search(rf"(?<![a-z_.`]){re.escape(word)}", text.split('"""', 2)[2]), (
                f"{path.name} uses {word}"
            )
