"""Print `N passed, N failed[, N skipped]` for the pytest and lit reports of one run.

Arguments: the folder of the reports, the exit status of `make test`, how many of the checks
(ruff, format, mypy) failed. A suite without a report counts as one failure.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

SUITES = ("pytest.xml", "lit.xml")


def count(report: Path) -> tuple[int, int, int]:
    """Return (passed, failed, skipped) of one xunit file."""
    try:
        root = ElementTree.parse(report).getroot()
    except (OSError, ElementTree.ParseError):
        print(f"{report.name}: no report, the suite did not run to its end")
        return 0, 1, 0
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed += 1
        elif "skipped" in kinds:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def main(argv: list[str]) -> int:
    """Print the line; return 1 when anything failed."""
    folder, status, checks = Path(argv[0]), int(argv[1]), int(argv[2])
    counts = [count(folder / name) for name in SUITES]
    passed, failed, skipped = (sum(column) for column in zip(*counts, strict=True))
    failed += checks
    if status and not failed:
        failed = 1
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
