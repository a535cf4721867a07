"""conftest: a stand-in for nvcc that says what a test wants, and a kernel to ask it about."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from camp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]

# Answers --version; else notes the call, writes the dependency file and goes on with `{body}`.
SCRIPT = """\
#!/bin/sh
if [ "$1" = --version ]; then
  echo "Cuda compilation tools, release 13.1, V13.1.99"
  exit 0
fi
echo "$@" >> {calls}
while [ $# -gt 0 ]; do
  case "$1" in -MF) echo "x.cubin : {header} \\\\" > "$2"; echo "  {kernel}" >> "$2" ;; esac
  shift
done
{body}
"""

KERNEL = """\
#pragma once
#include "helper.cuh"
template <typename T>
__global__ void copy_kernel(T *y, const T *x) {
  *y = *x;
}
"""


class FakeNvcc:
    """`says(body)` makes it run these lines of shell."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "cuda" / "bin" / "nvcc"
        self.path.parent.mkdir(parents=True)
        self.calls = folder / "calls"
        self.kernel = folder / "kernel.cuh"
        self.header = folder / "helper.cuh"
        self.kernel.write_text(KERNEL)
        self.header.write_text("#pragma once\n")
        self.says("exit 0")

    def says(self, body: str) -> None:
        self.path.write_text(
            SCRIPT.format(calls=self.calls, header=self.header, kernel=self.kernel, body=body)
        )
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    @property
    def times_asked(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
def fake_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNvcc:
    """The only nvcc; builds go to a folder of the test's own."""
    fake = FakeNvcc(tmp_path)
    (tmp_path / "build").mkdir()
    monkeypatch.setenv("CUDACXX", str(fake.path))
    monkeypatch.setenv("BUILD_DIR", str(tmp_path / "build"))
    monkeypatch.delenv("CMAKE_CUDA_ARCHITECTURES", raising=False)
    return fake


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)
