"""Random PyTorch functions; their joint graphs (forward and gradients) come from `joint.py`.

Data are whole numbers. As long as every op is (piecewise) linear with whole coefficients, results
and gradients are exact in any order of summation; from the first op that rounds on, no op follows
that jumps (a maximum, a comparison): a last bit would decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

import torch
from torch import Tensor

from fuzzing.choices import Choices
from fuzzing.data import Inputs

MOST_ELEMENTS = 600
Step = Callable[[Sequence[Tensor], Tensor], Tensor]
# Whole numbers of f32 and their sums stay far below what it holds exactly.
_F32_LARGEST = 2**18


@dataclass
class Net:
    """A function under construction: steps from the first argument to a scalar.

    Attributes:
        choices: who decides.
        dtype: of all floats.
        steps: what happens to the value, in order, with their names.
        inputs: how the data of each argument is made, with its shape and dtype.
        value: the value so far, computed.
        exact: whether the forward pass has not rounded yet.
        gradients_exact: whether the backward pass does not round.
    """

    choices: Choices
    dtype: torch.dtype = torch.float64
    steps: list[Step] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    inputs: list[tuple[Inputs, tuple[int, ...], torch.dtype]] = field(default_factory=list)
    value: Tensor = field(default_factory=lambda: torch.zeros(()))
    exact: bool = True
    gradients_exact: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value so far."""
        return tuple(self.value.shape)

    def data(self) -> list[Tensor]:
        """The arguments."""
        return [tensor(*given) for given in self.inputs]

    def argument(self, *shape: int, low: int = -2, high: int = 2) -> int:
        """A new argument of floats; its number."""
        made = Inputs(self.choices.below(10_000), low, high)
        self.inputs.append((made, shape, self.dtype))
        return len(self.inputs) - 1

    def indices(self, *shape: int, below: int, negative: bool = False) -> int:
        """A new argument of indices below a size; its number."""
        low = -below if negative else 0
        self.inputs.append((Inputs(self.choices.below(10_000), low, below - 1), shape, torch.int64))
        return len(self.inputs) - 1

    def apply(self, name: str, step: Step, *, rounds: bool = False, jagged: bool = False) -> bool:
        """Take a step unless its result is too large, empty or not to be computed exactly.

        Args:
            name: of the op, for notes.
            step: computes the next value of the arguments and the value so far.
            rounds: whether its result is not exact.
            jagged: whether its gradient is not exact although its result is.
        """
        value = step(self.data(), self.value)
        if not 0 < value.numel() <= MOST_ELEMENTS or value.dim() > 5:
            return False
        if not torch.isfinite(value).all() or value.abs().max() > 2**40:
            return False
        self.value = value
        self.exact &= not rounds
        self.gradients_exact &= not (rounds or jagged)
        self.steps.append(step)
        self.names.append(name)
        return True

    def function(self, *args: Tensor) -> Tensor:
        """The function, of all arguments; a scalar."""
        value = args[0]
        for step in self.steps:
            value = step(args, value)
        return value

    def values(self, *args: Tensor) -> tuple[Tensor, Tensor]:
        """What the last step is given, and the scalar."""
        value = args[0]
        for step in self.steps[:-1]:
            value = step(args, value)
        return value, self.steps[-1](args, value) if self.steps else value


def tensor(made: Inputs, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """The data of an argument."""
    if not dtype.is_floating_point:
        return torch.from_numpy(made.array(shape, "i64"))
    return torch.from_numpy(made.array(shape, "f64")).to(dtype)


def net(choices: Choices) -> Net:
    """A function of a few steps that ends in a loss."""
    from fuzzing.layers import LAYERS, LOSSES, embedding

    made = Net(choices, torch.float32 if choices.chance(30) else torch.float64)
    length = choices.between(1, 6)
    if choices.chance(15):
        embedding(made)
    else:
        rank = choices.pick((2, 3, 4, 2, 3, 1))
        shape = [choices.between(1, 7) for _ in range(rank)]
        while prod(shape) > MOST_ELEMENTS // 2:
            shape[shape.index(max(shape))] = 2
        made.argument(*shape, low=-3, high=3)
        made.value = made.data()[0]
    for _ in range(3 * length):
        if len(made.steps) >= length or not made.shape:
            break
        _try(choices.pick(LAYERS), made)
    if made.shape:
        _try(choices.pick(LOSSES), made)
    if made.shape:
        _weighted(made)
    if not (made.exact and made.gradients_exact and _fits_f32(made)):
        made.dtype = torch.float64
        made.inputs = [(i, s, d if d is torch.int64 else torch.float64) for i, s, d in made.inputs]
    return made


def _try(layer: Callable[[Net], object], made: Net) -> None:
    """Add a layer, or leave the net as it was where the layer does not fit."""
    before = len(made.inputs), len(made.steps)
    try:
        layer(made)
    except (RuntimeError, ValueError, IndexError):
        pass  # not for this shape
    if len(made.steps) == before[1]:
        del made.inputs[before[0] :]


def _weighted(made: Net) -> None:
    """A scalar in which every element counts differently."""
    w = made.argument(*made.shape)
    made.apply("weighted_sum", lambda a, x: (x * a[w]).sum())


def _fits_f32(made: Net) -> bool:
    """Whether no number of the forward or backward pass comes near what f32 rounds."""
    value = float(made.value.abs())
    args = [a.requires_grad_() if a.is_floating_point() else a for a in made.data()]
    made.function(*args).backward()  # type: ignore[no-untyped-call]
    largest = max(
        (float(a.grad.abs().max()) for a in args if a.grad is not None and a.numel()), default=0.0
    )
    return max(value, largest) < _F32_LARGEST
