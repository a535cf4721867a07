"""The wide rows of softmax on a GPU: on clusters of blocks, and the way that is taken without them.

A library for compute capability 8.0 as PTX runs on every later GPU too, translated by the driver.
Its kernels were compiled without clusters, so the launch must not try any: one that did would leave
the output as it was.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.build import build_variants
from camp.errors import BuildError
from camp.grading.check import runtime_library
from camp.grading.grader import Grader
from camp.grading.suite import load_cases
from camp.workspace import Workspace

WITHOUT_CLUSTERS = "80-virtual"
WIDE = (
    "f32-cols=32769",
    "bf16-rows=3-cols=32769",
    "bf16-rows=3-cols=131077",
    "f32-rows=3-cols=65541",
    "f32-rows=1-cols=270001",
    "bf16-rows=300-cols=32761",
    "f32-rows=150-cols=33001",
    "bf16-rows=150-cols=50257",
    "f16-rows=40-cols=262144",
    "f32-rows=40-cols=262143",
    "f32-rows=20-cols=530003",
)


@pytest.mark.gpu
@pytest.mark.parametrize("architectures", ["native", WITHOUT_CLUSTERS])
def test_wide_rows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architectures: str
) -> None:
    monkeypatch.setenv("BUILD_DIR", str(tmp_path))
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", architectures)
    workspace = Workspace(root)
    solution = workspace.solution("softmax")
    library = build_variants(workspace, "nvidia", [("softmax", solution)])["softmax", solution]
    assert not isinstance(library, BuildError)
    cases = [case for case in load_cases(root, "softmax") if case.id in WIDE]
    assert len(cases) == len(WIDE)
    with Grader("softmax", backend="nvidia", seed=7) as grader:
        grader.use(runtime_library(workspace, "nvidia"), library)
        results = [grader.grade(case) for case in cases]
    assert {result.id: result.message for result in results if not result.passed} == {}
