"""Random programs of data movement, elementwise ops and contractions, in integers: exact."""

from __future__ import annotations

import random
from math import prod

import numpy as np
from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.context import make_context
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import DotDims, GatherDims

SIZES = (1, 2, 3, 4, 6)
MOST_ELEMENTS = 600


class Program:
    """A function @main under construction; every new value is of a random earlier one."""

    def __init__(self, seed: int, length: int = 14) -> None:
        self.random = random.Random(seed)
        self.context = make_context()
        self.integer = ir.IntegerType.get_signless(32, self.context)
        self.inputs = [self._input(self._shape()) for _ in range(3)]
        types = ", ".join(str(self._type(x.shape)) for x in self.inputs)
        arguments = ", ".join(f"%a{i}: {self._type(x.shape)}" for i, x in enumerate(self.inputs))
        text = f"func.func @main({arguments}) -> ({types}) {{ return " + ", ".join(
            f"%a{i}" for i in range(len(self.inputs))
        )
        self.module = ir.Module.parse(f"{text} : {types} }}", self.context)
        self.func = stablehlo.functions(self.module)[0]
        block = self.func.regions[0].blocks[0]
        self.terminator = block.operations[0].operation
        self.values = list(block.arguments)
        makers = (
            self.reshape, self.reshape, self.reshape, self.transpose, self.transpose,
            self.elementwise, self.elementwise, self.broadcast, self.reduce, self.slice,
            self.pad, self.concatenate, self.reverse, self.dot, self.dot, self.gather,
            self.compare, self.splat,
        )  # fmt: skip
        with ir.Location.name(f"random.{seed}", context=self.context):
            with ir.InsertionPoint(self.terminator):
                while len(self.values) < length:
                    value = self.random.choice(makers)()
                    if value is not None and prod(stablehlo.shape(value)) <= MOST_ELEMENTS:
                        self.values.append(value)
            self._return_unused()

    def _shape(self) -> list[int]:
        while True:
            dims = [self.random.choice(SIZES) for _ in range(self.random.randint(1, 4))]
            if prod(dims) <= MOST_ELEMENTS // 4:
                return dims

    def _type(self, dims: list[int] | tuple[int, ...]) -> ir.Type:
        return build.tensor_type(dims, self.integer)

    def _input(self, dims: list[int]) -> np.ndarray:
        numbers = [self.random.randint(-3, 3) for _ in range(prod(dims))]
        return np.array(numbers, dtype=np.int32).reshape(dims)

    def _any(self) -> ir.Value:
        # mostly a late value, so that chains grow
        if self.random.random() < 0.7:
            return self.values[-1 - self.random.randrange(min(3, len(self.values)))]
        return self.random.choice(self.values)

    def _regroup(self, dims: tuple[int, ...]) -> list[int]:
        primes = []
        for size in dims:
            for p in (2, 3):
                while size % p == 0 and size > 1:
                    primes.append(p)
                    size //= p
            if size > 1:
                primes.append(size)
        if self.random.random() < 0.2:
            primes.insert(self.random.randint(0, len(primes)), 1)
        groups: list[int] = []
        for p in primes:
            if groups and self.random.random() < 0.5:
                groups[-1] *= p
            else:
                groups.append(p)
        return groups

    def _like(self, value: ir.Value) -> ir.Value:
        """A value of the same shape: another one, a broadcast, a splat, or itself."""
        dims = stablehlo.shape(value)
        same = [v for v in self.values if v.type == value.type]
        chance = self.random.random()
        if chance < 0.3:
            return self.random.choice(same)
        if chance < 0.5:
            return build.splat(self.random.randint(-2, 2), dims, self.integer)
        return self._reshaped(self._any(), dims) or value

    def _reshaped(self, value: ir.Value, dims: tuple[int, ...]) -> ir.Value | None:
        if prod(stablehlo.shape(value)) != prod(dims):
            return None
        return build.reshape(value, dims)

    def reshape(self) -> ir.Value:
        value = self._any()
        return build.reshape(value, self._regroup(stablehlo.shape(value)))

    def transpose(self) -> ir.Value:
        value = self._any()
        order = list(range(len(stablehlo.shape(value))))
        self.random.shuffle(order)
        return build.transpose(value, order)

    def elementwise(self) -> ir.Value:
        value = self._any()
        name = self.random.choice(("add", "subtract", "maximum", "minimum", "multiply", "negate"))
        if name == "negate":
            return build.unary(name, value)
        if name == "multiply":
            # small numbers only, or products of products overflow everything
            return build.binary(name, value, build.splat(2, stablehlo.shape(value), self.integer))
        pair = [value, self._like(value)]
        self.random.shuffle(pair)
        return build.binary(name, *pair)

    def compare(self) -> ir.Value:
        value = self._any()
        other = self._like(value)
        return build.select(build.compare(value, other, "LT"), other, value)

    def splat(self) -> ir.Value:
        return build.splat(self.random.randint(-2, 2), self._shape(), self.integer)

    def broadcast(self) -> ir.Value:
        value = self._any()
        dims = list(stablehlo.shape(value))
        mapping = list(range(len(dims)))
        result = [self.random.choice((2, 3)) if n == 1 else n for n in dims]
        place = self.random.randint(0, len(dims))
        result.insert(place, self.random.choice((2, 3)))
        mapping = [m + (m >= place) for m in mapping]
        return build.broadcast_in_dim(value, result, mapping)

    def reduce(self) -> ir.Value | None:
        value = self._any()
        rank = len(stablehlo.shape(value))
        if rank < 2:
            return None
        dims = sorted(self.random.sample(range(rank), self.random.randint(1, rank - 1)))
        kind = self.random.choice((Reduction.SUM, Reduction.MAX))
        return build.reduce(value, dims, kind)

    def slice(self) -> ir.Value:
        value = self._any()
        start, limit = [], []
        for size in stablehlo.shape(value):
            pieces = self.random.choice([p for p in (1, 2, 3) if size % p == 0])
            piece = self.random.randrange(pieces)
            start.append(piece * size // pieces)
            limit.append((piece + 1) * size // pieces)
        return build.slice_(value, start, limit)

    def pad(self) -> ir.Value:
        value = self._any()
        dims = stablehlo.shape(value)
        low = [self.random.choice((0, 0, n)) for n in dims]
        high = [self.random.choice((0, 0, 1, n // 2)) for n in dims]
        return build.pad(value, build.splat(7, (), self.integer), low, high)

    def concatenate(self) -> ir.Value | None:
        value = self._any()
        rank = len(stablehlo.shape(value))
        if rank == 0:
            return None
        return build.concatenate([value, self._like(value)], self.random.randrange(rank))

    def reverse(self) -> ir.Value | None:
        value = self._any()
        rank = len(stablehlo.shape(value))
        if rank == 0:
            return None
        over = build.i64_array([self.random.randrange(rank)], self.context)
        return build.create("reverse", [value], [value.type], {"dimensions": over}).result

    def dot(self) -> ir.Value | None:
        """Contract with a reshape or transpose of something that shares dimensions."""
        lhs = self._any()
        left = stablehlo.shape(lhs)
        rhs = self.random.choice(self.values)
        right = stablehlo.shape(rhs)
        pairs = [(i, j) for i, n in enumerate(left) for j, m in enumerate(right) if n == m]
        self.random.shuffle(pairs)
        batching: list[tuple[int, int]] = []
        contracting: list[tuple[int, int]] = []
        for i, j in pairs[:3]:
            used = batching + contracting
            if any(i == a or j == b for a, b in used):
                continue
            self.random.choice((batching, contracting)).append((i, j))
        if not contracting:
            return None
        small = build.binary("maximum", lhs, build.splat(-1, left, self.integer))
        small = build.binary("minimum", small, build.splat(1, left, self.integer))
        dims = DotDims(
            tuple(i for i, _ in batching),
            tuple(j for _, j in batching),
            tuple(i for i, _ in contracting),
            tuple(j for _, j in contracting),
        )
        return build.dot_general(small, rhs, dims)

    def gather(self) -> ir.Value | None:
        table, indices = self._any(), self._any()
        sizes = stablehlo.shape(table)
        if not sizes or len(stablehlo.shape(indices)) + len(sizes) > 6:
            return None
        rank = len(stablehlo.shape(indices))
        dims = GatherDims(tuple(range(rank, rank + len(sizes) - 1)), (0,), (), (), (0,), rank)
        return build.gather(table, indices, dims, (1, *sizes[1:]))

    def _return_unused(self) -> None:
        used = {v for o in stablehlo.walk(self.func) for v in o.operands} - set(
            self.terminator.operands
        )
        results = [v for v in self.values if v not in used]
        ir.Operation.create("func.return", operands=results, ip=ir.InsertionPoint(self.terminator))
        self.terminator.erase()
        signature = ir.FunctionType.get(
            [self._type(x.shape) for x in self.inputs], [v.type for v in results], self.context
        )
        self.func.attributes["function_type"] = ir.TypeAttr.get(signature, self.context)
