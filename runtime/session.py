"""One rank among others: process groups, watch, progress; or one process that is all ranks."""

from __future__ import annotations

import atexit
import contextlib
import json
import sys
import time
from collections.abc import Mapping
from datetime import timedelta

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, Store

from distc.runtime import groups
from distc.runtime.artifact import Manifest
from distc.runtime.errors import PeerLost, UsageError
from distc.runtime.groups import GroupTable, Place
from distc.runtime.progress import Progress
from distc.runtime.watch import PEER_TIMEOUT_SECONDS, Watch, peer_lost

_WORKERS_LET_GO_SECONDS = 0.1
_current: Session | None = None


class Session:
    """This process as a rank of a mesh. One per process; later programs share it."""

    def __init__(
        self,
        manifest: Manifest,
        backend: str,
        place: Place | None,
        device: torch.device,
        progress: Progress,
        watch: Watch | None,
        store: Store | None,
    ) -> None:
        self.backend, self.device, self.progress, self.watch = backend, device, progress, watch
        self.rank = 0 if place is None else place.rank
        self.ranks = manifest.ranks
        self.mesh_text = manifest.mesh_text
        self.store = store
        self._broken = False
        self.table = GroupTable(self.rank, [(n, s) for n, s, _ in manifest.mesh], backend)
        self._agreements = self._exchanges = 0

    def agree(self, facts: Mapping[str, str]) -> None:
        """Check that every rank has the same facts, before anything runs.

        Raises:
            PeerLost: two ranks differ (`E-DESYNC`); the error has both values.
        """
        self._agreements += 1
        if self.store is None or self.ranks == 1:
            return
        agree(self.store, self._agreements, self.rank, self.ranks, facts)

    def exchange(self, text: str) -> list[str]:
        """Return every rank's text in rank order; a barrier too, that lasts as long as it must.

        Raises:
            PeerLost: another rank died.
        """
        if self.store is None or self.ranks == 1:
            return [text]
        self._exchanges += 1
        keys = [f"exchange/{self._exchanges}/{r}" for r in range(self.ranks)]
        try:
            self.store.set(keys[self.rank], text)
            self.store.wait(keys, timedelta(seconds=groups.COLLECTIVE_SECONDS))
            found = [bytes(b).decode("utf-8") for b in self.store.multi_get(keys)]
            if self._exchanges > 1:
                # Whoever is here has left the one before: nobody reads that key again.
                self.store.delete_key(f"exchange/{self._exchanges - 1}/{self.rank}")
        except RuntimeError as error:
            lost = PeerLost(
                f"the store does not answer: {str(error).splitlines()[0][:120]}",
                help="look for the rank that left first",
            )
            raise self.explain(lost) from error
        return found

    def explain(self, error: PeerLost) -> PeerLost:
        """Return the error with the name of the rank that a broken connection is due to."""
        self._broken = True
        if self.watch is None:
            return error
        named = peer_lost(self.watch.blame(), self.rank, self.progress.text)
        named.__cause__ = error
        return named

    def fail(self, error: BaseException) -> None:
        """Tell the other ranks that this one cannot go on."""
        self._broken = True
        if self.watch is not None:
            what = getattr(error, "message", str(error)).splitlines()[:1] or [""]
            self.watch.fail(f"failed: {type(error).__name__}: {what[0]}, at {self.progress.text}")

    def close(self) -> None:
        """Say goodbye to the other ranks."""
        global _current
        if _current is not self:
            return
        _current = None
        watch, self.watch = self.watch, None
        if watch is None:
            return
        # After an error nobody waits for the others: they must learn of it.
        if self._broken or hasattr(sys, "last_type"):
            watch.stop()
            return
        watch.finish()
        if dist.is_initialized():
            dist.destroy_process_group()
        # A worker thread of gloo that lags behind still holds the tensors of its last collective.
        # Letting go of them needs the interpreter: one that is ending aborts the process.
        time.sleep(_WORKERS_LET_GO_SECONDS)


def close_current() -> None:
    """Close the session this process is in, if it is in one."""
    if _current is not None:
        _current.close()


def agree(store: Store, number: int, rank: int, ranks: int, facts: Mapping[str, str]) -> None:
    """Compare facts over the store: rank 0 reads all, its verdict is read by all.

    Raises:
        PeerLost: two ranks differ (`E-DESYNC`).
    """
    store.set(f"facts/{number}/{rank}", json.dumps(dict(facts), sort_keys=True))
    if rank == 0:
        others = [json.loads(store.get(f"facts/{number}/{r}")) for r in range(1, ranks)]
        store.set(f"agreed/{number}", _difference(facts, others))
    verdict = store.get(f"agreed/{number}").decode("utf-8")
    if verdict:
        _read_by_all(store, number, rank, ranks)
        raise PeerLost(
            verdict,
            help="give every rank the same artifact, options and versions",
            code="E-DESYNC",
        )


def _read_by_all(store: Store, number: int, rank: int, ranks: int) -> None:
    """Rank 0's process may serve the store: it leaves when the others have read the verdict."""
    store.set(f"read/{number}/{rank}", "1")
    if rank == 0:
        keys = [f"read/{number}/{r}" for r in range(ranks)]
        with contextlib.suppress(RuntimeError):
            store.wait(keys, timedelta(seconds=2.0))


def _difference(facts: Mapping[str, str], others: list[dict[str, str]]) -> str:
    for rank, theirs in enumerate(others, start=1):
        for key in sorted({*facts, *theirs}):
            ours, other = facts.get(key), theirs.get(key)
            if ours != other:
                return f"ranks disagree on {key}: rank 0 has {ours}, rank {rank} has {other}"
    return ""


def open_session(
    manifest: Manifest,
    *,
    backend: str = "auto",
    device: str | None = None,
    peer_timeout: float = PEER_TIMEOUT_SECONDS,
    join_timeout: float = groups.JOIN_SECONDS,
) -> Session:
    """Join the other ranks, as the environment says, or stand alone for a mesh of one.

    Raises:
        UsageError: no launcher, or another number of ranks than the mesh has.
        Unavailable: the backend or the port is not there.
        PeerLost: ranks did not join.
    """
    global _current
    if _current is not None:
        return _reuse(_current, manifest)
    place = groups.detect()
    if dist.is_initialized():
        _current = _adopt(manifest, device)
        return _current
    world = 1 if place is None else place.world
    if place is None and manifest.ranks > 1:
        raise UsageError(
            f"the artifact is for {manifest.ranks} ranks (mesh {manifest.mesh_text}), "
            "this process is alone",
            help=f"start it with distc run -n {manifest.ranks} or torchrun --nproc-per-node "
            f"{manifest.ranks}, or load it with backend='sim'",
            code="E-WORLD-SIZE",
        )
    groups.check_world(world, manifest.ranks, manifest.mesh_text)
    chosen = groups.choose_backend(backend, 1 if place is None else place.local_world)
    progress = Progress(0 if place is None else place.rank)
    where = groups.device_for(chosen, place, device)
    if place is None or (world == 1 and chosen == "gloo"):
        _current = Session(manifest, chosen, place, where, progress, None, None)
        return _current
    store = groups.meet(place, join_timeout)
    watch = None
    if peer_timeout > 0 and world > 1:
        watch = Watch(store, place.rank, world, progress, timeout=peer_timeout)
        watch.start()
    progress.note("connecting")
    try:
        groups.initialize(place, store, chosen)
    except BaseException:
        if watch is not None:
            watch.stop()
        raise
    _current = Session(manifest, chosen, place, where, progress, watch, store)
    atexit.register(_current.close)
    return _current


def _reuse(session: Session, manifest: Manifest) -> Session:
    groups.check_world(session.ranks, manifest.ranks, manifest.mesh_text)
    if session.mesh_text == manifest.mesh_text:
        return session
    session.table = GroupTable(session.rank, [(n, s) for n, s, _ in manifest.mesh], session.backend)
    session.mesh_text = manifest.mesh_text
    return session


def _adopt(manifest: Manifest, device: str | None) -> Session:
    """Use the process group that the caller has made; its launcher watches the ranks."""
    groups.check_world(dist.get_world_size(), manifest.ranks, manifest.mesh_text)
    backend = "nccl" if "nccl" in dist.get_backend() else "gloo"
    rank = dist.get_rank()
    place = groups.detect() or Place(rank, manifest.ranks, rank, manifest.ranks, "", 0)
    where = groups.device_for(backend, place, device)
    from torch.distributed.distributed_c10d import _get_default_store

    store = PrefixStore("distc/adopted", _get_default_store())
    return Session(manifest, backend, place, where, Progress(rank), None, store)
