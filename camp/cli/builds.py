"""builds: env, configure, build and clean."""

from __future__ import annotations

import json
import os
import sys

from camp.cli.excerpt import shown_path
from camp.cli.options import Backend, Json, OptionalOperators, operators, speak_json
from camp.cli.terminal import err, out
from camp.workspace import Workspace

# Variable, default in words, what it does: the order of the README.
VARIABLES = (
    ("CAMP_BACKEND", "auto", "where kernels run: sim, nvidia or auto"),
    ("CMAKE_CUDA_ARCHITECTURES", "native", "GPU architectures to compile for, such as 89 or 80;90"),
    ("CAMP_FORCE_RECONFIGURE", "0", "1: start from an empty build directory"),
    ("CAMP_CHECK_NVCC", "1", "0: on sim, do not ask an nvcc that is here as well"),
    ("CAMP_ENABLE_CUTE", "AUTO", "CuTe headers: AUTO, ON or OFF"),
    ("CAMP_CUTLASS_ROOT", "", "a CUTLASS folder to use in place of the package's"),
    ("BUILD_DIR", "build-<backend>", "where to build"),
    ("CAMP_BUILD_DIR", "BUILD_DIR", "where Python finds the libraries"),
)


def env(backend: Backend = None, as_json: Json = False) -> int:
    """Show the build's settings."""
    speak_json(as_json)
    workspace = Workspace.find()
    chosen = workspace.backend(backend)
    found = {
        "root": str(workspace.root),
        "backend": chosen,
        "build_dir": str(workspace.build_dir(chosen)),
        "library_dir": str(workspace.library_dir(chosen)),
        "python": sys.executable,
        **_tools(chosen),
    }
    if as_json:
        found["variables"] = {name: os.environ.get(name) for name, _, _ in VARIABLES}
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        return 0
    terminal = out()
    width = max(len(name) for name, _, _ in VARIABLES)
    for name, value in found.items():
        shown = "not found" if value is None else str(value)
        terminal.say(shown, "bold", label=f"{name.replace('_', ' '):<{width}}  ")
    terminal.raw()
    for name, default, meaning in VARIABLES:
        value = os.environ.get(name)
        state = value if value is not None else f"(not set: {default or 'none'})"
        terminal.say(f"{state}  {meaning}", "bold", label=f"{name:<{width}}  ")
    return 0


def _tools(backend: str) -> dict[str, object]:
    from camp import toolchain

    found: dict[str, object] = {"compiler": _text(toolchain.find_cxx())}
    found |= {"cmake": _text(toolchain.find_cmake()), "ninja": _text(toolchain.find_ninja())}
    if backend == "nvidia":
        nvcc = toolchain.find_nvcc()
        found["nvcc"] = str(nvcc.path) if nvcc else None
        found["architectures"] = toolchain.cuda_architectures()
    return found


def _text(path: object) -> str | None:
    return None if path is None else str(path)


def configure(backend: Backend = None) -> int:
    """Configure the build only."""
    from camp.build import configure as run
    from camp.cli.bars import Bar
    from camp.cli.building import BuildWatcher

    workspace = Workspace.find()
    chosen = workspace.backend(backend)
    with Bar(f"{chosen}:") as bar:
        folder = run(workspace, chosen, BuildWatcher(bar, err()))
    out().say(f"configured for {chosen} in {shown_path(folder)}")
    return 0


def build(names: OptionalOperators = None, backend: Backend = None) -> int:
    """Configure and build the operators."""
    workspace = Workspace.find()
    chosen = workspace.backend(backend)
    ops = operators(workspace, names) if names and "all" not in names else None
    return build_and_show(workspace, chosen, ops)


def build_and_show(workspace: Workspace, backend: str, ops: list[str] | None) -> int:
    """Builds the operators named, or everything and libcamp_ops.so; the exit code."""
    from camp.build import build_all, build_operators
    from camp.cli.bars import Bar
    from camp.cli.building import BuildWatcher, show_built

    with Bar(f"{backend}:") as bar:
        watcher = BuildWatcher(bar, err())
        if ops is None:
            results = build_all(workspace, backend, watcher)
        else:
            results = build_operators(workspace, backend, ops, watcher)
    code = show_built(results, out())
    out().say(shown_path(workspace.build_dir(backend)), label="in: ")
    return code


def clean(backend: Backend = None) -> int:
    """Remove the build directory."""
    from camp.build import clean as run

    workspace = Workspace.find()
    folder = run(workspace, workspace.backend(backend))
    out().say(f"{shown_path(folder)} is removed; your kernels and progress are untouched")
    return 0
