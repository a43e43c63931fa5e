"""`not COMMAND`: succeeds where the command fails with an exit code of its own, not by a signal."""

import subprocess
import sys

code = subprocess.run(sys.argv[1:], check=False).returncode
sys.exit(0 if 0 < code < 128 else 1)
