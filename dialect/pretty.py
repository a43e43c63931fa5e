"""Module text with every sharding explained in the human form, as trailing comments.

The result still parses: MLIR comments run to the end of the line.
"""

from __future__ import annotations

import re

from torch_mlir import ir

from distc.dialect.attrs import from_attr, module_mesh
from distc.dialect.mesh import Mesh

_SHARDING = re.compile(
    r"#dist\.sharding<@[\w$.-]+, \[(?:[^\[\]]|\[[^\[\]]*\])*\], array<i64[^>]*>, \{[^{}]*\}>"
)


def pretty_text(module: ir.Module, text: str) -> str:
    """Return `text`, the printed form of `module`, with `// [S(x), R]` after lines that shard."""
    mesh = module_mesh(module)
    if mesh is None:
        return text
    return "\n".join(_annotate(line, mesh, module.context) for line in text.split("\n"))


def _annotate(line: str, mesh: Mesh, ctx: ir.Context) -> str:
    found = _SHARDING.findall(line)
    if not found:
        return line
    shown = [str(from_attr(ir.Attribute.parse(text, ctx), mesh)) for text in found]
    return f"{line}  // {'; '.join(shown)}"
