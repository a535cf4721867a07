"""reduce_sum: the sizes at which reduce_sum is measured, and the sums it must give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from camp.bench import BenchCase
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, sum_output, total_output


def _all(exponent: int, dtype: str) -> BenchCase:
    return BenchCase(f"2^{exponent} {dtype}", dtype, {"y": (), "x": (2**exponent,)})


def _rows(rows: int, cols: int, dtype: str) -> BenchCase:
    return BenchCase(f"{rows} x {cols} {dtype}", dtype, {"y": (rows,), "x": (rows, cols)})


CASES = [
    *(_all(exponent, dtype) for dtype in ("f32", "bf16", "f16") for exponent in (20, 24, 28)),
    *(
        _rows(rows, cols, dtype)
        for dtype in ("f32", "bf16")
        for rows, cols in (
            (65536, 128),
            (16384, 1024),
            (4096, 4096),
            (1024, 32768),
            (128, 262144),
            (32, 2**20),
            (8, 2**22),
            (65536, 127),  # rows that begin at any element
            (16384, 1023),
            (4096, 4095),
            (1024, 32767),
        )
    ),
]
SIM_CASES = [
    _all(16, "f32"),
    _all(14, "bf16"),
    _rows(256, 128, "f32"),
    _rows(4, 16384, "f32"),
]
_PART = 1 << 18  # what a cache holds in float64
LADDER_CASES = ["2^24 f32", "65536 x 128 f32", "4096 x 4096 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    x = inputs["x"]
    if x.ndim > 1:
        return sum_output(to_float64(x, dtype), dtype)
    parts = (x[start : start + _PART] for start in range(0, len(x), _PART))
    return total_output(parts, dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    torch.sum(tensors["x"], dim=-1, out=tensors["y"])


def cub_peer(cub: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    *rows, cols = tensors["x"].shape
    cub([tensors["y"], tensors["x"]], [math.prod(rows), cols])


def triton_peer(kernels: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> Any:
    if tensors["x"].ndim != 2:
        return NotImplemented  # a sum of one row needs several programs that then combine
    kernels.row_sum(tensors["y"], tensors["x"])
    return None


def cupy_peer(cupy: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    tensors["x"].sum(axis=-1, out=tensors["y"])
