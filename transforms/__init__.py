"""How is the IR rewritten? One pass per file; this registry names them, lazily.

Pipelines are text as in mlir-opt: `propagate,partition{verify=true}`.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from distc.runtime.errors import UsageError

if TYPE_CHECKING:
    from distc.transforms.base import Pass

# Name → module:class. Grouped by stage, in the order of the pipeline.
PASSES: dict[str, str] = {
    # clean-up
    "inline-calls": "distc.transforms.inline_calls:InlineCalls",
    "legalize-quantized": "distc.transforms.legalize_quantized:LegalizeQuantized",
    "fold-tuples": "distc.transforms.fold_tuples:FoldTuples",
    "expand-einsum": "distc.transforms.expand_einsum:ExpandEinsum",
    "canonicalize-constants": "distc.transforms.canonicalize_constants:CanonicalizeConstants",
    "expand-top-k": "distc.transforms.expand_top_k:ExpandTopK",
    "fold-splats": "distc.transforms.fold_splats:FoldSplats",
    "remove-f64": "distc.transforms.remove_f64:RemoveF64",
    "plain-matmuls": "distc.transforms.plain_matmuls:PlainMatmuls",
    "unflatten": "distc.transforms.unflatten:Unflatten",
    "merge-reshapes": "distc.transforms.merge_reshapes:MergeReshapes",
    "find-batching-dims": "distc.transforms.find_batching_dims:FindBatchingDims",
    "drop-dead": "distc.transforms.drop_dead:DropDead",
    "find-top-k": "distc.transforms.find_top_k:FindTopK",
    "apply-views": "distc.transforms.apply_views:ApplyViews",
    # distribution
    "copy-known": "distc.transforms.copy_known:CopyKnown",
    "search-plan": "distc.transforms.search_plan:SearchPlan",
    "shard-sequence": "distc.transforms.shard_sequence:ShardSequence",
    "propagate": "distc.transforms.propagate:Propagate",
    "open-composites": "distc.transforms.open_composites:OpenComposites",
    "insert-reshards": "distc.transforms.insert_reshards:InsertReshards",
    "reshard-to-collectives": "distc.transforms.reshard_to_collectives:ReshardToCollectives",
    "optimize-collectives": "distc.transforms.optimize_collectives:OptimizeCollectives",
    "partition": "distc.transforms.partition:Partition",
    "strip-annotations": "distc.transforms.strip_annotations:StripAnnotations",
    # verification
    "verify-shardings": "distc.transforms.verify_shardings:VerifyShardings",
    "verify-state": "distc.transforms.verify_state:VerifyState",
    "verify-partitioned": "distc.transforms.verify_partitioned:VerifyPartitioned",
}

_ENTRY = re.compile(r"\s*([a-z][a-z0-9-]*)\s*(?:\{([^{}]*)\})?\s*(?:,|\Z)")


def pass_class(name: str) -> type[Pass]:
    """Return the class of a registered pass.

    Raises:
        UsageError: no pass has this name.
    """
    if name not in PASSES:
        raise UsageError(f"unknown pass {name!r}", help=f"use one of: {', '.join(PASSES)}")
    module, _, cls = PASSES[name].partition(":")
    found: type[Pass] = getattr(importlib.import_module(module), cls)
    return found


def make_pass(name: str, options: Mapping[str, str] | None = None) -> Pass:
    """Return a pass with its options, read from text by the type of each field.

    Raises:
        UsageError: unknown pass, unknown option, or a value that does not fit.
    """
    cls = pass_class(name)
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
    hints = typing.get_type_hints(cls)
    values: dict[str, Any] = {}
    for key, text in (options or {}).items():
        field = key.replace("-", "_")
        if field not in fields:
            known = ", ".join(fields) or "none"
            raise UsageError(f"pass {name} has no option {key!r}", help=f"its options are: {known}")
        values[field] = _option(hints[field], text, f"{name}{{{key}={text}}}")
    return cls(**values)


def parse_pipeline(text: str) -> tuple[Pass, ...]:
    """Return the passes of `a,b{c=1 d=x}`; `builtin.module(…)` around it is allowed.

    Raises:
        UsageError: a syntax error, an unknown pass or option.
    """
    body = text.strip()
    if body.startswith("builtin.module(") and body.endswith(")"):
        body = body[len("builtin.module(") : -1]
    passes, position = [], 0
    while position < len(body):
        match = _ENTRY.match(body, position)
        if match is None:
            raise UsageError(
                f"cannot read pipeline {text!r} at {body[position:]!r}",
                help="the form is: name,name{option=value other=value}",
            )
        name, options = match.groups()
        passes.append(make_pass(name, _options(options or "", text)))
        position = match.end()
    return tuple(passes)


def _options(text: str, pipeline: str) -> dict[str, str]:
    options = {}
    for part in text.split():
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(
                f"option {part!r} has no value in pipeline {pipeline!r}", help=f"write {part}=VALUE"
            )
        options[key] = value
    return options


def _option(hint: Any, text: str, shown: str) -> Any:
    alternatives = [t for t in typing.get_args(hint) if t is not type(None)]
    plain = alternatives[0] if alternatives and typing.get_origin(hint) is not tuple else hint
    try:
        if typing.get_origin(plain) is tuple:
            element = typing.get_args(plain)[0]
            return tuple(_option(element, part, shown) for part in text.split(";") if part)
        if plain is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if plain in (int, float, str):
            return plain(text)
        if isinstance(plain, type) and issubclass(plain, StrEnum):
            return plain(text)
    except (KeyError, ValueError):
        pass
    raise UsageError(
        f"{shown}: {text!r} is not a value of type {getattr(plain, '__name__', plain)}",
        help="booleans are true or false, lists are separated by ';'",
    )
