"""copy: the sizes at which copy is measured, and the bits it must give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camp.bench import BenchCase
from camp.grading.oracle import Expectation, same_bits


def _case(exponent: int, dtype: str) -> BenchCase:
    shape = (2**exponent,)
    return BenchCase(f"2^{exponent} {dtype}", dtype, {"y": shape, "x": shape})


CASES = [_case(20, "f32"), _case(24, "f32"), _case(28, "f32"), _case(28, "bf16")]
SIM_CASES = [_case(14, "f32"), _case(16, "f32"), _case(16, "u8")]
LADDER_CASES = ["2^24 f32", "2^28 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    return same_bits(inputs["x"], dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    tensors["y"].copy_(tensors["x"])
