"""Discovered rules on disk: found once per op, attributes, shapes, dtypes and versions.

    DISTC_CACHE_DIR/rules/<first two of key>/<key>.json = {"digest": …, "rule": …}

A record with a wrong digest or schema is reported, and as if it were not there. Records are
written to a temporary file and renamed: readers never see half of one, and of two writers the
last one wins, with the same rule. The key is of the op's whole text, so it holds the op, its
attributes, its ranks with their sizes and its element types: a rule is never lent to other sizes.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from distc.runtime.errors import InputError
from distc.solver.cache_folder import cache_folder, write_record
from distc.solver.discovery.record import SCHEMA, Discovered, from_json, to_json

METHOD = 2
"""Raised when discovery changes what it finds."""
_VALUE = re.compile(r"%[A-Za-z0-9_$.]+(?:#\d+)?")


@cache
def _versions() -> str:
    found = [f"schema {SCHEMA}", f"method {METHOD}"]
    for package in ("torch", "torch-mlir"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} none")
    return ", ".join(found)


def key_of(text: str, identity: str = "") -> str:
    """Return the key of an op's text: value names and layout do not matter.

    Args:
        text: what `isolate` returned.
        identity: what else decides about the result, such as the source of a custom op.
    """
    names: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return names.setdefault(match.group(), f"%v{len(names)}")

    plain = " ".join(_VALUE.sub(numbered, text).split())
    return hashlib.sha256(f"{_versions()}\n{identity}\n{plain}".encode()).hexdigest()


@dataclass
class RuleCache:
    """Records in a folder, and how often one was found.

    Attributes:
        folder: where records lie.
        hits: look-ups that found one.
        misses: look-ups that did not.
        seconds_saved: time the found ones took to discover.
        notices: records that were damaged.
    """

    folder: Path = field(default_factory=lambda: cache_folder() / "rules")
    hits: int = 0
    misses: int = 0
    seconds_saved: float = 0.0
    notices: list[str] = field(default_factory=list)

    def get(self, key: str) -> Discovered | None:
        """Return the rule stored under `key`, None where there is none that is sound."""
        found = self._read(key)
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        self.seconds_saved += found.seconds
        return found

    def _read(self, key: str) -> Discovered | None:
        path = self._path(key)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._damaged(path, type(error).__name__)
            return None
        try:
            body = json.loads(text)
            rule = body["rule"]
            if body["digest"] != hashlib.sha256(rule.encode()).hexdigest():
                self._damaged(path, "its digest is another")
                return None
            return from_json(rule)
        except (ValueError, KeyError, TypeError, AttributeError, InputError):
            self._damaged(path, "it is no record")
            return None

    def _damaged(self, path: Path, why: str) -> None:
        self.notices.append(f"the cached rule {path.name} is ignored: {why}")

    def put(self, key: str, found: Discovered) -> None:
        """Store a rule; a folder that cannot be written is no error."""
        rule = to_json(found)
        body = json.dumps({"digest": hashlib.sha256(rule.encode()).hexdigest(), "rule": rule})
        write_record(self._path(key), body)

    def has_agreed(self, key: str) -> bool:
        """True when a given rule, by its key, was executed before and held."""
        try:
            return self._path(key).with_suffix(".held").read_text(encoding="utf-8") == key
        except (OSError, UnicodeDecodeError):
            return False

    def put_agreed(self, key: str) -> None:
        """Remember that a given rule held; a folder that cannot be written is no error."""
        write_record(self._path(key).with_suffix(".held"), key)

    def report(self) -> str:
        """Return one line: hits, look-ups, rate, time saved."""
        total = self.hits + self.misses
        rate = 100 * self.hits / total if total else 0.0
        return (
            f"rule cache: {self.hits} of {total} found ({rate:.0f} %), "
            f"{self.seconds_saved:.1f} s saved"
        )

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
