"""conftest: a copy of the clone to break, with relu and copy built once, and `camp` run in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = (
    *("camp", "native", "ops", "exercises"),
    *("docs/examples", "docs/reports", "tests/cases", "tests/bench"),
)
FILES = ("pyproject.toml", "CMakeLists.txt", "README.md")

KERNEL = """\
#pragma once
#include <cuda_runtime.h>
#include <cstdint>

template <typename T>
__global__ void copy_kernel(T *y, const T *x, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  BODY
}

template <typename T>
void launch_copy(T *y, const T *x, int64_t n, cudaStream_t stream) {
  if (n == 0) return;
  copy_kernel<T><<<(n + 255) / 256, 256, 0, stream>>>(y, x, n);
}
"""


@dataclass(frozen=True)
class Clone:
    """A copy of the clone; `run` is the `camp` command in it."""

    root: Path
    environment: Mapping[str, str]

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "camp", *arguments]

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        preexec: Callable[[], None] | None = None,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=cwd or self.root,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            preexec_fn=preexec,
        )

    @property
    def kernel(self) -> Path:
        return self.root / "ops" / "copy" / "nvidia" / "kernel.cuh"

    def write_kernel(self, body: str) -> None:
        """A copy kernel whose body is `body`; n, i, x and y are there."""
        self.kernel.write_text(KERNEL.replace("BODY", body))


def make_clone(root: Path) -> Clone:
    """Copies what the commands need. Others may enter it: some tests run as another user."""
    for part in PARTS:
        shutil.copytree(
            ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__", "*.so")
        )
    for name in FILES:
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, root / name)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("CAMP_") and name not in ("BUILD_DIR", "NO_COLOR", "COLUMNS")
    }
    environment |= {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "TERM": "xterm"}
    environment["CAMP_CHECK_NVCC"] = "0"  # only the tests of it ask nvcc as well
    return Clone(root, environment)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone with relu and a right copy kernel built. Do not change it: copy what you break."""
    clone = make_clone(tmp_path_factory.mktemp("built") / "camp")
    clone.write_kernel("if (i < n) y[i] = x[i];")
    done = clone.run("build", "relu", "copy")
    assert done.returncode == 0, done.stdout + done.stderr
    return clone


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A fresh clone with nothing built."""
    return make_clone(tmp_path / "camp")
