"""vector_add: the sizes at which vector_add is measured, and the sums it must give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camp.bench import BenchCase
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, exact_output


def _case(exponent: int, dtype: str) -> BenchCase:
    shape = (2**exponent,)
    return BenchCase(f"2^{exponent} {dtype}", dtype, {"z": shape, "a": shape, "b": shape})


CASES = [_case(20, "f32"), _case(24, "f32"), _case(28, "f32"), _case(28, "bf16")]
SIM_CASES = [_case(14, "f32"), _case(16, "f32"), _case(16, "bf16")]
LADDER_CASES = ["2^24 f32", "2^28 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    return exact_output(to_float64(inputs["a"], dtype) + to_float64(inputs["b"], dtype), dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    torch.add(tensors["a"], tensors["b"], out=tensors["z"])
