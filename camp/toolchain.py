"""toolchain: the compilers and tools on this machine, found without running a build."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from camp.errors import ToolchainError, UsageError

# Compiled when neither CMAKE_CUDA_ARCHITECTURES nor a driver says more: Turing, Ampere, Hopper.
DEFAULT_ARCHITECTURES = "75;80;90"
# Where NVIDIA's installers put it; not always on PATH.
SYSTEM_NVCC = Path("/usr/local/cuda/bin/nvcc")

_ARCHITECTURE = re.compile(r"(\d{2,3}[af]?(-real|-virtual)?|native|all|all-major|OFF)\Z")
_INSTALL_COMPILER = "install one, e.g. `sudo apt install g++` or `sudo dnf install gcc-c++`"


def _on_path(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None


def _program_of(variable: str) -> Path | None:
    """The program that an environment variable such as CXX names; its flags are ignored."""
    value = os.environ.get(variable, "").strip()
    if not value:
        return None
    try:
        words = shlex.split(value)
    except ValueError:
        words = [value]
    found = _on_path(value) or _on_path(words[0])
    if found is None:
        raise ToolchainError(f"{variable} is '{value}', but there is no such program")
    return found


def find_cxx() -> Path | None:
    """The host C++ compiler: CXX, c++, g++ or clang++. Raises ToolchainError for a wrong CXX."""
    return _program_of("CXX") or _on_path("c++") or _on_path("g++") or _on_path("clang++")


def require_cxx() -> Path:
    """The host C++ compiler, or ToolchainError."""
    compiler = find_cxx()
    if compiler is None:
        raise ToolchainError("no C++ compiler found (g++ or clang++)", hint=_INSTALL_COMPILER)
    return compiler


def find_cc() -> Path | None:
    """The host C compiler: CC, cc, gcc or clang."""
    return _program_of("CC") or _on_path("cc") or _on_path("gcc") or _on_path("clang")


def package_folder(name: str) -> Path | None:
    """The folder of an installed Python package, found without importing it."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    for location in (spec.submodule_search_locations or ()) if spec else ():
        return Path(location)
    return None


def _from_package(name: str) -> Path | None:
    """A program that a Python package brings, in the package or beside the interpreter."""
    folder = package_folder(name)
    candidates = [folder / "data" / "bin" / name] if folder else []
    candidates.append(Path(sys.executable).parent / name)
    return next((path for path in candidates if os.access(path, os.X_OK)), None)


def find_cmake() -> Path | None:
    """CMake: the installed `cmake` package's, else PATH's."""
    return _from_package("cmake") or _on_path("cmake")


def find_ninja() -> Path | None:
    """Ninja: the installed `ninja` package's, else PATH's."""
    return _from_package("ninja") or _on_path("ninja")


def require_cmake() -> Path:
    return _required(find_cmake(), "cmake")


def require_ninja() -> Path:
    return _required(find_ninja(), "ninja")


def _required(program: Path | None, name: str) -> Path:
    if program is None:
        raise ToolchainError(f"{name} is not installed", hint=f"`pip install {name}`")
    return program


def find_ccache() -> Path | None:
    """ccache, where installed: it makes repeated nvcc compiles instant."""
    return _from_package("ccache") or _on_path("ccache")


# ---- the GPU side ----


@dataclass(frozen=True)
class Nvcc:
    """A CUDA compiler. `origin` says how it was found: CUDACXX, CUDA_HOME, PATH, pip
    or system."""

    path: Path
    version: tuple[int, int]
    origin: str

    @property
    def root(self) -> Path:
        return self.path.resolve().parent.parent

    @property
    def environment(self) -> dict[str, str]:
        """Variables to run it with. pip's tree keeps its libraries where nvcc does not look."""
        if self.origin != "pip":
            return {}
        flags = os.environ.get("NVCC_APPEND_FLAGS", "")
        return {"NVCC_APPEND_FLAGS": f"{flags} -L{self.root / 'lib'}".strip()}


def find_nvcc() -> Nvcc | None:
    """CUDACXX, CUDA_HOME, PATH, then the `cuda` extra; None where there is no nvcc that runs."""
    for path, origin in _nvcc_candidates():
        version = _nvcc_version(path)
        if version is not None:
            return Nvcc(path, version, origin)
    return None


def _nvcc_candidates() -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    stated = _program_of("CUDACXX")
    if stated:
        found.append((stated, "CUDACXX"))
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            found.append((Path(os.environ[variable]) / "bin" / "nvcc", "CUDA_HOME"))
    on_path = _on_path("nvcc")
    if on_path:
        found.append((on_path, "PATH"))
    namespace = package_folder("nvidia")
    for folder in sorted(namespace.glob("cu1[3-9]"), reverse=True) if namespace else ():
        found.append((folder / "bin" / "nvcc", "pip"))
    found.append((SYSTEM_NVCC, "system"))
    return [(path, origin) for path, origin in found if os.access(path, os.X_OK)]


@lru_cache(maxsize=8)
def _nvcc_version(path: Path) -> tuple[int, int] | None:
    try:
        result = subprocess.run(
            [str(path), "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"release (\d+)\.(\d+)", result.stdout)
    return (int(match[1]), int(match[2])) if match else None


@dataclass(frozen=True)
class Driver:
    """What NVIDIA's driver says. `cuda` is the newest CUDA it runs; `gpus` name and capability."""

    cuda: tuple[int, int]
    gpus: tuple[tuple[str, tuple[int, int]], ...]


@lru_cache(maxsize=1)
def find_driver() -> Driver | None:
    """The driver, or None where libcuda.so.1 is missing or does not start."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
        version, count = ctypes.c_int(), ctypes.c_int()
        if cuda.cuInit(0) != 0 or cuda.cuDriverGetVersion(ctypes.byref(version)) != 0:
            return None
        cuda.cuDeviceGetCount(ctypes.byref(count))
        gpus = []
        for index in range(count.value):
            name = ctypes.create_string_buffer(128)
            device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
            cuda.cuDeviceGet(ctypes.byref(device), index)
            cuda.cuDeviceGetName(name, len(name), device)
            cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, device)  # capability, major
            cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)  # capability, minor
            gpus.append((name.value.decode("utf-8", "replace"), (major.value, minor.value)))
    except (OSError, AttributeError):
        return None
    return Driver((version.value // 1000, version.value % 1000 // 10), tuple(gpus))


def mismatch(nvcc: Nvcc, driver: Driver | None) -> str | None:
    """Why programs of this nvcc would not run on this driver, in one sentence; None if they do."""
    if driver is None or nvcc.version[0] <= driver.cuda[0]:
        return None
    whose = "pip's nvcc" if nvcc.origin == "pip" else f"nvcc at {nvcc.path}"
    needs = "580" if nvcc.version[0] == 13 else "a newer version"
    return (
        f"{whose} is CUDA {nvcc.version[0]}.{nvcc.version[1]} and needs a driver of {needs} or "
        f"newer, but this driver runs CUDA {driver.cuda[0]}.{driver.cuda[1]} at most: update the "
        f"driver, or install the CUDA {driver.cuda[0]} toolkit and set CUDACXX to its nvcc"
    )


def require_nvcc() -> Nvcc:
    """The CUDA compiler to build with, or ToolchainError when none fits."""
    nvcc = find_nvcc()
    if nvcc is None:
        raise ToolchainError(
            "the nvidia backend needs nvcc, and none was found",
            hint="`pip install -e '.[cuda]'` (driver 580 or newer), or set CUDACXX to an nvcc; "
            "`--backend sim` needs neither",
        )
    refusal = mismatch(nvcc, find_driver())
    if refusal:
        raise ToolchainError(refusal)
    return nvcc


def require_gpu() -> None:
    """Raises ToolchainError where kernels cannot be built for an NVIDIA GPU and run on it."""
    require_nvcc()
    driver = find_driver()
    if driver is None or not driver.gpus:
        what = "driver" if driver is None else "GPU"
        raise ToolchainError(
            f"the nvidia backend needs a GPU to run on, and no NVIDIA {what} was found",
            hint="`--backend sim` needs none; `camp build --backend nvidia` compiles without one",
        )


def cuda_architectures() -> str:
    """CMake's CUDA_ARCHITECTURES: what the variable states, else the GPU's own, else a default.

    `native` and an unset variable mean the compute capability of device 0, as `<cc>-real`.
    """
    stated = os.environ.get("CMAKE_CUDA_ARCHITECTURES", "").strip()
    parts = [part for part in re.split(r"[;,\s]+", stated) if part] or ["native"]
    for part in parts:
        if not _ARCHITECTURE.match(part):
            raise UsageError(
                f"CMAKE_CUDA_ARCHITECTURES has '{part}'; expected entries such as 89, 90a-real "
                "or native, separated by ';'"
            )
    driver = find_driver() if "native" in parts else None
    own = DEFAULT_ARCHITECTURES
    if driver is not None and driver.gpus:
        major, minor = driver.gpus[0][1]
        own = f"{major}{minor}-real"
    return ";".join(own if part == "native" else part for part in parts)


def automatic_backend() -> str:
    """ "nvidia" where a GPU and an nvcc that fits it are both found, else "sim"."""
    driver = find_driver()
    if driver is None or not driver.gpus:
        return "sim"
    nvcc = find_nvcc()
    return "nvidia" if nvcc is not None and mismatch(nvcc, driver) is None else "sim"
