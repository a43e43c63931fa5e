"""The cases of test/semantics that a torch function says too, on DTensor over gloo processes.

Each case runs its function on DTensors cut as the case says and on plain tensors; what counts is
whether the two agree. Only one-axis meshes. Prints as tools/semantics_jax.py does.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test"))

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from semantics.case import Case, ranks  # noqa: E402
from semantics.compare import difference  # noqa: E402
from semantics.families import all_cases  # noqa: E402
from torch import Tensor  # noqa: E402
from torch.distributed.tensor import (  # noqa: E402
    DeviceMesh,
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
)

Function = Callable[..., Any]
_ULPS = 8.0
_WAIT = timedelta(seconds=8)
_PATIENCE = timedelta(seconds=60)
_UNARY: dict[str, Function] = {
    "abs": torch.abs, "negate": torch.neg, "sign": torch.sign, "exponential": torch.exp,
    "logistic": torch.sigmoid, "tanh": torch.tanh, "floor": torch.floor, "cosine": torch.cos,
    "ceil": torch.ceil, "exponential_minus_one": torch.expm1, "round_nearest_even": torch.round,
}  # fmt: skip
_BINARY: dict[str, Function] = {
    "add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "divide": torch.div,
    "maximum": torch.maximum, "minimum": torch.minimum, "power": torch.pow,
    "remainder": torch.fmod, "atan2": torch.atan2,
}  # fmt: skip


def _embedding_gradient(table: Tensor, ids: Tensor) -> Tensor:
    table = table.detach().requires_grad_()
    F.embedding(ids, table).pow(2).sum().backward()
    assert table.grad is not None
    return table.grad


def _statistics(name: str) -> Function:
    dims: dict[str, dict[str, Any]] = {"all": {}, "0": {"dim": 0}, "1": {"dim": 1}}
    kind, _, place = name.partition(":")
    at = dims[place]
    whole = tuple(range(2)) if place == "all" else int(place)
    found: dict[str, Function] = {
        "mean": lambda x: x.mean(**at),
        "variance": lambda x: x.var(**at, correction=0),
        "deviation": lambda x: x.std(**at, correction=0),
        "norm": lambda x: torch.linalg.vector_norm(x, dim=whole),
        "absolute sum": lambda x: x.abs().sum(**at),
        "largest absolute": lambda x: x.abs().amax(dim=whole),
        "log-sum-exp": lambda x: torch.logsumexp(x, dim=whole),
    }
    if place != "all":
        found["median"] = lambda x: torch.median(x, **at)[0]
        found["softmax"] = lambda x: torch.softmax(x, **at)
        found["layer norm"] = lambda x: F.layer_norm(x.t(), (x.shape[0],))
    return found[kind]


_FUNCTIONS: dict[str, Function] = {
    "amax": lambda x: x.amax(0),
    "amin": lambda x: x.amin(0),
    "max": lambda x: x.max(),
    "argmax": lambda x: (x.amax(1), torch.argmax(x, 1)),
    "argmin": lambda x: (x.amin(1), torch.argmin(x, 1)),
    "sort": lambda x: torch.sort(x, 0)[0],
    "sort_stable": lambda x: torch.sort(x, dim=1, stable=True),
    "cummax": lambda x: torch.cummax(x, 0)[0],
    "cumsum": lambda x: torch.cumsum(x, 0),
    "tril": torch.tril,
    "embedding": lambda table, ids: F.embedding(ids, table),
    "embedding_grad": _embedding_gradient,
    "binary:number": lambda x: x + 1.0,
}


def function(name: str) -> Function | None:
    """The torch function of a case, None where there is none."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    kind, _, rest = name.partition(":")
    if kind == "unary":
        return _UNARY.get(rest)
    if kind == "binary":
        return _BINARY.get(rest)
    if kind == "conv":
        return lambda x, k: F.conv2d(x, k, stride=int(rest), padding=1)
    if not rest:
        return None
    try:
        return _statistics(name)
    except KeyError:
        return None


def runnable(case: Case) -> bool:
    """True for a case on one axis that a torch function says."""
    plain = "," not in case.mesh and not any("/" in s or ":(" in s for _, s in case.arguments)
    return plain and bool(case.torch) and function(case.torch) is not None


def _distributed(x: Tensor, text: str | None, mesh: DeviceMesh, rank: int) -> Tensor:
    if text is None:
        return distribute_tensor(x, mesh, [Replicate()])
    if "P(sum" in text:
        parts = mesh.size()
        part = x + 4.0 * (parts - 1) if rank == 0 else torch.full_like(x, -4.0)
        return DTensor.from_local(part, mesh, [Partial()])
    dims = text.strip("[]").split(", ")
    return distribute_tensor(x, mesh, [Shard(next(i for i, d in enumerate(dims) if d != "R"))])


def _values(found: Any) -> Sequence[Tensor]:
    return list(found) if isinstance(found, tuple | list) else [found]


def check(case: Case, mesh: DeviceMesh, rank: int) -> tuple[str, str]:
    """Status and detail."""
    call = function(case.torch)
    assert call is not None
    inputs = [torch.from_numpy(np.array(x)) for x in case.program.inputs]
    pins = dict(case.arguments)
    want = _values(call(*inputs))
    try:
        held = [_distributed(x, pins.get(i), mesh, rank) for i, x in enumerate(inputs)]
        got = [x.full_tensor() if isinstance(x, DTensor) else x for x in _values(call(*held))]
    except Exception as error:
        return "refused", (str(error).splitlines() or [type(error).__name__])[0][:160]
    for a, b in zip(got, want, strict=True):
        name = {torch.float32: "f32"}.get(b.dtype, "i")
        wrong = difference(a.detach().numpy(), b.detach().numpy(), name, case.ulps + _ULPS)
        if wrong:
            return "wrong", wrong
    return "ok", ""


def _rank(rank: int, size: int, port: int, numbers: Sequence[int]) -> None:
    torch.set_num_threads(1)
    store = dist.TCPStore("127.0.0.1", port, size, rank == 0, timeout=_PATIENCE)
    dist.init_process_group(
        "gloo", store=dist.PrefixStore("group", store), rank=rank, world_size=size, timeout=_WAIT
    )
    mesh = DeviceMesh("cpu", list(range(size)))
    cases = all_cases()
    for number in numbers:
        if rank == 0:
            print(f"{number} begin", flush=True)
        store.set(f"{number}/{rank}", "\t".join(check(cases[number], mesh, rank)))
        said = [store.get(f"{number}/{r}").decode().split("\t") for r in range(size)]
        status, detail = next((s for s in said if s[0] != "ok"), said[0])
        if rank == 0:
            print(f"{number} {status} {detail}", flush=True)
        # A rank that failed alone has left the others in a collective: no more to be done here.
        if len({s[0] for s in said} & {"refused"}) and len({s[0] for s in said}) > 1:
            os._exit(3)
        if "Timed out" in detail or "timed out" in detail or "Connection" in detail:
            os._exit(3)
    dist.destroy_process_group()


def main() -> int:
    """Run the cases from `--first` on, in order of their mesh."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--size", type=int, required=True, help="ranks of the meshes to run")
    options = parser.parse_args()
    numbers = [
        n
        for n, case in enumerate(all_cases())
        if n >= options.first and n % options.every == 0 and runnable(case)
        and ranks(case.mesh) == options.size
    ]  # fmt: skip
    if numbers:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        mp.spawn(_rank, (options.size, port, numbers), nprocs=options.size)
    print("end", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
