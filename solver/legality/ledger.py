"""Verdicts of classes: each class is proved once, then found in memory or on disk.

    DISTC_CACHE_DIR/conversions/<first two of key>/<key>.json = {"digest": …, "record": …}

The key is of the class and of what decides about it: the modules that state and prove the claims,
and the version of Z3. A record that is damaged is as if it were not there. `unknown` is not kept:
another machine may find a proof in time.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path

from distc.solver.cache_folder import cache_folder, write_record
from distc.solver.legality.classes import Class
from distc.solver.legality.verdict import Counterexample, Status, Verdict

_DECIDING = ("classes", "movement", "prove", "terms", "verdict")


@cache
def _method() -> str:
    """What decides about a class: our modules by their text, Z3 by its version."""
    folder = Path(__file__).parent
    texts = [(folder / f"{name}.py").read_bytes() for name in _DECIDING]
    return f"{hashlib.sha256(b''.join(texts)).hexdigest()}, z3 {version('z3-solver')}"


@dataclass
class Ledger:
    """Verdicts by class.

    Attributes:
        folder: where records lie.
        proofs: how many classes this process gave to Z3.
    """

    folder: Path = field(default_factory=lambda: cache_folder() / "conversions")
    proofs: int = 0
    _known: dict[Class, Verdict] = field(default_factory=dict)

    def verdict(self, found: Class) -> Verdict:
        """Return whether a class is proved, from memory, from disk, or by Z3."""
        if found not in self._known:
            path = self._path(found)
            stored = _read(path)
            self._known[found] = stored or self._prove(found, path)
        return self._known[found]

    def _prove(self, found: Class, path: Path) -> Verdict:
        # Z3 is loaded only where something is left to prove.
        from distc.solver.legality.prove import prove

        self.proofs += 1
        verdict = prove(found)
        if verdict.status is not Status.UNKNOWN:
            record = json.dumps({"class": repr(found), **asdict(verdict)})
            write_record(path, json.dumps({"digest": _digest(record), "record": record}))
        return verdict

    def _path(self, found: Class) -> Path:
        key = _digest(f"{_method()}\n{found!r}")
        return self.folder / key[:2] / f"{key}.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> Verdict | None:
    """The verdict of a record, None where there is none that is sound."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        if body["digest"] != _digest(body["record"]):
            return None
        record = json.loads(body["record"])
        status, example = Status(record["status"]), record["example"]
        return Verdict(status, None if example is None else _example(example))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _example(record: dict[str, str | list[int]]) -> Counterexample:
    places = {name: tuple(value) for name, value in record.items() if name != "claim"}
    return Counterexample(claim=str(record["claim"]), **places)  # type: ignore[arg-type]
