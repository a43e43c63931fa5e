"""A lit format that runs `distc-opt … | FileCheck …` without starting an interpreter per command.

A worker imports distc once. Each test then runs in a fork of it, so that a crash of the compiler
is one failed test and nothing leaks from test to test. Commands other than distc-opt, FileCheck
and `not` go to lit's own shell.
"""

import contextlib
import io
import os
import shlex
import signal
import sys
import tempfile
import traceback

import lit.formats
import lit.Test
import lit.TestRunner

LIMIT_SECONDS = 60


class InProcessTest(lit.formats.ShTest):
    """Runs what it can in process, the rest as ShTest does."""

    def execute(self, test, lit_config):
        lines = run_lines(test.getSourcePath())
        pipelines = [parse_line(line, test) for line in lines]
        if not pipelines or any(p is None for p in pipelines):
            return super().execute(test, lit_config)
        parsed = lit.TestRunner.parseIntegratedTestScript(test)
        if isinstance(parsed, lit.Test.Result):
            return parsed
        import filecheck.matcher  # noqa: F401

        import distc.compiler.opt
        import distc.dialect.context
        import distc.transforms.verify_shardings  # noqa: F401

        code, log = forked(lambda: run_all(pipelines, lines))
        if test.isExpectedToFail():
            return lit.Test.Result(lit.Test.XPASS if code == 0 else lit.Test.XFAIL, log)
        return lit.Test.Result(lit.Test.PASS if code == 0 else lit.Test.FAIL, log)


def run_lines(path):
    """Return the RUN lines, continued lines joined."""
    lines, open_line = [], ""
    with open(path, encoding="utf-8") as source:
        for line in source:
            _, found, command = line.partition("RUN:")
            if not found:
                continue
            command = command.strip()
            if command.endswith("\\"):
                open_line += command[:-1] + " "
                continue
            lines.append(open_line + command)
            open_line = ""
    return lines


def parse_line(line, test):
    """Return the stages of a pipeline, each (negated, words, joins stderr); None for the shell."""
    path = test.getSourcePath()
    stem = os.path.join(test.suite.config.test_exec_root, *test.path_in_suite) + ".tmp"
    if any(c in line.replace("2>&1", "") for c in "><&;`$(") and "--pass-pipeline" not in line:
        return None
    try:
        words = shlex.split(line.replace("2>&1", " 2>&1 "))
    except ValueError:
        return None
    replacements = {"%s": path, "%t": stem, "%S": os.path.dirname(path)}
    stages, current = [], []
    for word in [*words, "|"]:
        if word == "|":
            stages.append(current)
            current = []
            continue
        for key, value in replacements.items():
            word = word.replace(key, value)
        current.append(word)
    result = []
    for stage in stages:
        negated = stage[:1] == ["not"]
        stage = stage[1:] if negated else stage
        joins = "2>&1" in stage
        stage = [w for w in stage if w != "2>&1"]
        if not stage or stage[0] not in ("distc-opt", "FileCheck"):
            return None
        if any(w in ("<", ">", ">>", "2>", "&&", ";") for w in stage):
            return None
        result.append((negated, stage, joins))
    return result


def run_all(pipelines, lines):
    """Run the pipelines one after another; return (exit code, log of the first that fails)."""
    for line, stages in zip(lines, pipelines, strict=True):
        text, log, failed = "", f"RUN: {line}\n", False
        for negated, words, joins in stages:
            code, out, err = run_stage(words, text)
            text = out + err if joins else out
            if not joins and err:
                log += err
            if (code == 0) == negated or code >= 128:
                failed = True
                log += f"{words[0]} exited with {code}\n"
        if failed:
            return 1, log + (f"last output:\n{text[-4000:]}\n" if text else "")
    return 0, ""


def run_stage(words, stdin):
    """Run distc-opt or FileCheck in this process; return (code, stdout, stderr)."""
    if words[0] == "distc-opt":
        from distc.compiler.opt import run

        return run(words[1:], stdin)
    from filecheck.matcher import Matcher
    from filecheck.options import parse_argv_options

    out, err = io.StringIO(), io.StringIO()
    old = sys.stdin
    sys.stdin = io.StringIO(stdin)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            options = parse_argv_options(list(words))
            code = Matcher.from_opts(options).run()
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.stdin = old
    return code, out.getvalue(), err.getvalue() + out.getvalue() if code else err.getvalue()


def forked(work):
    """Run `work() -> (code, log)` in a fork with a time limit; a crash is code 1."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.dup2(log.fileno(), 2)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(LIMIT_SECONDS)
                code, text = work()
                log.write(text)
            except BaseException:
                log.write(traceback.format_exc())
            finally:
                log.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        log.seek(0)
        text = log.read()
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        reason = f"over {LIMIT_SECONDS} s" if number == signal.SIGALRM else f"signal {number}"
        return 1, f"{text}\nthe test ended by {reason}\n"
    return os.WEXITSTATUS(status), text
