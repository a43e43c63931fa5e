"""The `dist` dialect under the name by which MLIR's bindings look for it.

The bindings import `<search prefix>.<dialect name>` before they wrap an op or attribute of a
dialect, and try again every time (30 µs each) until that import succeeds. `dialect.context`
names this package as a search prefix; `stablehlo` is found there in the same way.
"""

from __future__ import annotations

from distc.dialect.ops import Dist

__all__ = ["Dist"]
