"""Run a function as several gloo ranks in forked children and collect what they return."""

from __future__ import annotations

import multiprocessing
import os
import socket
import traceback
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from distc.runtime import groups
from distc.runtime.spawn import STORE_FD


def run_ranks(count: int, body: Callable[[int], Any], seconds: float = 60.0) -> list[Any]:
    """Return `body(rank)` of every rank; a rank's traceback fails the test."""
    context = multiprocessing.get_context("fork")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        pipes = [context.Pipe(duplex=False) for _ in range(count)]
        children = [
            context.Process(target=_child, args=(r, count, port, free.fileno(), pipes[r][1], body))
            for r in range(count)
        ]
        for child in children:
            child.start()
    results = []
    try:
        for rank, (receive, _) in enumerate(pipes):
            assert receive.poll(seconds), f"rank {rank} of {count} did not answer in {seconds} s"
            ok, value = receive.recv()
            assert ok, f"rank {rank}:\n{value}"
            results.append(value)
    finally:
        for child in children:
            child.join(2)
            child.kill()
            child.join()
    return results


def _child(
    rank: int, count: int, port: int, server: int, answer: Any, body: Callable[[int], Any]
) -> None:
    torch.set_num_threads(1)
    os.environ.update(
        RANK=str(rank), WORLD_SIZE=str(count), LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(count),
        MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
    )  # fmt: skip
    if rank == 0:
        os.environ[STORE_FD] = str(server)
    try:
        value = body(rank)
        if dist.is_initialized():
            # Rank 0 serves the store: nobody may leave while another still uses it.
            dist.barrier()
        answer.send((True, value))
    except BaseException:
        answer.send((False, traceback.format_exc()))
    answer.close()
    os._exit(0)


def join(rank: int, mesh: list[tuple[str, int]]) -> groups.GroupTable:
    """Join the other ranks as a launched process does; return the table of groups."""
    place = groups.detect()
    assert place is not None and place.rank == rank
    groups.initialize(place, groups.meet(place, 30.0), "gloo")
    return groups.GroupTable(rank, mesh, "gloo")
