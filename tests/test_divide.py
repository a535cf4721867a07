"""ops/common/divide.cuh divides as the hardware would, over the whole range it promises."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

PROGRAM = r"""
#include <cstdint>
#include <cstdio>
#include <random>

#include "common/divide.cuh"

static long wrong = 0, tried = 0;

static void check(uint32_t divisor, uint32_t n) {
  if (n >= uint32_t{1} << 31) return;
  ++tried;
  if (camp::Divider<uint32_t>(divisor).quotient(n) != n / divisor) ++wrong;
}

static void check_around(uint32_t divisor, std::mt19937 &random) {
  const uint32_t most = (uint32_t{1} << 31) - 1;
  for (const uint32_t n : {0u, 1u, divisor - 1, divisor, divisor + 1, most - 1, most}) {
    check(divisor, n);
  }
  for (int i = 0; i < 20; ++i) {
    const uint32_t n = (random() & most) >> (random() % 31);
    const uint32_t multiple = n / divisor * divisor;
    check(divisor, n);
    check(divisor, multiple);
    if (multiple > 0) check(divisor, multiple - 1);
  }
}

int main() {
  std::mt19937 random(1);
  for (uint32_t divisor = 1; divisor < 20000; ++divisor) check_around(divisor, random);
  for (int bit = 1; bit < 31; ++bit) {
    for (int offset = -2; offset <= 2; ++offset) {
      const int64_t divisor = (int64_t{1} << bit) + offset;
      if (divisor > 0) check_around(static_cast<uint32_t>(divisor), random);
    }
  }
  check_around((uint32_t{1} << 31) - 1, random);
  for (int i = 0; i < 20000; ++i) check_around(1 + random() % 0x7ffffffe, random);
  if (camp::Divider<uint64_t>(3).quotient(uint64_t{10} << 33) != (uint64_t{10} << 33) / 3) ++wrong;
  std::printf("%ld of %ld wrong\n", wrong, tried);
  return tried < 2000000 || wrong != 0;
}
"""


def test_quotients(root: Path, tmp_path: Path) -> None:
    # All that the header wants of CUDA is the two qualifiers.
    (tmp_path / "cuda_runtime.h").write_text("#define __host__\n#define __device__\n")
    (tmp_path / "program.cc").write_text(PROGRAM)
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    command = [*compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "program.cc"]
    command += ["-I", str(tmp_path), "-I", str(root / "ops"), "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    result = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout
