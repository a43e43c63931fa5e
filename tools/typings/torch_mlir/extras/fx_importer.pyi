from typing import Any

from torch_mlir.ir import Context, Module, Operation

class FxImporterHooks:
    def prepare_module(self, module_op: Operation) -> None: ...
    def resolve_literal(self, gni: Any, literal: Any, info: Any) -> Any: ...
    def resolve_input(self, gni: Any, value: Any, info: Any) -> Any: ...

class FxImporter:
    _cc: ContextCache
    _py_attr_tracker: Any
    def __init__(
        self,
        *,
        module: Module | None = None,
        context: Context | None = None,
        config_check: bool = True,
        py_attr_tracker: Any = None,
        hooks: FxImporterHooks | None = None,
    ) -> None: ...
    @property
    def module(self) -> Module: ...
    def import_stateless_graph(self, g: Any, *, func_name: str = "main", **kwargs: Any) -> Any: ...

class ContextCache:
    def __init__(self, context: Context, *, py_attr_tracker: Any = None) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def __getattr__(name: str) -> Any: ...
