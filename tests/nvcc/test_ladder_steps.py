"""Every step of the ladders, and the versions in CuTe where its headers are, compile with the real
nvcc for the oldest architecture provided for, and spill no registers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from camp.cutlass import find_cutlass
from camp.ladders import cute_version, steps
from camp.nvcc.report import NvccReport
from camp.nvcc.side_compile import SideCompile
from camp.spec import list_specs
from camp.toolchain import find_nvcc
from camp.workspace import Workspace

OLDEST = "75"
Kernel = tuple[str, Path]  # of an operator


def compile_all(
    root: Path, folder: Path, wanted: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_nvcc() is None:
        pytest.skip("no nvcc")
    monkeypatch.setenv("BUILD_DIR", str(folder))
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", OLDEST)
    workspace = Workspace(root)

    def compiled(kernel: Kernel) -> NvccReport | None:
        with SideCompile(workspace, *kernel) as side:
            return side.finish(120)

    with ThreadPoolExecutor(2) as pool:
        for (_, path), report in zip(wanted, pool.map(compiled, wanted), strict=True):
            assert report is not None
            assert report.architecture == f"sm_{OLDEST}"
            assert (report.status, report.diagnostics) == ("compiled", ()), path
            assert report.kernels, path
            assert report.spilling == [], path


@pytest.mark.slow
def test_every_step_compiles_without_spills(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [(spec.id, path) for spec in list_specs(root) for path in steps(root, spec.id)]
    assert len(wanted) >= 12
    compile_all(root, tmp_path, wanted, monkeypatch)


@pytest.mark.slow
def test_the_versions_in_cute_compile_without_spills(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(spec.id, cute_version(root, spec.id)) for spec in list_specs(root)]
    wanted = [(op, path) for op, path in found if path is not None]
    assert {op for op, _ in wanted} == {"copy", "softmax"}
    if find_cutlass() is None:
        pytest.skip("no CuTe headers")
    compile_all(root, tmp_path, wanted, monkeypatch)
