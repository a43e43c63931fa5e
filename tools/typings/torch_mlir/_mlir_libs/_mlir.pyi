from typing import Any

class _Globals:
    def append_dialect_search_prefix(self, module_name: str) -> None: ...

globals: _Globals

def __getattr__(name: str) -> Any: ...
