"""What ptxas prints, read into resources by kernel, and its errors put into words."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.errors import Diagnostic
from camp.nvcc.ptxas import read_resources, readable
from camp.nvcc.report import KernelResources, NvccReport, read_json, registers_by_kernel

OUTPUT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z14softmax_kernelIfLi4EEvPT_PKS0_l' for 'sm_90'
ptxas info    : Function properties for _Z14softmax_kernelIfLi4EEvPT_PKS0_l
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 47 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compile time = 51.129 ms
ptxas info    : Compiling entry function '_Z12spill_kernelPf' for 'sm_90'
ptxas info    : Function properties for _Z12spill_kernelPf
    592 bytes stack frame, 948 bytes spill stores, 1176 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 592 bytes cumulative stack size
ptxas info    : Function properties for _Z6helperf
    96 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for _Z6helperf
    96 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for plain
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers, 16 bytes cumulative stack size
"""

KERNELS = (
    KernelResources("plain", 10, 0, 16),
    KernelResources("softmax_kernel<float, 4>", 47, 256),
    KernelResources("spill_kernel", 32, 0, 592, 948, 1176),
)


def test_resources_by_kernel() -> None:
    assert read_resources(OUTPUT) == KERNELS


def test_spills_are_told_from_local_arrays() -> None:
    report = NvccReport("compiled", "sm_90", "13.0", KERNELS)
    assert [kernel.name for kernel in report.spilling] == ["spill_kernel"]


def test_registers_for_the_occupancy() -> None:
    report = NvccReport("compiled", "sm_90", "13.0", KERNELS)
    expected = {"plain": 10, "softmax_kernel<float, 4>": 47, "spill_kernel": 32}
    assert registers_by_kernel(report) == expected
    assert registers_by_kernel(None) == {}


@pytest.mark.parametrize("text", ["", "nonsense\n", "    8 bytes stack frame, 0 bytes\n"])
def test_output_without_kernels(text: str) -> None:
    assert read_resources(text) == ()


def test_a_report_survives_json() -> None:
    report = NvccReport(
        "refused", "sm_90", "13.0", KERNELS, (Diagnostic("a", 1, 2, "b"),), "message"
    )
    assert read_json(report.to_json()) == report


def test_an_error_of_ptxas_names_the_kernel_and_its_line(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cuh"
    kernel.write_text(
        "template <int N>\n__global__ void wide_kernel(float *x);\n\n"
        "template <int N>\n__global__ void __launch_bounds__(64)\nwide_kernel(float *x) {\n}\n"
    )
    said = "Entry function '_Z11wide_kernelILi2EEvPf' uses too much shared data (0xcb20 bytes)"
    told = readable(Diagnostic("ptxas", 0, 0, said), kernel)
    assert told.message == "Entry function wide_kernel<2> uses too much shared data (52,000 bytes)"
    assert (told.file, told.line) == (str(kernel), 2)


def test_other_messages_stay_as_they_are(tmp_path: Path) -> None:
    diagnostic = Diagnostic("kernel.cuh", 3, 0, "identifier 'x' is 0x10")
    assert readable(diagnostic, tmp_path) is diagnostic
