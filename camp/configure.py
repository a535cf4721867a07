"""configure: writes the ninja files of ops/ for one backend, and only when something changed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from camp import cutlass
from camp.build_process import (
    LOCK_NAME,
    BuildEvent,
    Progress,
    disk_is_full,
    run,
    storage_problem,
)
from camp.diagnostics import cmake_message
from camp.errors import StorageError, ToolchainError, UsageError
from camp.toolchain import (
    cuda_architectures,
    find_ccache,
    require_cmake,
    require_cxx,
    require_ninja,
    require_nvcc,
)
from camp.workspace import Workspace

STAMP_NAME = "camp-configured.json"
MANIFEST_NAME = "variants.cmake"
LOG_NAME = "camp-configure.log"

# Settings that CMake cannot change in a configured folder.
_FIXED = ("root", "backend", "compiler", "cmake", "cuda_compiler", "flags")
_FLAGS = ("CXX", "CXXFLAGS", "CUDAFLAGS", "CUDAHOSTCXX", "LDFLAGS")

_forced: set[Path] = set()  # folders that CAMP_FORCE_RECONFIGURE was already obeyed for


@dataclass(frozen=True)
class Settings:
    """All that a configured folder depends on; the same settings need no second configure."""

    values: Mapping[str, str | bool | list[str]]
    arguments: list[str]
    environment: Mapping[str, str]


def build_environment(
    workspace: Workspace, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Variables for cmake, ninja and the compilers: plain messages, and Camp importable."""
    environment = dict(os.environ)
    for name in ("GCC_COLORS", "CMAKE_GENERATOR", "DESTDIR", "VERBOSE"):
        environment.pop(name, None)
    environment.update(LC_ALL="C", NINJA_STATUS="[%f/%t] ", CLICOLOR_FORCE="0")
    path = os.environ.get("PYTHONPATH", "")
    environment["PYTHONPATH"] = os.pathsep.join([str(workspace.root), *([path] if path else [])])
    environment.update(extra or {})
    return environment


def settings(workspace: Workspace, backend: str, kernels: Sequence[Path] = ()) -> Settings:
    """What to configure with; `kernels` are those of variants. Raises ToolchainError."""
    root = workspace.root
    compiler, cmake, ninja = require_cxx(), require_cmake(), require_ninja()
    values: dict[str, str | bool | list[str]] = {
        "root": str(root),
        "backend": backend,
        "compiler": str(compiler),
        "cmake": str(cmake),
        "ninja": str(ninja),
        "python": sys.executable,
        "flags": [f"{name}={os.environ[name]}" for name in _FLAGS if os.environ.get(name)],
        "sources": _sources(root),
        "strict": os.environ.get("CAMP_WARNINGS_AS_ERRORS", "") not in ("", "0"),
    }
    arguments = [
        f"-DCAMP_BACKEND={backend}",
        f"-DCAMP_PYTHON={sys.executable}",
        f"-DCAMP_WARNINGS_AS_ERRORS={'ON' if values['strict'] else 'OFF'}",
        f"-DCMAKE_MAKE_PROGRAM={ninja}",
    ]
    if not os.environ.get("CXX"):
        arguments.append(f"-DCMAKE_CXX_COMPILER={compiler}")
    if backend == "sim":
        return Settings(values, arguments, build_environment(workspace))
    nvcc = require_nvcc()
    headers = _cutlass_include(root, kernels)
    launcher = find_ccache()
    cuda = {
        "cuda_compiler": str(nvcc.path),
        "architectures": cuda_architectures(),
        "cute": cutlass.mode(),
        "cutlass": headers,
        "launcher": str(launcher or ""),
    }
    values.update(cuda)
    arguments += [
        f"-DCMAKE_CUDA_COMPILER={nvcc.path}",
        f"-DCMAKE_CUDA_ARCHITECTURES={cuda['architectures']}",
        f"-DCAMP_ENABLE_CUTE={cuda['cute']}",
        f"-DCAMP_CUTLASS_INCLUDE={headers}",
        f"-DCMAKE_CUDA_COMPILER_LAUNCHER={cuda['launcher']}",
    ]
    return Settings(values, arguments, build_environment(workspace, nvcc.environment))


def _sources(root: Path) -> list[str]:
    """Files whose coming or going changes the build; their content does not matter here."""
    patterns = ["ops/*/op.toml", "ops/*/nvidia/*.cu", "native/bench/**/*.cu"]
    patterns += ["native/src/*.cc", "native/sim/src/*.[cS]*"]
    found = [str(path.relative_to(root)) for pattern in patterns for path in root.glob(pattern)]
    return sorted(found)


def _cutlass_include(root: Path, kernels: Sequence[Path]) -> str:
    """CuTe headers: fetched when CAMP_ENABLE_CUTE is ON or a kernel includes them."""
    mode = cutlass.mode()
    if mode == "OFF":
        return ""
    if mode == "ON" or cutlass.includes_cute([*root.glob("ops/*/nvidia/*.cu*"), *kernels]):
        return str(cutlass.require_cutlass().include)
    found = cutlass.find_cutlass()
    return str(found.include) if found else ""


def configured(folder: Path) -> Mapping[str, object]:
    """The settings a folder was configured with; empty when it is not, or was changed since."""
    try:
        stamp = json.loads((folder / STAMP_NAME).read_text(encoding="utf-8"))
        values = stamp["settings"]
        intact = isinstance(values, dict) and stamp["files"] == _identity(folder)
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return values if intact else {}


def _identity(folder: Path) -> list[list[int]]:
    """What tells whether somebody else wrote CMake's files."""
    found = [(folder / name).stat() for name in ("CMakeCache.txt", "CMakeFiles/rules.ninja")]
    return [[entry.st_size, entry.st_mtime_ns] for entry in found]


def configure(
    workspace: Workspace,
    backend: str,
    *,
    variants: str = "",
    kernels: Sequence[Path] = (),
    fresh: bool = False,
    progress: Progress | None = None,
) -> Settings:
    """Configures the build folder unless it already is. The caller holds its lock.

    `variants` is the text of the manifest and `kernels` are the kernel files in it; `fresh` starts
    from an empty folder. Raises ToolchainError with CMake's message, or StorageError.
    """
    folder = workspace.build_dir(backend)
    check_ours(workspace, backend)
    wanted = settings(workspace, backend, kernels)
    values = {**wanted.values, "variants": variants}
    old = configured(folder)
    forced = os.environ.get("CAMP_FORCE_RECONFIGURE", "") not in ("", "0") and folder not in _forced
    if old == values and not fresh and not forced:
        return wanted
    if progress:
        progress(BuildEvent("configure", 0, 0, f"Configuring for {backend}"))
    changed = [key for key in _FIXED if old and old.get(key) != values.get(key)]
    try:
        (folder / STAMP_NAME).unlink(missing_ok=True)
        if fresh or forced or changed:
            empty(folder)
        (folder / MANIFEST_NAME).write_text(variants, encoding="utf-8")
        status, output = _cmake(workspace, folder, wanted)
        if status != 0 and (folder / "CMakeCache.txt").exists():
            empty(folder)
            (folder / MANIFEST_NAME).write_text(variants, encoding="utf-8")
            status, output = _cmake(workspace, folder, wanted)
        (folder / LOG_NAME).write_text(output, encoding="utf-8")
        if status != 0 or not (folder / "build.ninja").exists():
            _explain(folder, output, status)
        temporary = folder / f"{STAMP_NAME}.tmp"
        stamp = {"settings": values, "files": _identity(folder)}
        temporary.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        os.replace(temporary, folder / STAMP_NAME)
    except OSError as error:
        raise storage_problem(folder, error) from error
    if forced:
        _forced.add(folder)
    return wanted


def _cmake(workspace: Workspace, folder: Path, wanted: Settings) -> tuple[int, str]:
    command = [str(wanted.values["cmake"]), "-G", "Ninja", "-S", str(workspace.root / "ops")]
    command += ["-B", str(folder), "--no-warn-unused-cli", *wanted.arguments]
    return run(command, cwd=folder, environment=wanted.environment)


def _explain(folder: Path, output: str, status: int) -> None:
    # CMake may end well after a file that it could not write, and give its room back.
    if status == 0 or disk_is_full(folder, output):
        raise StorageError(
            f"the disk is full: cannot write in {folder}",
            hint="free some space; nothing that was built is lost",
        )
    reason = cmake_message(output) or (output.strip().splitlines() or ["no message"])[-1]
    raise ToolchainError(f"cmake cannot configure: {reason}", hint=f"log: {folder / LOG_NAME}")


def check_ours(workspace: Workspace, backend: str) -> None:
    """Refuses a BUILD_DIR that holds other things, so that nothing else is ever removed."""
    folder = workspace.build_dir(backend)
    if folder == workspace.root / f"build-{backend}" or not folder.exists():
        return
    if not folder.is_dir():
        raise StorageError(f"the build folder {folder} is a file")
    others = [path.name for path in folder.iterdir() if path.name != LOCK_NAME]
    if others and not (folder / STAMP_NAME).exists() and not (folder / MANIFEST_NAME).exists():
        raise UsageError(
            f"BUILD_DIR {folder} holds files that are not a build of Camp",
            hint="set BUILD_DIR to a new or empty folder",
        )


def empty(folder: Path) -> None:
    """Removes everything in a build folder but its lock."""
    for path in folder.iterdir():
        if path.name == LOCK_NAME:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
