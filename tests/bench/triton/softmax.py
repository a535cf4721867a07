"""softmax: rows in Triton, tuned for each width: a peer of the CUDA kernel.

Up to WIDEST columns a program keeps one or more whole rows in registers, one read and one write of
every element. Wider rows are walked twice: once for maximum and sum, once for the quotients.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

WIDEST = 65536
STEP = 8192


def _configs() -> list[Any]:
    """Rows of a program times warps. Which fit a width, `_fitting` says."""
    return [
        triton.Config({"ROWS": rows}, num_warps=warps)
        for rows in (1, 2, 4, 8, 16, 32, 64)
        for warps in (1, 2, 4, 8, 16, 32)
    ]


def _fitting(configs: list[Any], arguments: dict[str, Any], **rest: Any) -> list[Any]:
    """Few enough to be tried in a second: 8 or 16 elements a thread, for fewer starve the memory;
    32 or more only where a row is so wide, for more spill. Several rows only where they are narrow.
    """
    width = rest.get("WIDTH") or arguments["WIDTH"]
    found = []
    for config in configs:
        rows, threads = config.kwargs["ROWS"], 32 * config.num_warps
        each = rows * width // threads
        several = rows > 1 and 1024 <= rows * width <= 4096 and 8 <= each <= 16
        one = rows == 1 and (8 <= each <= 32 or (each > 32 and config.num_warps == 32))
        if several or one:
            found.append(config)
    return found or configs[:1]


def _quick(call: Any, quantiles: Any) -> Any:
    return triton.testing.do_bench(call, warmup=3, rep=15, quantiles=quantiles)


@triton.autotune(
    configs=_configs(),
    key=["cols"],
    prune_configs_by={"early_config_prune": _fitting},
    do_bench=_quick,
)
@triton.jit
def whole_rows_kernel(y, x, rows, cols, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    inside = (row < rows) & (column < cols)
    values = tl.load(x + row * cols + column, mask=inside, other=float("-inf")).to(tl.float32)
    shifted = values - tl.max(values, axis=1, keep_dims=True)
    powers = tl.exp(shifted)
    result = powers / tl.sum(powers, axis=1, keep_dims=True)
    tl.store(y + row * cols + column, result.to(y.dtype.element_ty), mask=inside)


@triton.autotune(
    configs=[triton.Config({}, num_warps=warps) for warps in (8, 16, 32)],
    key=["cols"],
    do_bench=_quick,
)
@triton.jit
def long_rows_kernel(y, x, cols, STEP: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    lane = tl.arange(0, STEP)
    # Each lane keeps the maximum and the sum of its own columns; they meet after the walk.
    largest = tl.full([STEP], float("-inf"), tl.float32)
    total = tl.zeros([STEP], tl.float32)
    for first in range(0, cols, STEP):
        inside = first + lane < cols
        values = tl.load(x + start + first + lane, mask=inside, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(largest, values)
        # Lanes that have seen no column yet hold -inf twice, whose difference is no number.
        kept = tl.where(largest == float("-inf"), 0.0, total * tl.exp(largest - larger))
        total = kept + tl.where(inside, tl.exp(values - larger), 0.0)
        largest = larger
    peak = tl.max(largest, axis=0)
    scale = 1.0 / tl.sum(total * tl.exp(largest - peak), axis=0)
    for first in range(0, cols, STEP):
        inside = first + lane < cols
        values = tl.load(x + start + first + lane, mask=inside).to(tl.float32)
        result = tl.exp(values - peak) * scale
        tl.store(y + start + first + lane, result.to(y.dtype.element_ty), mask=inside)


def softmax(y: Any, x: Any) -> None:
    """y = softmax of the rows of x; both torch tensors of (rows, cols)."""
    rows, cols = x.shape
    if cols > WIDEST:
        long_rows_kernel[(rows,)](y, x, cols, STEP=STEP)
        return
    width = max(16, triton.next_power_of_2(cols))
    whole_rows_kernel[lambda chosen: (triton.cdiv(rows, chosen["ROWS"]),)](
        y, x, rows, cols, WIDTH=width
    )
