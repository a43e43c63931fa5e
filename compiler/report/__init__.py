"""`report.html`: a plan on one page that needs no network, one module per section."""

from __future__ import annotations

from distc.compiler.report.page import MAX_BYTES, build_report

__all__ = ["MAX_BYTES", "build_report"]
