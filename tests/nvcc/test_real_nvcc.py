"""The real nvcc, where there is one: kernels that it refuses or spills, and their twins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from camp.nvcc.report import NvccReport
from camp.nvcc.side_compile import SideCompile
from camp.toolchain import find_nvcc
from camp.workspace import Workspace

KERNELS = Path(__file__).parent / "kernels"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where answers are kept."""
    return tmp_path_factory.mktemp("build")


@pytest.fixture
def ask(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], NvccReport]:
    """ask(name): what nvcc says of kernels/<name>.cuh."""
    if find_nvcc() is None:
        pytest.skip("no nvcc")
    monkeypatch.setenv("BUILD_DIR", str(folder))
    monkeypatch.delenv("CMAKE_CUDA_ARCHITECTURES", raising=False)

    def asked(name: str) -> NvccReport:
        with SideCompile(workspace, "copy", KERNELS / f"{name}.cuh") as side:
            report = side.finish(120)
        assert report is not None
        assert report.architecture == "sm_90"
        return report

    return asked


def marked_lines(name: str) -> dict[int, str]:
    lines = (KERNELS / f"{name}.cuh").read_text().splitlines()
    return {
        number: line.split("// refused: ")[1]
        for number, line in enumerate(lines, 1)
        if "// refused: " in line
    }


@pytest.mark.parametrize("name", ["refused", "host_function", "wide_shared"])
def test_a_refusal_at_its_line(name: str, ask: Callable[[str], NvccReport]) -> None:
    report = ask(name)
    assert report.status == "refused"
    assert {found.line for found in report.diagnostics} == set(marked_lines(name))
    assert {found.file for found in report.diagnostics} == {str(KERNELS / f"{name}.cuh")}


def test_ptxas_speaks_of_the_source(ask: Callable[[str], NvccReport]) -> None:
    [found] = ask("wide_shared").diagnostics
    assert "wide_kernel uses too much shared data (49,156 bytes, 49,152 max)" in found.message


def test_spills(ask: Callable[[str], NvccReport]) -> None:
    report = ask("spilling")
    assert report.status == "compiled"
    [kernel] = report.spilling
    assert (kernel.name, kernel.registers) == ("crowded_kernel", 32)
    assert min(kernel.spill_store_bytes, kernel.spill_load_bytes) >= 64


def test_the_twins_are_taken_without_spills(ask: Callable[[str], NvccReport]) -> None:
    report = ask("taken")
    assert (report.status, report.diagnostics, report.spilling) == ("compiled", (), [])
    kernels = {kernel.name: kernel for kernel in report.kernels}
    assert {"copy_kernel<unsigned char>", "fixed_length_kernel", "roomy_kernel"} <= set(kernels)
    assert kernels["narrow_kernel"].shared_bytes == 48 * 1024
    assert kernels["roomy_kernel"].registers > 64
