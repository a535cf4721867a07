"""Cases of copy: y[i] = x[i], bit for bit, at every size and alignment that breaks a kernel."""

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
from camp.grading.oracle import Expectation, same_bits
from camp.grading.repeated import repeated, repeating
from camp.grading.values import Values, constant, raw_bits, tagged

OTHER_DTYPES = ("f16", "bf16", "f64", "i32", "i64", "u8")
HUGE = frozenset({"gpu", "large"})  # more than 2^31 elements


def tensors(dtype: str, *shape: int, y_offset: int = 0, x_offset: int = 0) -> list[Tensor]:
    return [
        output("y", dtype, shape, offset=y_offset),
        input_("x", dtype, shape, offset=x_offset),
    ]


def expect(problem: Problem) -> Mapping[str, Expectation]:
    return {"y": same_bits(problem.inputs["x"], problem.tensor("y").dtype)}


def case(case_id: str, wanted: list[Tensor], values: Values = tagged, **fields: Any) -> Case:
    return Case(case_id, drawn(wanted, values), **fields)


def random_size(rng: np.random.Generator) -> Problem:
    return drawn(tensors("f32", int(rng.integers(2, 5000))), tagged)(rng)


SMALL = tensors("f32", 8)

CASES: list[Case] = [
    *with_oracle(
        expect,
        *(case(f"f32-n={n}", tensors("f32", n)) for n in EDGE_SIZES),
        case("f32-n=0", tensors("f32", 0)),
        Case("f32-n=random", random_size),
        *(
            case(f"f32-n=1027-offsets={y},{x}", tensors("f32", 1027, y_offset=y, x_offset=x))
            for y, x in OFFSETS
        ),
        *(
            case(f"f32-n={n}-offsets=1,1", tensors("f32", n, y_offset=1, x_offset=1))
            for n in (1, 2, 5)
        ),
        # Two phases: vectors of y that lie across two of x, and none of them past either end.
        *(
            case(f"f32-n={n}-offsets={y},{x}", tensors("f32", n, y_offset=y, x_offset=x))
            for n in (11, 12, 13, 15, 16, 17)
            for y, x in ((0, 1), (3, 2))
        ),
        *(
            case(f"u8-n={n}-offsets=5,2", tensors("u8", n, y_offset=5, x_offset=2))
            for n in (58, 59, 60, 75)
        ),
        *(case(f"{d}-n={n}", tensors(d, n)) for d in OTHER_DTYPES for n in (1, 7, 33, 1025)),
        *(
            case(f"{d}-n=1031-offsets={y},{x}", tensors(d, 1031, y_offset=y, x_offset=x))
            for d in ("f16", "u8", "f64")
            for y, x in ((1, 1), (3, 3), (5, 2))
        ),
        case("u8-n=0", tensors("u8", 0)),
        case("f32-shape=3x5x7", tensors("f32", 3, 5, 7)),
        case("f32-shape=3x0x7", tensors("f32", 3, 0, 7)),
        case("f32-scalar", tensors("f32")),
        *(case(f"{d}-raw-bits", tensors(d, 1000), raw_bits) for d in ("f32", "f16", "bf16", "f64")),
        case("f32-zeros", tensors("f32", 100), constant(0.0)),
        case("f32-two-operators", tensors("f32", 777), interleave=True),
        case(f"f32-n={LARGE_SIZE}", tensors("f32", LARGE_SIZE), runs=1, traffic=True),
    ),
    *with_oracle(
        repeated(expect),
        case("u8-n=2^31+17", tensors("u8", (1 << 31) + 17), repeating(tagged), runs=1, marks=HUGE),
    ),
    sampled("u8-n=3*2^30+1", tensors("u8", (3 << 30) + 1)),
    *misuse_cases(
        SMALL,
        {
            "dtypes-differ": ("UNSUPPORTED_DTYPE", changed(SMALL, "x", dtype="f64")),
            "shapes-differ": ("SHAPE_MISMATCH", changed(SMALL, "x", shape=(9,))),
            "ranks-differ": ("SHAPE_MISMATCH", changed(SMALL, "x", shape=(2, 4))),
            "strided-x": ("UNSUPPORTED_LAYOUT", changed(SMALL, "x", strides=(2,))),
            "strided-both": ("UNSUPPORTED_LAYOUT", all_of(SMALL, strides=(3,))),
        },
    ),
]
