"""A clone in miniature: the real CMake files and translator around a runtime of a few lines, so
that a whole build takes a second."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from camp.build_process import BuildEvent
from camp.workspace import Workspace

REAL = Path(__file__).resolve().parents[2]

HOOKS = """\
extern "C" {
#define HOOK(name) __attribute__((visibility("default"))) void name(void *, ...) {}
HOOK(__tsan_init) HOOK(__tsan_func_entry) HOOK(__tsan_func_exit)
HOOK(__tsan_read1) HOOK(__tsan_read2) HOOK(__tsan_read4) HOOK(__tsan_read8)
HOOK(__tsan_write1) HOOK(__tsan_write2) HOOK(__tsan_write4) HOOK(__tsan_write8)
HOOK(__ubsan_handle_type_mismatch_v1) HOOK(__ubsan_handle_out_of_bounds)
HOOK(__ubsan_handle_mul_overflow) HOOK(__ubsan_handle_add_overflow)
HOOK(__ubsan_handle_sub_overflow) HOOK(__ubsan_handle_negate_overflow)
HOOK(__ubsan_handle_divrem_overflow)
HOOK(__sanitizer_cov_trace_pc)
}
"""
CUDA = """\
#pragma once
#define __global__
#define CAMP_SIM_KERNEL(name, ...) 0
#define CAMP_SIM_KERNEL_BEGIN
#define CAMP_SIM_NO_SANITIZE
namespace camp_sim {
inline int configure(int, int) { return 0; }
template <typename F, typename... A> void launch(int, int, F f, A... a) { f(a...); }
template <typename T> void library_helper(T value) { value.no_such_member(); }
}
"""
MAIN = """\
#include "common/operator.hpp"
#include CAMP_KERNEL_HEADER
extern "C" __attribute__((visibility("default"))) int NAME_answer() {
  int value = 0;
  launch(&value);
  return value;
}
"""
KERNEL = """\
#pragma once
#include <cuda_runtime.h>
__global__ void kernel(int *x) { *x = ANSWER; }
inline void launch(int *x) {
  kernel<<<1, 1>>>(x);
}
"""
SPEC = """\
id = "NAME"
title = "A test"
difficulty = "easy"
concept = "none"
order = 1
formula = "y = 1"
dtypes = ["f32"]
[[tensors]]
name = "y"
role = "output"
shape = ["n"]
"""


class Clone:
    """The miniature clone; `kernel` writes a learner's file that answers a number."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace(root)
        self.events: list[BuildEvent] = []

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add(self, op: str, answer: int = 1) -> None:
        self.write(f"ops/{op}/op.toml", SPEC.replace("NAME", op))
        self.write(f"ops/{op}/nvidia/{op}_cuda.cu", MAIN.replace("NAME", op))
        self.kernel(op, answer)

    def kernel(self, op: str, answer: int) -> Path:
        text = KERNEL.replace("ANSWER", str(answer))
        return self.write(f"ops/{op}/nvidia/kernel.cuh", text)

    @property
    def folder(self) -> Path:
        return self.workspace.build_dir("sim")

    def steps(self) -> list[str]:
        """What the compile events since the last call said."""
        texts = [event.text for event in self.events if event.kind == "compile"]
        self.events.clear()
        return texts


MakeClone = Callable[[Path], Clone]


def _make(root: Path) -> Clone:
    shutil.copytree(REAL / "ops" / "cmake", root / "ops" / "cmake")
    shutil.copy(REAL / "ops" / "CMakeLists.txt", root / "ops" / "CMakeLists.txt")
    (root / "camp").symlink_to(REAL / "camp")
    clone = Clone(root)
    clone.write("native/src/runtime.cc", HOOKS)
    clone.write("native/sim/include/cuda_runtime.h", CUDA)
    clone.write("ops/common/operator.hpp", "#pragma once\n#include <cuda_runtime.h>\n")
    clone.add("alpha", 1)
    clone.add("beta", 2)
    return clone


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BUILD_DIR", "CAMP_BUILD_DIR", "CAMP_FORCE_RECONFIGURE", "CAMP_BACKEND"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone of two operators, alpha (answers 1) and beta (answers 2); its path has a blank."""
    return _make(tmp_path / "my clone")
