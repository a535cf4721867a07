"""Cases of relu: y = x > 0 ? x : x * negative_slope, with broadcast and any strides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from camp.grading.building import (
    LARGE_SIZE,
    OFFSETS,
    all_of,
    changed,
    drawn,
    input_,
    misuse_cases,
    output,
    sampled,
    with_oracle,
)
from camp.grading.case import Case, Problem, Tensor
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, exact_output
from camp.grading.repeated import repeated, repeating
from camp.grading.values import Values, listed, normal, tagged, wide_range

DTYPES = ("f32", "f16", "bf16")
STANDARD = normal()
SIZES = (1, 2, 3, 5, 7, 31, 33, 90, 255, 256, 257, 1000, 1023, 1025, 4099)
SPECIAL = [np.nan, -0.0, 0.0, -np.inf, np.inf, 1e-40, -1e-40, 6e-8, -6e-8, 3e38, -3e38, -1.0]
HUGE = frozenset({"gpu", "large"})  # more than 2^31 elements


def tensors(dtype: str, *shape: int, y_offset: int = 0, x_offset: int = 0) -> list[Tensor]:
    return [
        output("y", dtype, shape, offset=y_offset),
        input_("x", dtype, shape, offset=x_offset),
    ]


def expect(problem: Problem) -> Mapping[str, Expectation]:
    """The product of a float32 slope is exact in float64; rounding it through float32 on the way to
    a shorter dtype is right too, and so is either reading of -inf * 0."""
    y, x = problem.tensors
    slope = float(np.float32(problem.attributes.get("negative_slope", 0.0)))
    value = np.broadcast_to(to_float64(problem.inputs["x"], x.dtype), y.shape)
    with np.errstate(invalid="ignore", over="ignore"):
        once = np.where(value > 0, value, value * slope)
        twice = once.astype(np.float32).astype(np.float64)
        zero = np.where(np.isneginf(value) & (slope == 0), 0.0, once)
    return {"y": exact_output(once, y.dtype, twice, zero)}


def case(
    case_id: str,
    wanted: list[Tensor],
    values: Values = STANDARD,
    slope: float | None = None,
    **fields: Any,
) -> Case:
    attributes = None if slope is None else {"negative_slope": slope}
    return Case(case_id, drawn(wanted, values, attributes), **fields)


def views(dtype: str) -> list[Case]:
    """Transposed, every second element, broadcast along either axis, gaps in the output."""
    y = output("y", dtype, (4, 6))
    layouts = {
        "transposed": [y, input_("x", dtype, (4, 6), strides=(1, 4))],
        "every-second": [y, input_("x", dtype, (4, 6), strides=(12, 2))],
        "broadcast-rows": [y, input_("x", dtype, (1, 6))],
        "broadcast-columns": [y, input_("x", dtype, (4, 1))],
        "broadcast-scalar": [y, input_("x", dtype, ())],
        "broadcast-stride-0": [y, input_("x", dtype, (4, 6), strides=(0, 1))],
        "output-with-gaps": [
            output("y", dtype, (4, 6), strides=(9, 1)),
            input_("x", dtype, (4, 6)),
        ],
        "output-transposed": [
            output("y", dtype, (37, 41), strides=(1, 37)),
            input_("x", dtype, (37, 41)),
        ],
        "rank-4": [
            output("y", dtype, (3, 2, 5, 7)),
            input_("x", dtype, (3, 1, 5, 1)),
        ],
    }
    return [case(f"{dtype}-{name}", wanted, slope=0.5) for name, wanted in layouts.items()]


SMALL = tensors("f32", 4, 6)

CASES: list[Case] = [
    *with_oracle(
        expect,
        *(case(f"f32-n={n}", tensors("f32", n)) for n in SIZES),
        case("f32-n=0", tensors("f32", 0)),
        *(
            case(f"f32-slope={s}", tensors("f32", 300), slope=s)
            for s in (0.0, 0.01, 0.25, 1.0, -2.0)
        ),
        *(
            case(
                f"f32-n=1027-offsets={y},{x}", tensors("f32", 1027, y_offset=y, x_offset=x), tagged
            )
            for y, x in OFFSETS
        ),
        *(
            case(f"f16-n={n}-offsets=1,4", tensors("f16", n, y_offset=1, x_offset=4), tagged)
            for n in (30, 31, 33, 1025)
        ),
        *(
            case(f"{d}-n={n}", tensors(d, n), slope=0.1)
            for d in DTYPES[1:]
            for n in (1, 7, 33, 1025)
        ),
        *(case(f"{d}-wide-range", tensors(d, 1000), wide_range, slope=0.3) for d in DTYPES),
        *(case(f"{d}-special-values", tensors(d, 60), listed(SPECIAL)) for d in DTYPES),
        *(case(f"{d}-special-values-slope", tensors(d, 60), listed(SPECIAL), 0.5) for d in DTYPES),
        *views("f32"),
        *views("f16"),
        case("f32-shape=3x0x7", tensors("f32", 3, 0, 7)),
        case("f32-two-operators", tensors("f32", 777), slope=0.25, interleave=True),
        case(f"f32-n={LARGE_SIZE}", tensors("f32", LARGE_SIZE), runs=1, traffic=True),
    ),
    *with_oracle(
        repeated(expect),
        case(
            "bf16-n=2^31+17",
            tensors("bf16", (1 << 31) + 17),
            repeating(STANDARD),
            runs=1,
            marks=HUGE,
        ),
    ),
    sampled("bf16-n=3*2^30+1", tensors("bf16", (3 << 30) + 1)),
    *misuse_cases(
        SMALL,
        {
            "dtypes-differ": ("UNSUPPORTED_DTYPE", changed(SMALL, "x", dtype="f16")),
            "dtype-i64": ("UNSUPPORTED_DTYPE", all_of(SMALL, dtype="i64")),
            "no-broadcast": ("SHAPE_MISMATCH", changed(SMALL, "x", shape=(4, 5))),
            "output-broadcast": ("SHAPE_MISMATCH", changed(SMALL, "y", shape=(1, 6))),
        },
    ),
]
