"""Make the packages of tools/ importable, after everything else: some share names with tests'."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
