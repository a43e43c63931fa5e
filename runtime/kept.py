"""Names of what a training program keeps beside parameters and the state of optimizers.

An `@` stands in no name that PyTorch gives by itself, so these meet no parameter.
"""

from __future__ import annotations

MASTER = "master"
"""Slot of a parameter's value in the model's own type, where a step computes in a narrower one."""

LOSS_SCALE = "scaler@scale"
"""The scale of a dynamic loss scale, f32."""

GOOD_STEPS = "scaler@good_steps"
"""Finite steps since that scale changed, i64."""

SEED = "dropout@seed"
"""What masks of dropout are drawn from, i64."""

DRAWS = "dropout@draws"
"""Forward passes that have drawn masks, i64."""

TAKEN_STEPS = "scaler@taken_steps"
"""Steps that were not skipped, i64; the optimizer's t is one more."""
