"""cutlass: finds the CuTe headers, and fetches them once when a kernel needs them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from camp.errors import StorageError, ToolchainError, UsageError
from camp.toolchain import package_folder

VERSION = "4.2.0.0"
SHA256 = "f9599ada45c7bcb6bf53f7d3f0a7d154183e53451c01bfa59eecd37dd4a693f6"
MODES = ("AUTO", "ON", "OFF")

_INSIDE_WHEEL = "cutlass_library/source/include/"
_INCLUDES_CUTE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]cute/', re.MULTILINE)


@dataclass(frozen=True)
class Cutlass:
    """CuTe headers: `include` holds cute/tensor.hpp. `origin` says where they come from."""

    include: Path
    origin: str


def mode() -> str:
    """CAMP_ENABLE_CUTE: AUTO (the default), ON or OFF."""
    value = os.environ.get("CAMP_ENABLE_CUTE", "").strip().upper() or "AUTO"
    if value not in MODES:
        raise UsageError(f"CAMP_ENABLE_CUTE is '{value}'; use one of {', '.join(MODES)}")
    return value


def includes_cute(sources: Iterable[Path]) -> bool:
    """Whether any of these files includes a CuTe header. Unreadable files do not count."""
    for path in sources:
        try:
            if _INCLUDES_CUTE.search(path.read_text(encoding="utf-8", errors="replace")):
                return True
        except OSError:
            continue
    return False


def cache_dir() -> Path:
    """Where fetched headers are kept: $XDG_CACHE_HOME/camp, else ~/.cache/camp."""
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base) if base else Path.home() / ".cache") / "camp"


def find_cutlass() -> Cutlass | None:
    """CAMP_CUTLASS_ROOT, the installed nvidia-cutlass, or the cache; never the network.

    Raises ToolchainError when CAMP_CUTLASS_ROOT is set but holds no CuTe headers.
    """
    stated = os.environ.get("CAMP_CUTLASS_ROOT", "").strip()
    if stated:
        root = Path(stated).expanduser().absolute()
        for include in (root / "include", root):
            if _is_include(include):
                return Cutlass(include, "CAMP_CUTLASS_ROOT")
        raise ToolchainError(
            f"CAMP_CUTLASS_ROOT is {stated}, but there is no cute/tensor.hpp in it or in include/"
        )
    package = package_folder("cutlass_library")
    if package and _is_include(package / "source" / "include"):
        return Cutlass(package / "source" / "include", "nvidia-cutlass package")
    cached = _cached()
    return Cutlass(cached, "cache") if _is_include(cached) else None


def require_cutlass() -> Cutlass:
    """The CuTe headers, fetched on first need (6 MB). Raises ToolchainError or StorageError."""
    return find_cutlass() or _fetch()


def _is_include(folder: Path) -> bool:
    return (folder / "cute" / "tensor.hpp").is_file()


def _cached() -> Path:
    return cache_dir() / f"cutlass-{VERSION}" / "include"


def _fetch() -> Cutlass:
    """Downloads the wheel without its dependencies, checks its hash and unpacks the headers."""
    destination = _cached().parent
    try:
        cache_dir().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache_dir(), prefix="cutlass-") as name:
            folder = Path(name)
            _unpack(_download(folder), folder / "unpacked")
            shutil.rmtree(destination, ignore_errors=True)
            try:
                os.replace(folder / "unpacked", destination)
            except OSError:
                if not _is_include(_cached()):  # else another process was first
                    raise
    except OSError as error:
        raise StorageError(f"the CuTe headers cannot be kept in {cache_dir()}: {error}") from error
    return Cutlass(_cached(), "cache")


def _download(folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(f"nvidia-cutlass=={VERSION} --hash=sha256:{SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes"]
    command += ["--quiet", "--disable-pip-version-check", "--dest", str(folder)]
    result = subprocess.run(
        [*command, "--requirement", str(requirements)], capture_output=True, text=True, check=False
    )
    wheels = sorted(folder.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        reason = lines[-1].removeprefix("ERROR: ") if lines else "no wheel arrived"
        raise ToolchainError(
            f"a kernel includes <cute/...>, and its headers cannot be fetched: {reason}",
            hint=f"on a machine with network run `pip install --no-deps nvidia-cutlass=={VERSION}`"
            ", or set CAMP_CUTLASS_ROOT to a CUTLASS folder",
        )
    return wheels[0]


def _unpack(wheel: Path, destination: Path) -> None:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != SHA256:
        raise ToolchainError(f"{wheel.name} has the wrong hash {digest}; it was not used")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(_INSIDE_WHEEL)]
        archive.extractall(destination, names)
    os.replace(destination / _INSIDE_WHEEL, destination / "include")
    shutil.rmtree(destination / "cutlass_library", ignore_errors=True)
