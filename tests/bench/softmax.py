"""softmax: the sizes at which softmax is measured, and the values it must give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camp.bench import BenchCase
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, softmax_output


def _case(rows: int, cols: int, dtype: str) -> BenchCase:
    shape = (rows, cols)
    return BenchCase(f"{rows} x {cols} {dtype}", dtype, {"y": shape, "x": shape})


_SHAPES = (
    (65536, 128),
    (16384, 1024),
    (4096, 4096),
    (8192, 8192),
    (1024, 32768),
    (128, 262144),
)
_ODD_SHAPES = (  # rows that begin at any element; the last two are vocabularies of language models
    (65536, 127),
    (8192, 1001),
    (16384, 1023),
    (4096, 4095),
    (1024, 32767),
    (2048, 50257),
    (1024, 128256),
)
CASES = [
    *(_case(*shape, dtype) for shape in _SHAPES for dtype in ("f32", "bf16", "f16")),
    *(_case(*shape, dtype) for shape in _ODD_SHAPES for dtype in ("f32", "bf16")),
]
SIM_CASES = [_case(64, 128, "f32"), _case(16, 1024, "f32"), _case(4, 8192, "f32")]
LADDER_CASES = ["65536 x 128 f32", "4096 x 4096 f32", "1024 x 32768 f32"]


def expected(inputs: Mapping[str, Any], dtype: str, attributes: Mapping[str, float]) -> Expectation:
    return softmax_output(to_float64(inputs["x"], dtype), dtype)


def torch_peer(torch: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    torch.softmax(tensors["x"], dim=-1, out=tensors["y"])


def triton_peer(kernels: Any, tensors: Mapping[str, Any], attributes: Mapping[str, float]) -> None:
    kernels.softmax(tensors["y"], tensors["x"])
