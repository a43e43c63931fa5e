"""The `distc` command. One sub-command per file, each loaded when it is called.

Nothing here imports torch or MLIR before a command needs it: `distc --help` and
`distc inspect` start in a tenth of a second.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

import distc
from distc.compiler.cli.failure import guard, reader_has_left
from distc.runtime.errors import UsageError

COMMANDS = {
    "compile": "Distribute a model over a mesh and write an artifact.",
    "diff": "Show what differs between two plans.",
    "doctor": "Check what this machine can compile and run.",
    "explain": "Say why a plan is what it is, and what another choice would cost.",
    "inspect": "Show what an artifact holds: mesh, shardings, bytes, collectives.",
    "plan": "Compare the states of a training step: what is sharded, memory, time.",
    "report": "Write a plan as one HTML page: costs, memory, communication, IR.",
    "rules": "Find how an op may be distributed by executing it.",
    "run": "Run an artifact on several ranks.",
    "train": "Train a model that was compiled with --train.",
}


class LazyGroup(click.Group):
    """A group whose commands live in `distc.compiler.cli.<name>_command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"distc.compiler.cli.{cmd_name}_command")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; click would end the process itself where the reader has left."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return reader_has_left()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=False,
    epilog="Exit codes: 0 ok, 1 comparison failed, 2 usage, 3 infeasible, 65 bad input or "
    "artifact, 66 no such file, 69 backend unavailable, 70 internal, 75 peer lost, "
    "78 bad configuration, 124 budget spent, 130 interrupted.",
)
@click.version_option(distc.__version__, prog_name="distc")
def app() -> None:
    """Compile PyTorch models for a cluster, and run what was compiled."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; errors are printed, never raised."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return guard(lambda: _run(arguments))


def _run(arguments: list[str]) -> object:
    if any("\0" in argument for argument in arguments):
        raise UsageError("an argument holds a null character", help="see `distc --help`")
    return app.main(arguments, prog_name="distc", standalone_mode=False)
