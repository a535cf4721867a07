# test_native_gpu.py: builds tests/native/gpu with nvcc and runs it on the GPU.
from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MINIMUM_CHECKS = 60


@pytest.mark.gpu
def test_the_runtime_on_a_gpu(tmp_path: Path) -> None:
    source = ROOT / "tests" / "native" / "gpu"
    for command in (
        ["cmake", "-G", "Ninja", "-S", str(source), "-B", str(tmp_path)],
        ["cmake", "--build", str(tmp_path)],
    ):
        built = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert built.returncode == 0, built.stdout + built.stderr
    ran = subprocess.run(
        [tmp_path / "gpu_tests"], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    summary = re.search(r"(\d+) tests, (\d+) checks, 0 failed", ran.stdout)
    assert summary is not None, ran.stdout
    assert int(summary[2]) >= MINIMUM_CHECKS, ran.stdout
