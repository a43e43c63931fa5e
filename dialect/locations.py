"""Where an operation comes from, in the words of an error message.

The front end gives every op a `NameLoc(module path)(FileLineColLoc)`, for example
`loc("model.layers.0.self_attn"("model.py":12:7))`; parsed text gives plain file locations.
"""

from __future__ import annotations

from torch_mlir import ir


def file_line(location: ir.Location) -> str | None:
    """Return `file:line:col` of the innermost file location, or None where there is none."""
    match location:
        case ir.FileLineColLoc():
            return f"{location.filename}:{location.start_line}:{location.start_col}"
        case ir.NameLoc():
            return file_line(location.child_loc)
        case ir.CallSiteLoc():
            return file_line(location.callee)
        case ir.FusedLoc():
            return next((f for f in map(file_line, location.locations) if f is not None), None)
        case ir.UnknownLoc():
            return None
        case _ if type(location) is ir.Location:  # diagnostics give the bare base class
            return file_line(ir.Location.from_attr(location.attr, location.context))
        case _:
            return None


def module_path(location: ir.Location) -> str | None:
    """Return the module path such as `model.layers.0.mlp`, or None where there is none."""
    match location:
        case ir.NameLoc():
            return location.name_str
        case ir.CallSiteLoc():
            return module_path(location.callee)
        case ir.FusedLoc():
            return next((p for p in map(module_path, location.locations) if p is not None), None)
        case _:
            return None


def where(op: ir.Operation | ir.OpView) -> str:
    """Return `file:line:col (op name in module path)` as far as it is known."""
    operation = op.operation
    path = module_path(operation.location)
    inside = f"{operation.name} in {path}" if path else operation.name
    line = file_line(operation.location)
    return f"{line} ({inside})" if line else inside
