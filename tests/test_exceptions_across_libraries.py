"""Exceptions end as a status also where each library brings its own C++ runtime, as nvcc's may."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from camp.toolchain import find_cxx

SCRIPT = """
import ctypes, sys
runtime, library = map(ctypes.CDLL, sys.argv[1:])
runtime.camp_last_error_message.restype = ctypes.c_char_p
for which in range(3):
    print(library.boundary(which), runtime.camp_last_error_message().decode())
"""


@pytest.mark.parametrize("flags", [[], ["-static-libstdc++", "-Wl,--exclude-libs,ALL"]])
def test_exceptions_across_libraries(root: Path, tmp_path: Path, flags: list[str]) -> None:
    compiler = find_cxx()
    if compiler is None:
        pytest.skip("no C++ compiler")
    common = [str(compiler), "-std=c++17", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", *flags]
    common += [f"-I{root / 'native' / folder}" for folder in ("include", "src")]
    runtime, library = tmp_path / "libruntime.so", tmp_path / "libboundary.so"
    for command in (
        [*common, root / "native/src/status.cc", "-o", runtime],
        [*common, root / "tests/kernels/boundary.cc", runtime, "-o", library],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if "cannot find -lstdc++" in done.stderr:
            pytest.skip("no static libstdc++ here")
        assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, runtime, library], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "4 thrown by the runtime",
        "6 thrown by the library",
        "13 of the standard library",
    ]
