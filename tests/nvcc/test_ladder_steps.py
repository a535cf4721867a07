"""Every step of the ladders compiles with the real nvcc for the oldest architecture provided for,
and spills no registers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from camp.ladders import steps
from camp.nvcc.report import NvccReport
from camp.nvcc.side_compile import SideCompile
from camp.spec import list_specs
from camp.toolchain import find_nvcc
from camp.workspace import Workspace

OLDEST = "75"


@pytest.mark.slow
def test_every_step_compiles_without_spills(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_nvcc() is None:
        pytest.skip("no nvcc")
    monkeypatch.setenv("BUILD_DIR", str(tmp_path))
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", OLDEST)
    workspace = Workspace(root)

    def compiled(step: tuple[str, Path]) -> NvccReport | None:
        with SideCompile(workspace, *step) as side:
            return side.finish(120)

    wanted = [(spec.id, path) for spec in list_specs(root) for path in steps(root, spec.id)]
    assert len(wanted) >= 12
    with ThreadPoolExecutor(2) as pool:
        for (_, path), report in zip(wanted, pool.map(compiled, wanted), strict=True):
            assert report is not None
            assert report.architecture == f"sm_{OLDEST}"
            assert (report.status, report.diagnostics) == ("compiled", ()), path
            assert report.kernels, path
            assert report.spilling == [], path
