"""nvidia_tools: NVIDIA's tools that watch a kernel while it runs, found without running them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from camp.errors import ToolchainError
from camp.toolchain import find_nvcc, require_gpu

SANITIZER, PROFILER = "compute-sanitizer", "ncu"
_INSTALL = {
    SANITIZER: "it comes with the CUDA toolkit: install its package cuda-sanitizer-<version>, or "
    "put its folder on PATH",
    PROFILER: "it is Nsight Compute of the CUDA toolkit: install its package "
    "cuda-nsight-compute-<version>, or put its folder on PATH",
}
_SYSTEM_ROOT = Path("/usr/local/cuda")


def find_tool(name: str) -> Path | None:
    """compute-sanitizer or ncu: on PATH, beside nvcc, or where NVIDIA's installers put it."""
    found = shutil.which(name)
    if found:
        return Path(found)
    nvcc = find_nvcc()
    roots = [*([nvcc.root] if nvcc else []), _SYSTEM_ROOT]
    candidates = [root / folder / name for root in roots for folder in ("bin", name)]
    if name == PROFILER:
        versions = sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
        candidates += versions
    return next((path for path in candidates if _runs(path)), None)


def install_hint(name: str) -> str:
    """How to come by a tool that is not here."""
    return _INSTALL[name]


def require_tool(name: str) -> Path:
    """A GPU that kernels can be built for, and the tool, or ToolchainError."""
    require_gpu()
    found = find_tool(name)
    if found is None:
        raise ToolchainError(f"{name} was not found", hint=_INSTALL[name])
    return found


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
