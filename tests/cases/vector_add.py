"""Cases of vector_add: z[i] = a[i] + b[i], rounded once from the exact sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from camp.grading.building import (
    EDGE_SIZES,
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
# Sums of all pairs of these: NaN from inf - inf, infinities, both zeros, subnormals, overflow.
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 6e4, 3e38, -3e38, 1e-40, 6e-8, 1e-45]
PAIR_SHAPE = (len(SPECIAL), len(SPECIAL))
HUGE = frozenset({"gpu", "large"})  # more than 2^31 elements


def tensors(dtype: str, *shape: int, offsets: tuple[int, int, int] = (0, 0, 0)) -> list[Tensor]:
    z, a, b = offsets
    return [
        output("z", dtype, shape, offset=z),
        input_("a", dtype, shape, offset=a),
        input_("b", dtype, shape, offset=b),
    ]


def expect(problem: Problem) -> Mapping[str, Expectation]:
    dtype = problem.tensor("z").dtype
    a, b = (to_float64(problem.inputs[name], dtype) for name in ("a", "b"))
    with np.errstate(invalid="ignore"):
        return {"z": exact_output(a + b, dtype)}


def case(case_id: str, wanted: list[Tensor], values: Values = STANDARD, **fields: Any) -> Case:
    return Case(case_id, drawn(wanted, values), **fields)


def random_size(rng: np.random.Generator) -> Problem:
    return drawn(tensors("f32", int(rng.integers(2, 5000))), tagged)(rng)


def special_pairs(dtype: str) -> Case:
    def draw(rng: np.random.Generator) -> Problem:
        a = listed(SPECIAL)(rng, PAIR_SHAPE, dtype)
        wanted = tensors(dtype, *PAIR_SHAPE)
        return Problem(tuple(wanted), {"a": a, "b": np.ascontiguousarray(a.T)})

    return Case(f"{dtype}-special-values", draw, expect)


SMALL = tensors("f32", 8)

CASES: list[Case] = [
    *with_oracle(
        expect,
        *(case(f"f32-n={n}", tensors("f32", n)) for n in EDGE_SIZES),
        case("f32-n=0", tensors("f32", 0)),
        Case("f32-n=random", random_size),
        *(
            case(f"f32-n=1027-offsets={y},{x},{x}", tensors("f32", 1027, offsets=(y, x, x)))
            for y, x in OFFSETS
        ),
        case("f32-n=1027-offsets=0,1,2", tensors("f32", 1027, offsets=(0, 1, 2))),
        *(
            case(f"f32-n={n}-offsets=1,3,0", tensors("f32", n, offsets=(1, 3, 0)))
            for n in (11, 14, 15, 16, 18, 19)
        ),
        case("f32-n=5-offsets=1,1,1", tensors("f32", 5, offsets=(1, 1, 1))),
        *(case(f"{d}-n={n}", tensors(d, n)) for d in ("f16", "bf16") for n in (0, 1, 7, 33, 1025)),
        *(
            case(f"{d}-n=1031-offsets={z},{a},{b}", tensors(d, 1031, offsets=(z, a, b)))
            for d in ("f16", "bf16")
            for z, a, b in ((1, 1, 1), (3, 2, 1))
        ),
        *(case(f"{d}-wide-range", tensors(d, 1000), wide_range) for d in DTYPES),
        case("f32-shape=3x5x7", tensors("f32", 3, 5, 7)),
        case("f32-two-operators", tensors("f32", 777), interleave=True),
        case(f"f32-n={LARGE_SIZE}", tensors("f32", LARGE_SIZE), runs=1, traffic=True),
    ),
    *with_oracle(
        repeated(expect),
        case(
            "f16-n=2^31+17", tensors("f16", (1 << 31) + 17), repeating(STANDARD), runs=1, marks=HUGE
        ),
    ),
    *(special_pairs(dtype) for dtype in DTYPES),
    sampled("f16-n=3*2^30+1", tensors("f16", (3 << 30) + 1)),
    *misuse_cases(
        SMALL,
        {
            "dtypes-differ": ("UNSUPPORTED_DTYPE", changed(SMALL, "b", dtype="f16")),
            "dtype-i32": ("UNSUPPORTED_DTYPE", all_of(SMALL, dtype="i32")),
            "shapes-differ": ("SHAPE_MISMATCH", changed(SMALL, "b", shape=(1,))),
            "output-too-small": ("SHAPE_MISMATCH", changed(SMALL, "z", shape=(7,))),
            "strided-a": ("UNSUPPORTED_LAYOUT", changed(SMALL, "a", strides=(2,))),
        },
    ),
]
