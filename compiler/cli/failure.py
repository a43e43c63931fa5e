"""The one place where errors meet the user: message, help line, exit code.

Every `DistcError` prints as `error[E-…]: what, at file:line:col` and `help:` and exits with the
code of its class. Anything else is a defect of distc: a reproducer folder is written, its path
printed, and the exit code is 70. A traceback never reaches the terminal.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

import click

from distc.compiler.reproducer import current_recorder
from distc.runtime.errors import DistcError, ExitCode, InternalError, MissingFile, UsageError

_UNUSABLE = frozenset(
    {
        errno.EACCES,
        errno.EEXIST,
        errno.EINVAL,
        errno.EIO,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOTDIR,
        errno.ENOTEMPTY,
        errno.EPERM,
        errno.EROFS,
    }
)
_FULL = frozenset({errno.EDQUOT, errno.EFBIG, errno.ENOSPC})


def guard(call: Callable[[], object]) -> int:
    """Call, print what it raises, and return the exit code."""
    try:
        result = call()
    except KeyboardInterrupt:
        return _interrupted()
    except click.Abort:
        return _interrupted()
    except click.exceptions.Exit as request:
        return request.exit_code
    except click.ClickException as error:
        return _print(_from_click(error))
    except BrokenPipeError:
        return reader_has_left()
    except InternalError as error:
        return _print(_with_reproducer(error, error))
    except DistcError as error:
        return _print(error)
    except OSError as error:
        return _print(_from_os(error))
    except BaseException as error:  # also what a user's model may raise
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            return ExitCode.OK  # rich exits where its reader has left
        internal = InternalError(
            f"{type(error).__name__}: {_first_line(error)}", help="this is a defect of distc"
        )
        return _print(_with_reproducer(internal, error))
    return result if isinstance(result, int) else ExitCode.OK


def reader_has_left() -> int:
    """End well: who reads our output (`distc inspect | head`) has what it wanted."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.OK


def _interrupted() -> int:
    print("interrupted; nothing was written", file=sys.stderr)
    return ExitCode.INTERRUPTED


def _print(error: DistcError) -> int:
    print(error, file=sys.stderr, flush=True)
    return error.exit_code


def _from_click(error: click.ClickException) -> DistcError:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "distc"
    message = error.format_message().rstrip(".").replace("\n", " ")
    return UsageError(message[:1].lower() + message[1:], help=f"see `{command} --help`")


def _from_os(error: OSError) -> DistcError:
    path = error.filename if error.filename is not None else "a file"
    reason = error.strerror or _first_line(error)
    if error.errno == errno.ENOENT:
        return MissingFile(f"no such file: {path}", help="check the path")
    if error.errno in _UNUSABLE:
        return UsageError(f"{path}: {reason}", help="name a path that you may use", code="E-FILE")
    if error.errno in _FULL:
        return UsageError(f"{path}: {reason}", help="make room or name another path", code="E-FILE")
    internal = InternalError(f"{path}: {reason}", help="this is a defect of distc")
    return _with_reproducer(internal, error)


def _with_reproducer(shown: DistcError, cause: BaseException) -> DistcError:
    recorder = current_recorder()
    folder = recorder.write(cause)
    if recorder.stage:
        shown.message = f"{shown.message} (in {recorder.stage})"
    what = f"the input, options and traceback are in {folder}; report it with that folder"
    shown.help = what if folder is not None else f"{shown.help}; no reproducer could be written"
    return shown


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else "no message"
