#!/bin/sh
# Make $VENV with $PYTHON and install distc with the versions of constraints.txt.
set -eu

if [ -z "$PYTHON" ]; then
    found=$(python3 -c 'import platform; print(platform.python_version())' 2>/dev/null || echo none)
    echo "error: distc needs Python 3.11, found $found" >&2
    echo "help: install Python 3.11, or name it: make setup PYTHON=/path/to/python3.11" >&2
    exit 1
fi

version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo "not an interpreter")
if [ "$version" != 3.11 ]; then
    echo "error: distc needs Python 3.11, $PYTHON is $version" >&2
    echo "help: install Python 3.11, or name it: make setup PYTHON=/path/to/python3.11" >&2
    exit 1
fi

# A folder that was moved or made by another interpreter cannot be repaired: start again.
if ! "$VENV/bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null ||
    ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$VENV"
    "$PYTHON" -m venv "$VENV"
fi

echo "installing distc and its tools into $VENV (a few minutes the first time)"
"$VENV/bin/python" -m pip install --quiet -c constraints.txt -e '.[dev]'
