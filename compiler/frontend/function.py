"""A SPEC that names a Python function: run it under fake tensors, later again for real."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.export import export
from distc.compiler.frontend.exported import Exported
from distc.compiler.frontend.fake import fake_build
from distc.compiler.frontend.places import exception_place, last_line
from distc.compiler.frontend.spec import Spec, SpecKind
from distc.runtime.errors import DistcError, InputError, MissingFile

RETURNS = "return (model, example_args): a torch.nn.Module and a tuple of example tensors"


def load_function(
    spec: Spec, context: ir.Context
) -> tuple[Exported, Callable[[], Mapping[str, Tensor]]]:
    """Export the model a function returns; return the record and a reader of its weights."""
    function = find_function(spec)
    model, args, kwargs = fake_build(lambda: _call(function, spec))
    exported = export(model, args, kwargs, context=context, source=str(spec))
    return exported, lambda: real_tensors(spec)


def real_tensors(spec: Spec) -> dict[str, Tensor]:
    """Run the function for real and return the state of its model, by every name.

    Raises:
        InputError: the function raises, or gives something else than a model.
    """
    model, _, _ = _call(find_function(spec), spec)
    return {name: t.detach() for name, t in model.state_dict(keep_vars=True).items()}


def find_function(spec: Spec) -> Callable[[], Any]:
    """Return the function a SPEC names.

    Raises:
        InputError, MissingFile: it cannot be imported, is not there, or takes arguments.
    """
    module = _import(spec)
    function = getattr(module, spec.function, None)
    if function is None:
        names = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")]
        near = difflib.get_close_matches(spec.function, names, 1)
        own = [n for n in names if getattr(vars(module)[n], "__module__", "") == module.__name__]
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(own) or 'no functions'}"
        raise InputError(f"{spec.target} has no function {spec.function!r}", help=hint)
    if not callable(function) or isinstance(function, nn.Module):
        raise InputError(
            f"{spec} is a {type(function).__name__}, not a function",
            help=f"write a function without arguments; let it {RETURNS}",
        )
    _require_no_arguments(function, spec)
    return function  # type: ignore[no-any-return]


def _require_no_arguments(function: Callable[..., Any], spec: Spec) -> None:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return
    needed = [p.name for p in parameters if p.default is p.empty and p.kind.name[:3] != "VAR"]
    if needed:
        raise InputError(
            f"{spec} needs arguments: {', '.join(needed)}",
            help=f"write a function without arguments; let it {RETURNS}",
        )


def _import(spec: Spec) -> ModuleType:
    try:
        if spec.kind == SpecKind.FILE:
            return _import_file(Path(spec.target))
        with _search_path(Path.cwd()):
            return importlib.import_module(spec.target)
    except DistcError:
        raise
    except ModuleNotFoundError as error:
        name = error.name or ""
        if spec.kind == SpecKind.MODULE and f"{spec.target}.".startswith(f"{name}."):
            raise MissingFile(
                f"no module named {name!r}", help="install it, or give a file: model.py:function"
            ) from None
        raise failed(error, spec, "cannot be imported") from None
    except (Exception, SystemExit) as error:
        raise failed(error, spec, "cannot be imported") from None


def _import_file(path: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location(path.stem, path.absolute())
    if found is None or found.loader is None:
        raise InputError(f"{path} is not a Python file", help="name a file that ends in .py")
    module = importlib.util.module_from_spec(found)
    before = sys.modules.get(path.stem)
    if before is None or getattr(before, "__file__", None) == str(path.absolute()):
        sys.modules[path.stem] = module
    with _search_path(path.absolute().parent):
        found.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _search_path(folder: Path) -> Iterator[None]:
    """Let a model file import its neighbours."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(str(folder))


def _call(
    function: Callable[[], Any], spec: Spec
) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    try:
        result = function()
    except DistcError:
        raise
    except (Exception, SystemExit) as error:
        raise failed(error, spec, "raises") from None
    return _checked(result, spec)


def _checked(result: Any, spec: Spec) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    match result:
        case (nn.Module() as model, tuple() | list() as args) if not isinstance(result, list):
            return model, tuple(args), {}
        case (nn.Module() as model, dict() as kwargs) if all(isinstance(k, str) for k in kwargs):
            return model, (), kwargs
        case tuple() | list():
            found = f"({', '.join(type(r).__name__ for r in result)})"
        case _:
            found = type(result).__name__
    single = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Tensor)
    raise InputError(
        f"{spec} returns {found}, not (Module, tuple)",
        help="write (model, (example,)) with a comma: the inputs are a tuple"
        if single
        else RETURNS,
    )


def failed(error: BaseException, spec: Spec, what: str) -> InputError:
    """The error to raise where a user's code raised one."""
    return InputError(
        f"{spec} {what}: {type(error).__name__}: {last_line(error)}",
        where=exception_place(error),
        help="correct the line; python -c can run the function without distc",
    )
