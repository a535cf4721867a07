"""Cases of reduce_sum: y[r] = sum of x[r, c], or of all elements.

Integers of 1..3 have one right answer in any order, so they show a single lost or doubled element;
floats show what an accumulator loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from camp.grading.building import (
    EDGE_COLUMNS,
    LARGE_SIZE,
    all_of,
    changed,
    drawn,
    input_,
    misuse_cases,
    output,
    sampled,
    with_oracle,
)
from camp.grading.case import Case, Oracle, Problem, Tensor
from camp.grading.dtypes import to_float64
from camp.grading.oracle import Expectation, sum_output
from camp.grading.repeated import repeated, repeating
from camp.grading.values import Values, constant, normal, ramp, small_integers, uniform

DTYPES = ("f32", "f16", "bf16")
LARGE = frozenset({"large"})
HUGE = frozenset({"gpu", "large"})  # more than 2^31 elements


def rows_of(
    dtype: str, rows: int, cols: int, *, y_offset: int = 0, x_offset: int = 0
) -> list[Tensor]:
    return [
        output("y", dtype, (rows,), offset=y_offset),
        input_("x", dtype, (rows, cols), offset=x_offset),
    ]


def whole(dtype: str, *shape: int) -> list[Tensor]:
    return [output("y", dtype, ()), input_("x", dtype, shape)]


def expect(integers: bool) -> Oracle:
    def oracle(problem: Problem) -> Mapping[str, Expectation]:
        y, x = problem.tensors
        axis = None if y.shape == () else -1
        values = to_float64(problem.inputs["x"], x.dtype)
        return {"y": sum_output(values, y.dtype, axis=axis, integers=integers)}

    return oracle


def case(
    case_id: str, wanted: list[Tensor], values: Values = small_integers, **fields: Any
) -> Case:
    return Case(case_id, drawn(wanted, values), **fields)


def random_shape(rng: np.random.Generator) -> Problem:
    rows, cols = int(rng.integers(1, 9)), int(rng.integers(1, 3000))
    return drawn(rows_of("f32", rows, cols), small_integers)(rng)


def cancelling(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """+1000 and -1000 in turn, plus noise."""
    signs = np.where(np.arange(int(np.prod(shape))) % 2, -1000.0, 1000.0).reshape(shape)
    return uniform(0.0, 1.0)(rng, shape, dtype) + signs.astype(np.float32)


SMALL = rows_of("f32", 3, 8)

CASES: list[Case] = [
    *with_oracle(
        expect(integers=True),
        *(case(f"f32-rows=3-cols={c}", rows_of("f32", 3, c)) for c in EDGE_COLUMNS if c < 12289),
        *(
            case(f"f32-rows=1-cols={c}", rows_of("f32", 1, c))
            for c in (7, 255, 256, 257, 513, 1000)
        ),
        case("f32-rows=3-cols=25", rows_of("f32", 3, 25)),
        case("f32-rows=1-cols=12289", rows_of("f32", 1, 12289)),
        case("f32-rows=2-cols=32769", rows_of("f32", 2, 32769)),
        case("f32-rows=33-cols=65", rows_of("f32", 33, 65)),
        # Where a wider group of threads takes over: 8, 16, 64 and 256 vectors, then blocks.
        *(
            case(f"f32-rows=5-cols={c}", rows_of("f32", 5, c))
            for c in (35, 36, 67, 68, 259, 260, 1027, 1028, 2051, 2052)
        ),
        # Few long rows, in parts of equal length and a shorter last one.
        *(
            case(f"f32-rows={r}-cols={c}", rows_of("f32", r, c))
            for r, c in ((3, 16383), (3, 16384), (7, 20001))
        ),
        *(
            case(f"f32-rows={r}-cols={c}", rows_of("f32", r, c), runs=1, marks=LARGE)
            for r, c in ((63, 16385), (64, 16385), (128, 16389), (64, 65541), (60, 131075))
        ),
        case("f32-rows=1025-cols=3", rows_of("f32", 1025, 3)),
        case("f32-rows=256-cols=1024", rows_of("f32", 256, 1024), runs=1, traffic=True),
        Case("f32-random-shape", random_shape),
        *(
            case(
                f"f32-rows=3-cols=129-offsets={y},{x}",
                rows_of("f32", 3, 129, y_offset=y, x_offset=x),
            )
            for y, x in ((0, 1), (1, 2), (3, 3))
        ),
        case("f32-shape=2x3x37", [output("y", "f32", (2, 3)), input_("x", "f32", (2, 3, 37))]),
        case("f32-rows=3-cols=0", rows_of("f32", 3, 0)),
        case("f32-rows=0-cols=5", rows_of("f32", 0, 5)),
        *(case(f"f32-all-n={n}", whole("f32", n)) for n in (0, 1, 2, 33, 48, 1000, 1025, 4099)),
        case("f32-all-shape=7x11x13", whole("f32", 7, 11, 13)),
        case(f"f32-all-n={LARGE_SIZE}", whole("f32", LARGE_SIZE), runs=2),
        *(
            case(f"{d}-rows=3-cols={c}", rows_of(d, 3, c))
            for d in DTYPES[1:]
            for c in (1, 7, 33, 1025)
        ),
        *(case(f"{d}-rows=8-cols=4097", rows_of(d, 8, 4097)) for d in DTYPES[1:]),
        *(case(f"{d}-4096-ones", rows_of(d, 1, 4096), constant(1.0)) for d in DTYPES),
        *(
            case(f"bf16-rows=5-cols={c}", rows_of("bf16", 5, c))
            for c in (71, 72, 135, 136, 519, 520, 2055, 2056, 4103, 4104)
        ),
        case(
            "bf16-rows=3-cols=50001-offsets=1,5",
            rows_of("bf16", 3, 50001, y_offset=1, x_offset=5),
        ),
        case("f16-rows=3-cols=131-offsets=1,3", rows_of("f16", 3, 131, y_offset=1, x_offset=3)),
        case("f32-two-operators", rows_of("f32", 3, 777), interleave=True),
        case("f32-two-operators-all", whole("f32", 70001), interleave=True),
        case("f32-rows=65536-cols=2", rows_of("f32", 65536, 2), runs=1, cut_after_s=3),
        case("f32-rows=65535-cols=2", rows_of("f32", 65535, 2), runs=1, cut_after_s=3, marks=LARGE),
    ),
    *with_oracle(
        expect(integers=False),
        *(case(f"{d}-floats-cols=1025", rows_of(d, 3, 1025), uniform(0, 1)) for d in DTYPES),
        case("f32-floats-cols=32769", rows_of("f32", 1, 32769), uniform(0, 1)),
        case("f32-normal", rows_of("f32", 5, 1000), normal()),
        case("f32-negative", rows_of("f32", 4, 300), uniform(-2, -1)),
        case("f32-ascending", rows_of("f32", 2, 1000), ramp(0.5)),
        case("f32-cancelling", rows_of("f32", 2, 1000), cancelling),
        case("f32-17*2^20-ones", whole("f32", 17 << 20), constant(1.0), runs=1, marks=LARGE),
    ),
    *with_oracle(
        repeated(expect(integers=True)),
        case(
            "f16-rows=2^21+1-cols=1024",
            rows_of("f16", (1 << 21) + 1, 1024),
            repeating(small_integers),
            runs=1,
            marks=HUGE,
        ),
    ),
    sampled("f16-rows=3*2^20+1-cols=1024", rows_of("f16", (3 << 20) + 1, 1024)),
    *misuse_cases(
        SMALL,
        {
            "dtypes-differ": ("UNSUPPORTED_DTYPE", changed(SMALL, "y", dtype="f16")),
            "dtype-i32": ("UNSUPPORTED_DTYPE", all_of(SMALL, dtype="i32")),
            "rows-differ": ("SHAPE_MISMATCH", changed(SMALL, "y", shape=(4,))),
            "rank-kept": ("SHAPE_MISMATCH", changed(SMALL, "y", shape=(3, 1))),
            "strided-x": ("UNSUPPORTED_LAYOUT", changed(SMALL, "x", strides=(9, 1))),
        },
    ),
    *(
        Case(f"large-{c.id}", c.draw, misuse=c.misuse)
        for c in misuse_cases(whole("f32", 300000), {})
        if c.id == "short-workspace"
    ),
]
