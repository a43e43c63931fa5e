"""dtype names of programs and what torch calls them, at the ends of a program."""

from __future__ import annotations

import torch

from distc.runtime.errors import ArtifactError
from distc.runtime.kernels.dtypes import BOUNDARY

_NAMES = {dtype: name for name, dtype in BOUNDARY.items()}


def torch_dtype(name: str) -> torch.dtype:
    """Return the torch dtype of a program's dtype name.

    Raises:
        ArtifactError: there is none.
    """
    if name not in BOUNDARY:
        raise ArtifactError(f"unknown dtype {name!r}", help="recompile with this version of distc")
    return BOUNDARY[name]


def dtype_name(dtype: torch.dtype) -> str:
    """Return the program's name of a torch dtype, or torch's own where programs have none."""
    return _NAMES.get(dtype, str(dtype))
