"""relu: the sizes at which relu is measured, and the values it must give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from camp.bench import BenchCase
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, exact_output


def _case(exponent: int, dtype: str, more: int = 0) -> BenchCase:
    shape = (2**exponent + more,)
    name = f"2^{exponent}+{more} {dtype}" if more else f"2^{exponent} {dtype}"
    return BenchCase(name, dtype, {"y": shape, "x": shape})


CASES = [
    *(_case(exponent, dtype) for dtype in ("f32", "bf16", "f16") for exponent in (20, 24, 28)),
    _case(24, "f32", more=3),
]
SIM_CASES = [_case(14, "f32"), _case(16, "f32"), _case(16, "bf16")]
LADDER_CASES = ["2^24 f32", "2^28 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    x = to_float64(inputs["x"], dtype)
    return exact_output(np.where(x > 0, x, x * attributes["negative_slope"]), dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    torch.clamp(tensors["x"], min=0, out=tensors["y"])


def cub_peer(cub: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    count, slope = math.prod(tensors["x"].shape), attributes["negative_slope"]
    cub([tensors["y"], tensors["x"]], [count], [slope])


def cupy_peer(cupy: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> Any:
    if attributes["negative_slope"] != 0.0:
        return NotImplemented
    cupy.maximum(tensors["x"], 0, out=tensors["y"])
    return None
