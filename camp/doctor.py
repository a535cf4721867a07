"""doctor: looks at what Camp needs on this machine and names the one command that helps."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from camp import cutlass, nvidia_tools, toolchain
from camp.configure import configured
from camp.errors import CampError
from camp.simulator.symbolize import find_symbolizer
from camp.workspace import BACKENDS, Workspace

OK, WARN, MISSING = "ok", "warn", "missing"

_REINSTALL = "pip install -e ."
_MIN_FREE_BYTES = 500_000_000  # both backends' builds and the state, with room


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `status` is ok, warn (Camp works without it) or missing; `fix` is a
    command or an edit, None when nothing is to be done."""

    name: str
    status: str
    detail: str
    fix: str | None = None


def diagnose(root: Path | None) -> list[Finding]:
    """All findings, most needed first. `root` is the clone, or None outside of one.

    Never raises for what it finds: a problem is a finding.
    """
    checks: dict[str, Callable[[], Finding]] = {
        "python": _python,
        "compiler": _compiler,
        "cmake": _cmake,
        "ninja": _ninja,
        "camp._native": _native,
        "addr2line": _symbols,
        "gpu": _gpu,
        "nvcc": _nvcc,
        "cutlass": _cutlass,
        nvidia_tools.SANITIZER: partial(_gpu_tool, nvidia_tools.SANITIZER, "camp check --sanitize"),
        nvidia_tools.PROFILER: partial(_gpu_tool, nvidia_tools.PROFILER, "camp profile"),
    }
    if root is not None:
        workspace = Workspace(root)
        for backend in BACKENDS:
            checks[f"build ({backend})"] = partial(_build_folder, workspace, backend)
        checks["progress"] = partial(_state, workspace)
        checks["disk"] = partial(_disk, workspace)
    findings = [_careful(name, check) for name, check in checks.items()]
    if root is None:
        fix = "cd into your clone of Camp"
        findings.append(Finding("clone", MISSING, "not inside a clone of Camp", fix))
    return findings


def _careful(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except CampError as error:
        return Finding(name, MISSING, error.message, (error.hint or "").replace("`", "") or None)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(name, MISSING, str(error))


def _python() -> Finding:
    detail = f"{platform.python_version()} at {sys.executable}"
    if sys.prefix == sys.base_prefix:
        fix = "python3 -m venv .venv && . .venv/bin/activate"
        return Finding("python", WARN, f"{detail}, not in a virtual environment", fix)
    return Finding("python", OK, detail)


def _version_line(program: Path) -> str:
    try:
        result = subprocess.run(
            [str(program), "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return "does not run"
    lines = result.stdout.strip().splitlines()
    return lines[0] if lines else "does not run"


def _compiler() -> Finding:
    compiler = toolchain.require_cxx()
    return Finding("compiler", OK, f"{_version_line(compiler)} at {compiler}")


def _cmake() -> Finding:
    program = toolchain.require_cmake()
    return Finding("cmake", OK, f"{_version_line(program)} at {program}")


def _ninja() -> Finding:
    program = toolchain.require_ninja()
    return Finding("ninja", OK, f"{_version_line(program)} at {program}")


def _native() -> Finding:
    """In another process: a broken extension must not take the doctor with it."""
    code = "import camp._native as m; print(m.__file__)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    if result.returncode == 0:
        return Finding("camp._native", OK, result.stdout.strip())
    lines = result.stderr.strip().splitlines()
    why = lines[-1] if lines else f"ended with status {result.returncode}"
    return Finding("camp._native", MISSING, f"does not import: {why}", _REINSTALL)


def _symbols() -> Finding:
    command = find_symbolizer()
    if command is None:
        detail = "no addr2line: faults are found, but without their line"
        return Finding("addr2line", WARN, detail, "sudo apt install binutils")
    return Finding("addr2line", OK, command[0])


def _gpu() -> Finding:
    driver = toolchain.find_driver()
    if driver is None or not driver.gpus:
        why = "no NVIDIA driver" if driver is None else "no NVIDIA GPU"
        return Finding("gpu", WARN, f"{why}: kernels run on the simulator")
    names = ", ".join(f"{name} (sm_{cc[0]}{cc[1]})" for name, cc in driver.gpus)
    return Finding("gpu", OK, f"{names}; driver runs CUDA {driver.cuda[0]}.{driver.cuda[1]}")


def _nvcc() -> Finding:
    driver, nvcc = toolchain.find_driver(), toolchain.find_nvcc()
    if nvcc is None:
        fix = "pip install -e '.[cuda]'" if driver and driver.gpus else None
        detail = "not found: only the simulator can be built, and checks do not name spills"
        return Finding("nvcc", WARN, detail, fix)
    refusal = toolchain.mismatch(nvcc, driver)
    if refusal:
        return Finding("nvcc", WARN, refusal)
    version = f"CUDA {nvcc.version[0]}.{nvcc.version[1]}"
    return Finding("nvcc", OK, f"{version} at {nvcc.path} (from {nvcc.origin})")


def _cutlass() -> Finding:
    if cutlass.mode() == "OFF":
        return Finding("cutlass", OK, "CuTe is switched off (CAMP_ENABLE_CUTE)")
    found = cutlass.find_cutlass()
    if found is not None:
        return Finding("cutlass", OK, f"{found.include} (from {found.origin})")
    detail = "not here: fetched when a kernel first includes <cute/...>"
    fix = f"pip install --no-deps nvidia-cutlass=={cutlass.VERSION}"
    return Finding("cutlass", WARN, detail, fix)


def _gpu_tool(name: str, command: str) -> Finding:
    """A tool of NVIDIA's. Nothing is to be done where there is no GPU to use it on."""
    found = nvidia_tools.find_tool(name)
    if found is not None:
        return Finding(name, OK, f"{found} (for {command})")
    driver = toolchain.find_driver()
    fix = nvidia_tools.install_hint(name) if driver and driver.gpus else None
    return Finding(name, WARN, f"not found: `{command}` needs it", fix)


def _build_folder(workspace: Workspace, backend: str) -> Finding:
    name, folder = f"build ({backend})", workspace.build_dir(backend)
    if not folder.exists():
        status, detail = _writable(folder.parent)
        fix = None if status == OK else "set BUILD_DIR to a folder you can write"
        return Finding(name, status, detail or f"{folder}: nothing built yet", fix)
    status, detail = _writable(folder)
    if status != OK:
        return Finding(name, status, detail, "set BUILD_DIR to a folder you can write")
    libraries = sorted(path.name for path in folder.glob("libcamp_*.so"))
    stamp = configured(folder)
    if libraries and not stamp:
        fix = f"camp configure --backend {backend}"
        return Finding(name, WARN, f"{folder}: damaged or from another version", fix)
    if stamp and stamp.get("backend") != backend:
        fix = "unset BUILD_DIR, or give each backend its own"
        return Finding(name, WARN, f"{folder}: configured for {stamp.get('backend')}", fix)
    return Finding(name, OK, f"{folder}: {len(libraries)} libraries")


def _state(workspace: Workspace) -> Finding:
    folder = workspace.state_dir
    status, detail = _writable(folder if folder.exists() else folder.parent)
    fix = None if status == OK else f"make {folder} writable: progress is kept there"
    return Finding("progress", status, detail or str(folder), fix)


def _writable(folder: Path) -> tuple[str, str]:
    """A status, and what is wrong; tries it, since permission bits do not tell all."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    probe = folder / f".camp-probe-{os.getpid()}"
    try:
        probe.write_bytes(b"x")
    except OSError as error:
        return MISSING, f"{folder} cannot be written: {error.strerror}"
    finally:
        probe.unlink(missing_ok=True) if folder.is_dir() else None
    return OK, ""


def _disk(workspace: Workspace) -> Finding:
    free = shutil.disk_usage(workspace.root).free
    detail = f"{free / 1e9:.1f} GB free at {workspace.root}"
    if free < _MIN_FREE_BYTES:
        fix = f"free some space: a build takes up to {_MIN_FREE_BYTES / 1e9:.1f} GB"
        return Finding("disk", WARN, detail, fix)
    return Finding("disk", OK, detail)
