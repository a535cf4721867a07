"""vector_add: the sizes at which vector_add is measured, and the sums it must give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from camp.bench import BenchCase
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, exact_output


def _case(exponent: int, dtype: str, more: int = 0) -> BenchCase:
    shape = (2**exponent + more,)
    name = f"2^{exponent}+{more} {dtype}" if more else f"2^{exponent} {dtype}"
    return BenchCase(name, dtype, {"z": shape, "a": shape, "b": shape})


CASES = [
    *(_case(exponent, dtype) for dtype in ("f32", "bf16", "f16") for exponent in (20, 24, 28)),
    _case(24, "f32", more=3),
]
SIM_CASES = [_case(14, "f32"), _case(16, "f32"), _case(16, "bf16")]
LADDER_CASES = ["2^24 f32", "2^28 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    return exact_output(to_float64(inputs["a"], dtype) + to_float64(inputs["b"], dtype), dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    torch.add(tensors["a"], tensors["b"], out=tensors["z"])


def cub_peer(cub: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    cub([tensors["z"], tensors["a"], tensors["b"]], [math.prod(tensors["a"].shape)])


def cupy_peer(cupy: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    cupy.add(tensors["a"], tensors["b"], out=tensors["z"])
