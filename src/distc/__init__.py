"""distc: a sharding compiler for PyTorch models that checks its plans.

    mesh = distc.Mesh.of(data=2, tensor=2)
    artifact = distc.compile(model, (example,), mesh=mesh, preset="megatron")
    artifact.save("out.distc")
    program = distc.load("out.distc")

Names are loaded at first use, so `import distc` costs nothing and needs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distc.compiler.compiled import Compiled
    from distc.compiler.custom_op import custom_op
    from distc.compiler.driver import compile, compile_training
    from distc.dialect.mesh import Mesh
    from distc.dialect.sharding import Sharding
    from distc.runtime.errors import DistcError
    from distc.runtime.load import load

__version__ = "0.1.0"

__all__ = [
    "Compiled",
    "DistcError",
    "Mesh",
    "Sharding",
    "__version__",
    "compile",
    "compile_training",
    "custom_op",
    "load",
]

_HOMES = {
    "Compiled": "distc.compiler.compiled",
    "DistcError": "distc.runtime.errors",
    "Mesh": "distc.dialect.mesh",
    "Sharding": "distc.dialect.sharding",
    "compile": "distc.compiler.driver",
    "compile_training": "distc.compiler.driver",
    "custom_op": "distc.compiler.custom_op",
    "load": "distc.runtime.load",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'distc' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
