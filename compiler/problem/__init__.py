"""`problem.json`: the search of an entry point, kept in the artifact; no torch, no MLIR."""

from __future__ import annotations

from distc.compiler.problem.file import MAX_BYTES
from distc.compiler.problem.read import from_json
from distc.compiler.problem.write import to_json
from distc.runtime.artifact import Artifact
from distc.runtime.errors import ArtifactError
from distc.runtime.strict_json import RECOMPILE
from distc.solver.problem import Problem

__all__ = ["MAX_BYTES", "from_json", "problem_member", "read_problem", "to_json"]


def problem_member(entry: str) -> str:
    """Return the member that holds the search of `entry`."""
    return "problem.json" if entry == "main" else f"problem.{entry}.json"


def read_problem(artifact: Artifact, entry: str) -> Problem | None:
    """Return the search of an entry point, None where its plan was not searched.

    Raises:
        ArtifactError: it is damaged, too large, or does not hold together.
    """
    member = problem_member(entry)
    if not artifact.has(member):
        return None
    declared = artifact.manifest.members[member].bytes_
    if declared > MAX_BYTES:
        raise ArtifactError(
            f"{member} has {declared} bytes, at most {MAX_BYTES} are read", help=RECOMPILE
        )
    return from_json(artifact.read_text(member), member)
