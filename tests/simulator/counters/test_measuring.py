"""test_measuring: tests/gpu/counters.py reads the profiler's tables right. The samples have the
form of Nsight Compute 2025.3, with a few columns of many."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "gpu/counters.py"

OUTPUT = "first 1\nsome other line\nsecond 2\n"
SOURCE = """\
==PROF== Connected to process 7
"Kernel Name","void copy<float>(T1 *, const T1 *)",
"Address","Source","Predicated-On Thread Instructions Executed","Address Space","Access Operation"
"0x7f00","      LDG.E R2, [R2.64]","4,096","Global","Load"
"0x7f10","      IADD3 R1, R1, R2","4,096","-","-"
"0x7f20","      STG.E [R4.64], R2","2,048","Global","Store"
"Kernel Name","add(int *)",
"Address","Source","Predicated-On Thread Instructions Executed","Address Space"
"0x7f00","      REDG.E.ADD [R2.64], R5","32","Global"
"Kernel Name","shared(int *)",
"Address","Source","Predicated-On Thread Instructions Executed","Address Space","Access Operation"
"0x7f00","      ATOMS.ADD R7, [R0], R7","64","Shared","Atomic"
"0x7f10","      ATOMS.ADD R7, [R0], R7","1","Shared","Atomic"
"""


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("gpu_counters", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def raw_page(script: Any, kernels: list[int]) -> str:
    """A raw page in which kernel k counts k of every metric, written with thousands separators."""
    metrics = [metric for names in script.METRICS.values() for metric in names]
    header = ",".join(f'"{name}"' for name in ["ID", "Kernel Name", *metrics])
    units = ",".join('""' for _ in range(len(metrics) + 2))
    rows = [
        ",".join([f'"{i}"', '"k(float *, int)"', *(f'"{count:,}"' for _ in metrics)])
        for i, count in enumerate(kernels)
    ]
    return "\n".join(["==PROF== Connected to process 7", header, units, *rows]) + "\n"


def test_kernels_are_summed_by_row(script: Any) -> None:
    kernels = [script.traffic_of(kernel) for kernel in
               script.raw_tables(raw_page(script, [1, 2000, 30]))]  # fmt: skip
    rows = script.rows_of(OUTPUT, kernels)
    assert list(rows) == ["first", "second"]
    assert rows["first"]["global_load_requests"] == 1
    assert rows["second"]["global_load_requests"] == 2030
    assert rows["second"]["global_atomic_sectors"] == 2 * 2030  # ATOM and RED


def test_a_lost_kernel_is_an_error(script: Any) -> None:
    kernels = [script.traffic_of(k) for k in script.raw_tables(raw_page(script, [1, 2]))]
    with pytest.raises(SystemExit, match="told of 3 kernels, the profiler of 2"):
        script.rows_of(OUTPUT, kernels)


@pytest.mark.parametrize("times", [1, 2])
def test_lanes_by_kind_of_access(script: Any, times: int) -> None:
    heads = SOURCE.split('"Kernel Name"')
    repeated = heads[0] + "".join(f'"Kernel Name"{part}' * times for part in heads[1:])
    first, second, third = map(script.lanes_of, script.source_tables(repeated, 3))
    assert first == {"global_load_lanes": 4096, "global_store_lanes": 2048}
    assert second == {"global_atomic_lanes": 32}  # a RED, in a table without operations
    assert third == {"shared_atomic_lanes": 65}
