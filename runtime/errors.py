"""The one error tree of distc and the exit code of each kind of error.

Standard library only: every layer, and a rank that has neither MLIR nor Z3, raises these.
A message says what is wrong with both values, `where` says which op and source line, `help`
says what to do next. The CLI prints them as

    error[E-NAME]: message, at file:line:col
    help: what to do
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """Exit codes of every distc command (after sysexits where one fits)."""

    OK = 0
    COMPARISON = 1
    USAGE = 2
    INFEASIBLE = 3
    BAD_INPUT = 65
    NO_FILE = 66
    UNAVAILABLE = 69
    INTERNAL = 70
    PEER_LOST = 75
    CONFIG = 78
    BUDGET = 124
    INTERRUPTED = 130


class DistcError(Exception):
    """What went wrong, where, and what to do.

    Attributes:
        code: stable name such as `E-SHARDING`, one per class unless given.
        where: `op at file:line:col`, or None where no source line is involved.
        help: the next step, in the imperative.
    """

    default_code: ClassVar[str] = "E-INTERNAL"
    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(
        self,
        message: str,
        *,
        help: str,
        where: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.help = help
        self.where = where
        self.code = code or self.default_code

    def __str__(self) -> str:
        place = f", at {self.where}" if self.where else ""
        return f"error[{self.code}]: {self.message}{place}\nhelp: {self.help}"


class UsageError(DistcError):
    """A command line or API argument that cannot be taken."""

    default_code = "E-USAGE"
    exit_code = ExitCode.USAGE


class InputError(DistcError):
    """A model, module, constraint or tensor that is not what it must be."""

    default_code = "E-INPUT"
    exit_code = ExitCode.BAD_INPUT


class UnsupportedOp(InputError):
    """An operator that this version cannot export, partition or lower."""

    default_code = "E-UNSUPPORTED"


class IllegalSharding(InputError):
    """A sharding that does not fit its value or its mesh."""

    default_code = "E-SHARDING"


class ArtifactError(InputError):
    """A damaged, foreign or incompatible artifact."""

    default_code = "E-ARTIFACT"


class MissingFile(DistcError):
    """A path that does not exist."""

    default_code = "E-FILE"
    exit_code = ExitCode.NO_FILE


class Unavailable(DistcError):
    """A backend, solver or optional package that is not there."""

    default_code = "E-UNAVAILABLE"
    exit_code = ExitCode.UNAVAILABLE


class ConfigError(DistcError):
    """A constraint, hardware or environment setting that is malformed."""

    default_code = "E-CONFIG"
    exit_code = ExitCode.CONFIG


class PeerLost(DistcError):
    """Another rank died, hung or disagrees."""

    default_code = "E-PEER"
    exit_code = ExitCode.PEER_LOST


class Infeasible(DistcError):
    """No legal plan satisfies the constraints."""

    default_code = "E-INFEASIBLE"
    exit_code = ExitCode.INFEASIBLE


class BudgetSpent(DistcError):
    """A search ended before it found a legal plan; there may be one."""

    default_code = "E-BUDGET"
    exit_code = ExitCode.BUDGET


class ComparisonFailed(DistcError):
    """Two results that must be equal are not."""

    default_code = "E-COMPARE"
    exit_code = ExitCode.COMPARISON


class InternalError(DistcError):
    """A broken invariant of distc itself."""
