"""The layers go one way, and the heavy packages stay where they belong (docs/architecture.md)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("dialect", "solver", "transforms", "compiler", "runtime")

# What each layer may import of distc, besides itself.
_GROUND = ("errors", "program", "layout", "artifact", "narrow_types")
GROUND = {f"distc.runtime.{m}" for m in _GROUND}
BELOW = {
    "dialect": set(),
    "solver": {"dialect"},
    "transforms": {"dialect", "solver"},
    "compiler": {"dialect", "solver", "transforms", "runtime"},
    "runtime": set(),
}
# The search for rules executes operators, so it alone reaches up to lowering and the runtime.
DISCOVERY = "solver/discovery"
LOWERING = "distc.transforms.lower"

# doctor reports on the installation, so it looks at torch itself, inside a function.
TORCH_HOMES = (
    "compiler/frontend/",
    "compiler/cli/doctor_command.py",
    "compiler/custom_op.py",
    "runtime/",
    DISCOVERY,
)
MLIR_HOMES = ("dialect/", "solver/", "transforms/", "compiler/")
GROUND_FILES = {f"runtime/{m}.py" for m in _GROUND}


def sources():
    files = [p for f in FOLDERS for p in sorted((ROOT / f).rglob("*.py"))]
    return [p.relative_to(ROOT).as_posix() for p in files if "__pycache__" not in p.parts]


def for_types_only(node):
    """True for `if TYPE_CHECKING:`, whose imports never happen."""
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def imports(path, with_types=True):
    """(module, line) of every import in a file, those inside functions too."""
    found = []
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    hidden = set()
    if not with_types:
        blocks = [n for n in ast.walk(tree) if for_types_only(n)]
        hidden = {id(n) for b in blocks for statement in b.body for n in ast.walk(statement)}
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            found += [(a.name, node.lineno) for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.append((node.module, node.lineno))
            if node.module in ("distc", "distc.runtime"):
                found += [(f"{node.module}.{a.name}", node.lineno) for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.append(("." * node.level, node.lineno))
    return found


def breach(path, module):
    """Why a file may not import a module, None where it may."""
    layer = path.split("/")[0]
    if module.startswith("."):
        return "imports are absolute: from distc.x import y"
    if module.split(".")[0] in FOLDERS:
        return f"import distc.{module}: a top-level import makes a second copy"
    if not module.startswith("distc."):
        return None
    target = module.split(".")[1]
    if target in ("__version__", "__main__") or target not in FOLDERS or target == layer:
        return None
    if target in BELOW[layer] or module in GROUND:
        return None
    if module == "distc.runtime" and layer != "runtime":
        return None  # the names imported from it are checked one by one
    if path.startswith(DISCOVERY) and (target == "runtime" or module == LOWERING):
        return None
    return f"{layer} may not import {target}"


def test_there_is_something_to_check():
    assert len(sources()) > 20
    assert {p.split("/")[0] for p in sources()} == set(FOLDERS)


def test_layers_go_one_way():
    breaches = [
        f"{path}:{line}: {module}: {reason}"
        for path in sources()
        for module, line in imports(path)
        if (reason := breach(path, module)) is not None
    ]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize(
    ("package", "homes"),
    [
        ("torch", TORCH_HOMES),
        ("transformers", ("compiler/frontend/",)),
        ("torch_mlir", MLIR_HOMES),
        ("z3", ("solver/",)),
    ],
)
def test_heavy_packages_have_their_homes(package, homes):
    strays = [
        f"{path}:{line}"
        for path in sources()
        for module, line in imports(path, with_types=False)
        if module.split(".")[0] == package and not path.startswith(homes)
    ]
    assert not strays, f"{package} is imported in {strays}"


def test_the_ground_needs_only_the_standard_library():
    waiting, checked, strays = list(GROUND_FILES), set(), []
    while waiting:
        path = waiting.pop()
        if path in checked:
            continue
        checked.add(path)
        for module, line in imports(path):
            below = module.removeprefix("distc.").replace(".", "/") + ".py"
            if module.startswith("distc.runtime.") and (ROOT / below).is_file():
                waiting.append(below)
            elif module.split(".")[0] not in {*sys.stdlib_module_names, "distc"}:
                strays.append(f"{path}:{line}: {module}")
    assert not strays, strays


def test_no_module_is_called_utils():
    assert not [p for p in sources() if Path(p).stem in ("utils", "util", "helpers", "misc")]


def test_a_breach_is_found():
    assert breach("dialect/mesh.py", "distc.solver.cost")
    assert breach("transforms/partition.py", "distc.runtime.kernels")
    assert breach("runtime/load.py", "distc.dialect.mesh")
    assert breach("solver/plan.py", "distc.transforms.base")
    assert breach("compiler/cli.py", "dialect.mesh")
    assert breach("compiler/cli.py", ".")
    assert breach("transforms/partition.py", "distc.runtime.layout") is None


LIGHT = {
    "distc-opt --help": "from distc.compiler.opt import run; assert run(['--help'])[0] == 0",
    "distc-opt --list-passes": (
        "from distc.compiler.opt import run; code, out, err = run(['--list-passes']);"
        " assert code == 0, err"
    ),
    "distc-opt on a module": (
        "from distc.compiler.opt import run; code, out, err = run(['--mesh', 'x=2', '--cse',"
        " '--verify-shardings'], 'module {}'); assert code == 0 and 'dist.mesh' in out, err"
    ),
}


@pytest.mark.parametrize("what", LIGHT)
def test_starts_without_torch(what):
    script = f"{LIGHT[what]}\nimport sys\nprint([m for m in ('torch', 'z3') if m in sys.modules])"
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]", f"{what} imports {done.stdout.strip()}"
