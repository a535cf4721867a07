"""Cases of softmax over the last axis. The maximum of a row sits where a faulty loop would miss
it: dropping that column changes the others at least threefold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from camp.grading.building import (
    EDGE_COLUMNS,
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
from camp.grading.dtypes import from_float64, to_float64
from camp.grading.oracle import Expectation, softmax_output
from camp.grading.repeated import repeated, repeating
from camp.grading.values import Values, constant, listed, normal, ramp, spikes, uniform

DTYPES = ("f32", "f16", "bf16")
STANDARD = normal()
LARGE = frozenset({"large"})
HUGE = frozenset({"gpu", "large"})  # more than 2^31 elements


def tensors(dtype: str, *shape: int, y_offset: int = 0, x_offset: int = 0) -> list[Tensor]:
    return [
        output("y", dtype, shape, offset=y_offset),
        input_("x", dtype, shape, offset=x_offset),
    ]


def expect(problem: Problem) -> Mapping[str, Expectation]:
    y, x = problem.tensors
    return {"y": softmax_output(to_float64(problem.inputs["x"], x.dtype), y.dtype)}


def case(case_id: str, wanted: list[Tensor], values: Values = STANDARD, **fields: Any) -> Case:
    return Case(case_id, drawn(wanted, values), **fields)


def edges(cols: int) -> list[int]:
    """First, last, and both sides of warp and block edges, the most telling ones first."""
    marks = (0, cols - 1, 31, 32, 255, 256, 1023, 1024, 4096)
    return list(dict.fromkeys(column for column in marks if column < cols))


def spiked(dtype: str, cols: int, rows: int | None = None, runs: int = 3) -> Case:
    columns = edges(cols)
    wanted = tensors(dtype, rows or len(columns), cols)
    return case(f"{dtype}-cols={cols}", wanted, spikes(columns), runs=runs)


def random_shape(rng: np.random.Generator) -> Problem:
    rows, cols = int(rng.integers(1, 9)), int(rng.integers(1, 3000))
    return drawn(tensors("f32", rows, cols), normal(3.0))(rng)


def row_kinds(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Row by row: one finite among -inf, all -inf, one NaN, -inf among finite, ordinary."""
    x = rng.standard_normal(shape)
    x[0] = -np.inf
    x[0, shape[1] // 2] = 3.0
    x[1] = -np.inf
    x[2, shape[1] - 1] = np.nan
    x[3, ::2] = -np.inf
    return from_float64(x, dtype)


SMALL = tensors("f32", 3, 8)
WIDTHS = (63, 128, 513, 1024, 2050, 8193, 16385)
GPU = frozenset({"gpu"})  # only a GPU has the way that they take

CASES: list[Case] = [
    *with_oracle(
        expect,
        *(spiked("f32", c) for c in EDGE_COLUMNS if c < 4097),
        spiked("f32", 4097, rows=4),
        spiked("f32", 12289, rows=2),
        spiked("f32", 32769, rows=2, runs=2),
        *(case(f"f32-rows=5-cols={c}", tensors("f32", 5, c)) for c in (7, 64, 100, 256, 257, 1000)),
        # Both sides of the widths at which a solution may change its way, rows at any address.
        *(case(f"f32-rows=2-cols={c}", tensors("f32", 2, c), runs=1) for c in WIDTHS),
        *(case(f"f16-rows=2-cols={c}", tensors("f16", 2, c), runs=1) for c in WIDTHS[-3:]),
        case("bf16-rows=3-cols=32769", tensors("bf16", 3, 32769), runs=1),
        *(
            case(f"{d}-rows={r}-cols={c}", tensors(d, r, c), runs=1, marks=GPU)
            for d, r, c in (("bf16", 3, 131077), ("f32", 3, 65541), ("f32", 1, 270001))
        ),
        # More rows than a GPU holds at a time, so that what works on one row goes on to another.
        *(
            case(f"{d}-rows={r}-cols={c}", tensors(d, r, c), runs=1, marks=LARGE)
            for d, r, c in (
                ("bf16", 300, 32761),
                ("f32", 150, 33001),
                ("bf16", 150, 50257),
                ("f16", 40, 262144),
                ("f32", 40, 262143),
                ("f32", 20, 530003),
            )
        ),
        case("f32-rows=128-cols=1024", tensors("f32", 128, 1024), runs=1, traffic=True),
        Case("f32-random-shape", random_shape),
        *(case(f"f32-equal-cols={c}", tensors("f32", 2, c), constant(0.5)) for c in (3, 33, 1025)),
        case("f32-large-logits", tensors("f32", 3, 100), uniform(990, 1010)),
        case("f32-scores-near-2000", tensors("f32", 2, 33), uniform(1990, 2010)),
        case("f32-alternating-1000", tensors("f32", 2, 64), listed([1000.0, -1000.0])),
        case("f32-negative-100", tensors("f32", 3, 3), constant(-100.0)),
        case("f32-negative-1e5", tensors("f32", 2, 40), uniform(-1e5 - 2, -1e5)),
        case("f32-all-negative", tensors("f32", 4, 20), uniform(-9, -1)),
        case("f32-ascending", tensors("f32", 2, 64), ramp(0.5)),
        case("f32-descending", tensors("f32", 2, 64), ramp(-0.5)),
        case("f32-ascending-steep", tensors("f32", 2, 300), ramp(20 / 64)),
        case("f32-infinities-and-nan", tensors("f32", 6, 35), row_kinds),
        case("f32-zeros-and-subnormals", tensors("f32", 2, 33), listed([0.0, -0.0, 1e-40, -1e-40])),
        *(
            case(f"f32-cols=129-offsets={y},{x}", tensors("f32", 3, 129, y_offset=y, x_offset=x))
            for y, x in ((0, 1), (1, 2), (3, 3))
        ),
        case("f32-shape=2x3x37", tensors("f32", 2, 3, 37)),
        case("f32-rank-1", tensors("f32", 45)),
        case("f32-rows=0", tensors("f32", 0, 5)),
        case("f32-cols=0", tensors("f32", 3, 0)),
        *(spiked(d, c) for d in DTYPES[1:] for c in (1, 17, 33, 1025)),
        *(case(f"{d}-infinities-and-nan", tensors(d, 6, 35), row_kinds) for d in DTYPES[1:]),
        case("f16-cols=129-offsets=1,3", tensors("f16", 3, 129, y_offset=1, x_offset=3)),
        case("f32-two-operators", tensors("f32", 3, 333), interleave=True),
        case("f32-rows=65536-cols=2", tensors("f32", 65536, 2), runs=1, cut_after_s=3),
        case("f32-rows=65535-cols=2", tensors("f32", 65535, 2), runs=1, cut_after_s=3, marks=LARGE),
    ),
    *with_oracle(
        repeated(expect),
        case(
            "f16-rows=2^21+1-cols=1024",
            tensors("f16", (1 << 21) + 1, 1024),
            repeating(STANDARD),
            runs=1,
            marks=HUGE,
        ),
    ),
    sampled("f16-rows=3*2^20+1-cols=1024", tensors("f16", (3 << 20) + 1, 1024)),
    sampled("f16-cols=2^31-1", tensors("f16", 1, (1 << 31) - 1), cut_after_s=10, marks=LARGE),
    *misuse_cases(
        SMALL,
        {
            "dtypes-differ": ("UNSUPPORTED_DTYPE", changed(SMALL, "y", dtype="f16")),
            "dtype-f64": ("UNSUPPORTED_DTYPE", all_of(SMALL, dtype="f64")),
            "shapes-differ": ("SHAPE_MISMATCH", changed(SMALL, "x", shape=(3, 9))),
            "rank-0": ("SHAPE_MISMATCH", all_of(SMALL, shape=())),
            "strided-x": ("UNSUPPORTED_LAYOUT", changed(SMALL, "x", strides=(9, 1))),
        },
    ),
]
