"""Write safetensors one tensor at a time, and hash each on the way."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import BinaryIO

import torch
from torch import Tensor

from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import InputError, InternalError
from distc.runtime.stored import DTYPES

_FILE_NAMES = {known: name for name, (known, _) in DTYPES.items() if known is not None}


class SafetensorsWriter:
    """One safetensors file whose tensors come one after another, in the order announced.

    Args:
        path: the file; it must not be there.
        tensors: key → (dtype name of programs, shape).
        metadata: texts for the header.

    Raises:
        InputError: a dtype that safetensors files cannot hold.
    """

    def __init__(
        self,
        path: Path,
        tensors: Mapping[str, tuple[str, tuple[int, ...]]],
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        self._waiting = list(tensors.items())
        header: dict[str, object] = {"__metadata__": dict(metadata)} if metadata else {}
        position = 0
        for key, (dtype, shape) in tensors.items():
            if dtype not in _FILE_NAMES:
                raise InputError(
                    f"tensor {key!r} is {dtype}, which safetensors files cannot hold",
                    help="keep this state in two real tensors",
                    code="E-CHECKPOINT",
                )
            end = position + prod(shape) * torch_dtype(dtype).itemsize
            offsets = [position, end]
            header[key] = {
                "dtype": _FILE_NAMES[dtype], "shape": list(shape), "data_offsets": offsets
            }  # fmt: skip
            position = end
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self._file: BinaryIO = open(path, "xb")  # closed by `close`
        self._file.write(len(text).to_bytes(8, "little") + text)
        self.bytes_ = 8 + len(text) + position

    def add(self, key: str, tensor: Tensor) -> str:
        """Write the next tensor; return the sha256 of its bytes."""
        wanted, (dtype, shape) = self._waiting.pop(0)
        given = (key, tensor.dtype, tuple(tensor.shape))
        if given != (wanted, torch_dtype(dtype), shape):
            raise InternalError(
                f"{given} was written where {wanted} of {dtype}{list(shape)} was announced",
                help="this is a defect of distc",
            )
        row = tensor.detach().to("cpu").contiguous().reshape(-1).view(torch.uint8)
        content: memoryview = row.numpy().data
        self._file.write(content)
        return hashlib.sha256(content).hexdigest()

    def close(self) -> None:
        """End the file: all of it is on the disk afterwards."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def abandon(self) -> None:
        """Close without a promise."""
        self._file.close()
