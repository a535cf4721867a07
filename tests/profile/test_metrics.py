"""ncu's raw page, recorded on an H200, read into kernels."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from camp.profile.metrics import METRICS, read_raw_page

RECORDED = Path(__file__).parent / "recorded"
# A sum of 8192 rows of 4096 float32: 128 MiB are read, 32 KiB written.
PAGE = (RECORDED / "reduce_sum.csv").read_text()


def test_the_numbers_of_a_kernel() -> None:
    (kernel,) = read_raw_page(PAGE)
    assert kernel.name == "reduce_sum_kernel<float, float>"
    assert (kernel.grid, kernel.block, kernel.multiprocessors) == (8192, 256, 132)
    assert kernel.time_us == pytest.approx(32.48)
    assert kernel.dram_bytes == pytest.approx(134_236_160 + 2_563_840)
    assert kernel.dram_percent == pytest.approx(87.57)
    assert kernel.ideal_sectors == pytest.approx((134_217_728 + 32_768) / 32)
    assert kernel.l1_sectors == pytest.approx(4_194_304 + 8_192)
    assert (kernel.registers, kernel.shared_bytes) == (38, 128)
    assert (kernel.occupancy_percent, kernel.possible_percent) == (66.48, 75)
    assert kernel.limiter == "registers"
    assert kernel.bank_conflicts == 77 + 4293
    assert kernel.local_instructions == 0
    assert kernel.lanes == pytest.approx(31.84)


def test_stalls_are_shares_of_all_that_warps_did() -> None:
    (kernel,) = read_raw_page(PAGE)
    name, share = kernel.top_stall
    assert name == "long_scoreboard"
    # Of the ratios in the page: 18.79 of 29.14 in all.
    assert share == pytest.approx(18.79 / 29.14, abs=0.001)
    assert "selected" not in kernel.stalls
    assert list(kernel.stalls.values()) == sorted(kernel.stalls.values(), reverse=True)


def test_a_metric_that_a_gpu_lacks_is_none() -> None:
    rows = list(csv.reader(line for line in PAGE.splitlines() if line.startswith('"')))
    at = rows[0].index("launch__registers_per_thread")
    rows[2][at] = "n/a"
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)
    (kernel,) = read_raw_page(text)
    assert kernel.registers is None
    assert kernel.l2_sectors is None  # not asked for when this page was recorded
    assert kernel.grid == 8192


@pytest.mark.parametrize("text", ["", "==ERROR== no\n", '"ID","Kernel Name"\n', "\x00\xff,,,\n"])
def test_a_page_without_kernels(text: str) -> None:
    assert read_raw_page(text) == []


@pytest.mark.parametrize("length", range(0, len(PAGE), 997))
def test_a_page_cut_anywhere_is_no_error(length: int) -> None:
    assert len(read_raw_page(PAGE[:length])) <= 1


def test_no_metric_is_asked_for_twice() -> None:
    assert len(set(METRICS)) == len(METRICS)
    assert len(METRICS) > 40


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("void camp::copy_kernel<float>(T1 *, const T1 *, long)", "copy_kernel<float>"),
        ("conflicts(float *)", "conflicts"),
        ("void <unnamed>::k<a::b<int>, 4>(a::b<int>)", "k<a::b<int>, 4>"),
        ("k", "k"),
    ],
)
def test_names_of_kernels(signature: str, name: str) -> None:
    page = f'"ID","Kernel Name"\n"",""\n"0","{signature}"\n'
    assert read_raw_page(page)[0].name == name
