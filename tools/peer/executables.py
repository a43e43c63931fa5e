from pathlib import Path
def check_executable(path: Path) -> str:
    return "later"
