"""lit configuration: FileCheck tests of the IR, run inside the lit workers.

Run as `lit -j2 test/lit` from a checkout; DISTC_LIT_SHELL=1 runs every command as a process.
"""

import os
import sys

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
for folder in (here, os.path.join(root, "src")):
    if folder not in sys.path:
        sys.path.insert(0, folder)

from inprocess import InProcessTest

config.name = "distc"
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "inputs"]
config.test_source_root = here
config.test_exec_root = os.path.join(root, "build", "lit")
os.makedirs(config.test_exec_root, exist_ok=True)

if os.environ.get("DISTC_LIT_SHELL") == "1":
    config.test_format = lit.formats.ShTest(execute_external=False)
else:
    config.test_format = InProcessTest()

binaries = os.path.dirname(sys.executable)
source = os.path.join(root, "src")
config.environment["PYTHONPATH"] = source
config.environment["OMP_NUM_THREADS"] = "1"
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(root, "tools"), binaries, os.environ.get("PATH", "")]
)
config.substitutions.append((r"\bdistc\b(?!-)(?=\s)", f"{sys.executable} -m distc"))
config.substitutions.append((r"\bdistc-opt\b", f"{sys.executable} -m distc.compiler.opt"))
config.substitutions.append((r"\bFileCheck\b", f"{os.path.join(binaries, 'filecheck')}"))
config.substitutions.append((r"(?<![\w/-])not\s", f"{sys.executable} {here}/not.py "))
