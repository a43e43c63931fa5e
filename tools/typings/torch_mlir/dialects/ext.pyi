# The definition layer for dialects in Python, as far as dialect/ops.py uses it.
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from torch_mlir import ir

_T = TypeVar("_T")

class DialectAlreadyLoadedError(RuntimeError): ...

class Dialect:
    DIALECT_NAMESPACE: ClassVar[str]
    _mlir_module: ClassVar[ir.Module | None]
    def __init_subclass__(cls, name: str, **kwargs: Any) -> None: ...
    @classmethod
    def load(cls) -> None: ...

class Operation(ir.OpView):
    def __init_subclass__(
        cls,
        *,
        name: str | None = None,
        traits: Sequence[type] | None = None,
        dialect: type | None = None,
        **kwargs: Any,
    ) -> None: ...

class Attribute(ir.DynamicAttr):
    def __init_subclass__(
        cls, *, name: str | None = None, dialect: type | None = None, **kwargs: Any
    ) -> None: ...

class Pure: ...
class Operand(ir.Value, Generic[_T]): ...
class Result(ir.OpResult, Generic[_T]): ...
