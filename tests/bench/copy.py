"""copy: the sizes at which copy is measured, and the bits it must give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from camp.bench import BenchCase
from camp.grading.oracle import Expectation, same_bits


def _case(exponent: int, dtype: str, more: int = 0) -> BenchCase:
    shape = (2**exponent + more,)
    name = f"2^{exponent}+{more} {dtype}" if more else f"2^{exponent} {dtype}"
    return BenchCase(name, dtype, {"y": shape, "x": shape})


CASES = [
    *(_case(exponent, dtype) for dtype in ("f32", "bf16", "f16") for exponent in (20, 24, 28)),
    _case(24, "f32", more=3),
]
SIM_CASES = [_case(14, "f32"), _case(16, "f32"), _case(16, "u8")]
LADDER_CASES = ["2^24 f32", "2^28 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    return same_bits(inputs["x"], dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    tensors["y"].copy_(tensors["x"])


def cub_peer(cub: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    cub([tensors["y"], tensors["x"]], [math.prod(tensors["x"].shape)])


def cupy_peer(cupy: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    cupy.copyto(tensors["y"], tensors["x"])
