"""Where a compile spends its time and memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage: wall-clock seconds and the process's peak memory at its end, in MiB."""

    name: str
    seconds: float
    peak_mib: float


@dataclass
class Timings:
    """The stages so far, in order. Stages do not nest."""

    stages: list[StageCost] = field(default_factory=list)

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Measure the body as stage `name`; a stage that raises is kept too."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.stages.append(StageCost(name, time.perf_counter() - start, peak_rss_mib()))

    @property
    def total_seconds(self) -> float:
        """Sum of all stages."""
        return sum(stage.seconds for stage in self.stages)


def peak_rss_mib() -> float:
    """Return the peak resident set of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
