"""compile(): a model becomes an artifact.

front end → clean-up → constraints → propagate → … → partition → verify → lower → package
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_mlir import ir

from distc.compiler import certificate, problem
from distc.compiler.compiled import Compiled, Replicated
from distc.compiler.constraints import Constraints, apply_constraints, load_constraints
from distc.compiler.discovery import RuleDiscovery, discovering
from distc.compiler.options import CompileOptions
from distc.compiler.pipeline import Pipeline, module_text, operation_text
from distc.compiler.presets import preset_constraints
from distc.compiler.records import entry_point, index_bounds, public_functions
from distc.compiler.reproducer import current_recorder
from distc.compiler.timing import Timings
from distc.compiler.weights import VALUES_MEMBER, WEIGHTS_MEMBER, WeightSource, match_weights
from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh
from distc.dialect.context import make_context, parse_module
from distc.dialect.locations import where
from distc.dialect.mesh import Mesh
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ConfigError, InputError
from distc.runtime.manifest import SOURCE_ENTRY
from distc.runtime.program import Program, to_json
from distc.runtime.stored import index
from distc.solver.byte_size import parse_bytes
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.search.method import Method
from distc.transforms.base import Pass
from distc.transforms.cleanup import CLEANUP
from distc.transforms.lower import lower
from distc.transforms.propagate import UNRULED
from distc.transforms.reshard_to_collectives import ReshardToCollectives
from distc.transforms.search_plan import SearchPlan
from distc.transforms.shard_sequence import ShardSequence

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

    from distc.compiler.frontend.exported import Exported
    from distc.compiler.frontend.optimizers import OptimizerGroup
    from distc.compiler.frontend.training_options import TrainingOptions

PARTITION = "partition"
VERIFY_PARTITIONED = "verify-partitioned"
OnStage = Callable[[str], None]
_ENTRY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}\Z")


def compile(
    model: nn.Module | str | os.PathLike[str],
    example: tuple[Any, ...] | None = None,
    *,
    mesh: Mesh,
    preset: str | None = None,
    constraints: str | os.PathLike[str] | None = None,
    weights: str | os.PathLike[str] | None = None,
    batch: int | None = None,
    seq: int | None = None,
    generate: int | None = None,
    solver: str | None = None,
    budget: str | None = None,
    hardware: str | None = None,
    memory: str | None = None,
    verify: bool = True,
) -> Compiled:
    """Compile a model for the ranks of `mesh`.

    Args:
        model: a module (with `example`, its inputs), or a SPEC as on the command line.
        example: example inputs; shapes and dtypes count, values do not.
        mesh: the ranks, `distc.Mesh.of(data=2, tensor=2)`.
        preset: `data-parallel`, `megatron`, `megatron-sp`, `fsdp` or `fsdp:AXIS,…`.
        constraints: a constraint file; it wins over the preset.
        weights: a safetensors file or folder; by default the module's own values are embedded.
        batch: batch size of a Hugging Face folder.
        seq: sequence length of a Hugging Face folder, with `generate` of its cache.
        generate: tokens of a prefill chunk: a folder becomes `prefill` and `decode`.
        solver: `exact` searches for the cheapest plan; pins of preset and constraints stay.
            `z3`, `ilp` and `beam` search the same space in other ways, to compare with.
        budget: the longest the search may take, `60s`; the best plan so far is taken then.
        hardware: the machine that prices the search: a shipped name or a file.
        memory: what a rank may hold under the plan, `60GiB`; by default the machine's memory.
        verify: check after every pass and at the end.

    Raises:
        DistcError: with the op, the line and the next step.
    """
    options = CompileOptions(
        mesh=mesh,
        preset=preset,
        constraints=None if constraints is None else Path(constraints),
        weights=None if weights is None else Path(weights),
        batch=batch,
        seq=seq,
        generate=generate,
        solver=solver,
        budget=budget,
        hardware=hardware,
        memory=memory,
        verify=verify,
    )
    if isinstance(model, (str, os.PathLike)):
        return compile_spec(os.fspath(model), options)
    from distc.compiler.frontend.export import export

    job = _Job(options, None)
    with job.stage("export"):
        exported = export(model, example or (), context=job.context, source=type(model).__name__)
    return job.run(exported, lambda: dict(model.state_dict()))


def compile_training(
    model: nn.Module,
    loss: Callable[..., Any] | None,
    optimizer: Optimizer | str,
    batch: tuple[Any, ...] | Mapping[str, Any],
    *,
    mesh: Mesh,
    preset: str | None = None,
    constraints: str | os.PathLike[str] | None = None,
    microbatches: int = 1,
    clip_norm: float | None = None,
    compute_dtype: str | None = None,
    loss_scale: float | str | None = None,
    seed: int = 0,
    weights: str | os.PathLike[str] | None = None,
    solver: str | None = None,
    budget: str | None = None,
    hardware: str | None = None,
    memory: str | None = None,
    verify: bool = True,
) -> Compiled:
    """Compile a training program: forward, backward and optimizer as one distributed step.

    Args:
        model: its `requires_grad` says what is trained.
        loss: loss(model, *batch) → a scalar; None where the model returns its loss.
        optimizer: from torch.optim, with its groups, or a text: `adamw:weight_decay=0.1`.
        batch: an example micro-batch; shapes and dtypes count, values do not.
        mesh: the ranks.
        preset: how parameters and state lie: `zero1`, `megatron+NIG`, …
        constraints: a constraint file.
        microbatches: into how many parts the batch of a step is cut.
        clip_norm: the largest norm of all gradients together.
        compute_dtype: `bf16` or `f16`: what forward and backward compute in; the optimizer keeps
            master weights in the model's own type.
        loss_scale: a number, `dynamic` or `dynamic:initial=4096,growth=2,backoff=0.5,interval=9`;
            steps whose gradients are not finite are skipped then.
        seed: what masks of dropout are drawn from; `trainer.reseed` sets another one.
        weights: a safetensors file or folder; by default the module's own values are embedded.
        solver: `exact` searches for the cheapest plan; pins of preset and constraints stay.
            `z3`, `ilp` and `beam` search the same space in other ways, to compare with.
        budget: the longest the search may take, `60s`; the best plan so far is taken then.
        hardware: the machine that prices the search: a shipped name or a file.
        memory: what a rank may hold under the plan, `60GiB`; by default the machine's memory.
        verify: check after every pass and at the end.

    Raises:
        DistcError: with the op, the line and the next step.
    """
    from distc.compiler.frontend.optimizers import from_torch, parse_optimizer
    from distc.compiler.frontend.training import export_training

    options = CompileOptions(
        mesh=mesh,
        preset=preset,
        constraints=None if constraints is None else Path(constraints),
        weights=None if weights is None else Path(weights),
        solver=solver,
        budget=budget,
        hardware=hardware,
        memory=memory,
        verify=verify,
    )
    groups = (
        (parse_optimizer(optimizer),)
        if isinstance(optimizer, str)
        else from_torch(optimizer, model)
    )
    scale = None if loss_scale is None else str(loss_scale)
    training = _training_options(groups, microbatches, clip_norm, compute_dtype, scale, seed)
    job = _Job(options, None)
    with job.stage("export"):
        name = type(model).__name__
        exported = export_training(model, batch, loss, training, context=job.context, source=name)
    return job.run(exported, lambda: dict(model.state_dict()))


def compile_spec(spec: str, options: CompileOptions, on_stage: OnStage | None = None) -> Compiled:
    """Compile what a SPEC names; see `compile`."""
    from distc.compiler.frontend.spec import load

    job = _Job(options, on_stage)
    if options.train is not None:
        return _train_spec(spec, options.train, job)
    with job.stage("export"):
        loaded = load(
            spec,
            context=job.context,
            batch=options.batch,
            seq=options.seq,
            generate=options.generate,
        )
    return job.run(loaded.exported, loaded.tensors, loaded.weights)


def _train_spec(spec: str, optimizer: str, job: _Job) -> Compiled:
    from distc.compiler.frontend.optimizers import parse_optimizer
    from distc.compiler.frontend.training_spec import load_training

    options = job.options
    training = _training_options(
        (parse_optimizer(optimizer),),
        options.microbatches,
        options.clip_norm,
        options.compute_dtype,
        options.loss_scale,
        options.seed or 0,
    )
    with job.stage("export"):
        loaded = load_training(
            spec, training, context=job.context, batch=options.batch, seq=options.seq
        )
    return job.run(loaded.exported, loaded.tensors, loaded.weights)


def _training_options(
    groups: tuple[OptimizerGroup, ...],
    microbatches: int,
    clip_norm: float | None,
    compute_dtype: str | None,
    loss_scale: str | None,
    seed: int,
) -> TrainingOptions:
    from distc.compiler.frontend.precision import parse_compute_type
    from distc.compiler.frontend.scaling import parse_loss_scale
    from distc.compiler.frontend.training_options import TrainingOptions

    return TrainingOptions(
        groups,
        microbatches,
        clip_norm,
        compute=None if compute_dtype is None else parse_compute_type(compute_dtype),
        loss_scale=None if loss_scale is None else parse_loss_scale(loss_scale),
        seed=seed,
    )


class _Job:
    """One compile: its context, its pipeline, and what its stages leave for the artifact."""

    def __init__(self, options: CompileOptions, on_stage: OnStage | None) -> None:
        self.options = options
        self.mesh = options.mesh
        # Read before the model is: a mistake in a small file is told at once.
        self.file_constraints = (
            Constraints() if options.constraints is None else load_constraints(options.constraints)
        )
        if options.weights is not None:
            index(options.weights)
        if options.hardware is not None:
            load_hardware(options.hardware)
        self.context = make_context()
        self.timings = Timings()
        self.discovery = RuleDiscovery()
        self.on_stage = on_stage or (lambda name: None)
        if options.dump_folder is not None:
            options.dump_folder.mkdir(parents=True, exist_ok=True)
        self.pipeline = Pipeline(self.timings, options.dump_folder, options.verify, self.on_stage)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure and announce a stage that is not a pass."""
        self.on_stage(name)
        current_recorder().stage = name
        with self.timings.measure(name):
            yield

    def run(
        self,
        exported: Exported,
        tensors: Callable[[], Mapping[str, Tensor]],
        folder: Path | None = None,
    ) -> Compiled:
        """Take an exported module to a compiled program; the module is rewritten in place.

        Args:
            exported: what the front end made.
            tensors: reads the real weights; called only where no file holds them.
            folder: the weight files that belong to the model, if it has any.
        """
        module = exported.module
        self._check_entries(module)
        self.pipeline.dump(module, "source")
        texts = {"source.mlir": module_text(module)}
        self.pipeline.run(module, CLEANUP)
        with self.stage("constraints"):
            constraints = self._constrain(module, exported)
        if constraints.pins or constraints.sequence:
            texts["constraints.toml"] = constraints.to_toml()
        self.pipeline.dump(module, "constraints")
        unpartitioned = module.operation.clone()
        bounds = {stablehlo.symbol(f): index_bounds(f) for f in public_functions(module)}
        with discovering(self.discovery):
            self.discovery.check_given(module)
            if constraints.sequence is not None:
                self.pipeline.run(module, (ShardSequence(constraints.sequence),))
            search = self._search(module)
            problems, left_out = _problems(search)
            texts.update(problems)
            self.pipeline.run(module, _distribute(search))
        replicated = _replicated(module)
        texts["plan.mlir"] = module_text(module)
        self.pipeline.run(module, (PARTITION,))
        if self.options.verify:
            self.pipeline.run(module, (VERIFY_PARTITIONED,))
        texts["partitioned.mlir"] = module_text(module)
        with self.stage("lower"):
            programs = {
                stablehlo.symbol(f): lower(module, stablehlo.symbol(f))
                for f in public_functions(module)
            }
            entries = tuple(
                entry_point(f, self.mesh, bounds[stablehlo.symbol(f)])
                for f in public_functions(module)
            )
            source = self._lower_source(unpartitioned, entries[0].name)
        for name, program in programs.items():
            texts[artifacts.program_member(name)] = to_json(program)
        texts[artifacts.program_member(SOURCE_ENTRY)] = to_json(source)
        texts[certificate.MEMBER] = certificate.certificate(texts, self.options.verify)
        with self.stage("weights"):
            weights, tensor_members = self._weights(exported, tensors, folder)
        return Compiled(
            mesh=self.mesh,
            entries=entries,
            programs=programs,
            members={**texts, **tensor_members},
            weights=weights,
            replicated=replicated,
            plans=() if search is None else tuple(search.plans),
            hardware=None if search is None else search.hardware,
            verified=self.options.verify,
            timings=self.timings,
            notices=(*exported.notices, *self.discovery.notices, *left_out),
        )

    def _search(self, module: ir.Module) -> SearchPlan | None:
        """Search for a plan where that is asked for; it stands in the pass afterwards."""
        if self.options.solver is None:
            return None
        memory = parse_bytes(self.options.memory) if self.options.memory else 0
        search = SearchPlan(
            self.options.hardware or DEFAULT,
            memory,
            Method(self.options.solver),
            self.options.budget_seconds,
        )
        self.pipeline.run(module, ("copy-known", search))
        return search

    def _check_entries(self, module: ir.Module) -> None:
        if not public_functions(module):
            raise InputError(
                "the module has no public function, so there is nothing to run",
                help="add func.func @main(...)",
            )
        for func in public_functions(module):
            name = stablehlo.symbol(func)
            if not _ENTRY.match(name) or name == SOURCE_ENTRY:
                raise InputError(
                    f"an entry point cannot be called {name!r}",
                    where=where(func),
                    help=f"use letters, digits and _, and not {SOURCE_ENTRY!r}",
                )
        declared = module_mesh(module)
        if declared is not None and str(declared) != str(self.mesh):
            raise ConfigError(
                f"the module declares the mesh {declared}, --mesh says {self.mesh}",
                help="give the module's mesh, or take dist.mesh out of the module",
            )

    def _constrain(self, module: ir.Module, exported: Exported) -> Constraints:
        constraints = self.file_constraints
        if self.options.preset is not None:
            constraints = preset_constraints(self.options.preset, module, self.mesh, constraints)
        aliases = {w.name: w.aliases for w in exported.weights}
        apply_constraints(module, constraints, self.mesh, aliases)
        return constraints

    def _lower_source(self, unpartitioned: ir.Operation, entry: str) -> Program:
        """Lower the program of one rank: the source as clean-up and views left it."""
        module = parse_module(operation_text(unpartitioned), self.context, "source")
        return lower(module, entry)

    def _weights(
        self,
        exported: Exported,
        tensors: Callable[[], Mapping[str, Tensor]],
        folder: Path | None,
    ) -> tuple[WeightSource, dict[str, artifacts.Content]]:
        embedded: dict[str, tuple[str, ...]] = {}
        members: dict[str, artifacts.Content] = {}
        if exported.values:
            members[VALUES_MEMBER] = _safetensors(exported.values)
            embedded[VALUES_MEMBER] = tuple(sorted(exported.values))
        aliases = {alias: w.name for w in exported.weights for alias in w.aliases}
        files = self.options.weights or folder
        if files is not None:
            external = match_weights(exported.weights, files)
            return WeightSource(external, embedded, aliases), members
        if exported.weights:
            named = tensors()
            real = {w.name: named[w.name] for w in exported.weights}
            members[WEIGHTS_MEMBER] = _safetensors(real)
            embedded[WEIGHTS_MEMBER] = tuple(sorted(real))
        return WeightSource({}, embedded, aliases), members


def _replicated(module: ir.Module) -> tuple[Replicated, ...]:
    """Return the ops that `propagate` has marked."""
    return tuple(
        Replicated(op.name, where(op))
        for func in stablehlo.functions(module)
        for op in stablehlo.walk(func)
        if UNRULED in op.attributes
    )


def _distribute(search: SearchPlan | None) -> tuple[str | Pass, ...]:
    """Return the passes that carry a plan out; what was priced is what is emitted."""
    hardware = DEFAULT if search is None else search.hardware
    collectives = ReshardToCollectives(hardware)
    return ("propagate", "insert-reshards", collectives, "optimize-collectives")


def _problems(search: SearchPlan | None) -> tuple[dict[str, str], list[str]]:
    """Return the members that keep what was searched, and a sentence for each that is too large."""
    members: dict[str, str] = {}
    left_out: list[str] = []
    for plan in () if search is None else search.plans:
        name, text = problem.problem_member(plan.entry), problem.to_json(plan.problem)
        if len(text) <= problem.MAX_BYTES:
            members[name] = text
            continue
        left_out.append(
            f"{name} is left out, it has {len(text)} bytes and at most {problem.MAX_BYTES} are "
            "kept: distc explain shows collectives alone"
        )
    return members, left_out


def _safetensors(tensors: Mapping[str, Tensor]) -> bytes:
    """Return tensors as safetensors, names in order; only what shares storage is copied."""
    from safetensors.torch import save

    ready: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name in sorted(tensors):
        tensor = tensors[name].detach().contiguous()
        storage = tensor.untyped_storage()
        if storage.nbytes() != tensor.nbytes or storage.data_ptr() in seen:
            tensor = tensor.clone()
        seen.add(tensor.untyped_storage().data_ptr())
        ready[name] = tensor
    return save(ready)
