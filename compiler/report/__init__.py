"""`report.html`: a plan on one page that needs no network, one module per section."""

from __future__ import annotations

from pathlib import Path

from distc.compiler.report.page import MAX_BYTES, build_report
from distc.runtime import artifact as artifacts

__all__ = ["MAX_BYTES", "build_report", "write_report"]


def write_report(artifact: Path, output: Path, hardware: str | None = None) -> int:
    """Write the page of an artifact to a file and return its bytes.

    Args:
        artifact: path of the artifact.
        output: the file.
        hardware: a machine that prices collectives of plans that were not searched.

    Raises:
        ArtifactError: the artifact is damaged.
    """
    page = build_report(artifacts.read(artifact), hardware).encode()
    output.write_bytes(page)
    return len(page)
