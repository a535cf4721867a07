"""What nvcc has to do again after an edit; builds for the GPU, runs on none."""

from __future__ import annotations

import re
import subprocess

import pytest

from camp.build import ensure_built
from camp.toolchain import find_nvcc, require_ninja

from .conftest import Clone

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_nvcc() is None, reason="needs nvcc"),
]


def steps_to_come(clone: Clone) -> list[str]:
    """What ninja would do to bring both operators up to date."""
    folder = clone.workspace.build_dir("nvidia")
    command = [str(require_ninja()), "-C", str(folder), "-n", "camp_op_alpha", "camp_op_beta"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.findall(r"^\[\d+/\d+\] (.*)$", done.stdout, re.MULTILINE)


def test_an_edited_kernel_rebuilds_its_operator_alone(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", "75-real")
    clone.write(
        "native/bench/bench.cmake", "# the benchmark's own library is not of interest here\n"
    )
    ensure_built(clone.workspace, "nvidia", ["alpha", "beta"], clone.events.append)
    assert len(clone.steps()) >= 4
    assert steps_to_come(clone) == []
    clone.kernel("alpha", 5)
    compile_, link = steps_to_come(clone)
    assert compile_.startswith("Building CUDA object")
    assert "alpha_cuda.cu.o" in compile_
    assert link == "Linking CUDA shared library libcamp_op_alpha.so"
