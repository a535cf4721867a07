"""reduce_sum: sums of rows in Triton, tuned for each width: a peer of the CUDA kernel."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


def _configs() -> list[Any]:
    """Rows and columns of the tile that a program holds, 8 to 32 elements a thread."""
    shapes = [(32, 128, 8), (16, 128, 4), (8, 128, 4), (4, 1024, 8), (1, 1024, 4), (1, 4096, 8)]
    shapes += [(1, 4096, 16), (1, 8192, 16), (1, 16384, 32)]
    return [
        triton.Config({"ROWS": rows, "STEP": step}, num_warps=warps) for rows, step, warps in shapes
    ]


def _fitting(configs: list[Any], arguments: dict[str, Any], **rest: Any) -> list[Any]:
    """Steps that are not wider than the row, and of those the wider ones."""
    cols = arguments["cols"]
    found = [config for config in configs if cols / 64 <= config.kwargs["STEP"] <= cols]
    return found or [configs[0]]


@triton.autotune(
    configs=_configs(),
    key=["cols"],
    prune_configs_by={"early_config_prune": _fitting},
    do_bench=lambda call, quantiles: triton.testing.do_bench(
        call, warmup=3, rep=15, quantiles=quantiles
    ),
)
@triton.jit
def row_sum_kernel(y, x, rows, cols, ROWS: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, STEP)
    total = tl.zeros([ROWS, STEP], tl.float32)
    for first in range(0, cols, STEP):
        inside = (row[:, None] < rows) & (first + column[None, :] < cols)
        place = x + row[:, None] * cols + first + column[None, :]
        total += tl.load(place, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row, tl.sum(total, axis=1).to(y.dtype.element_ty), mask=row < rows)


def row_sum(y: Any, x: Any) -> None:
    """y[rows] = sums of the rows of x[rows, cols]; torch tensors."""
    rows, cols = x.shape
    row_sum_kernel[lambda chosen: (triton.cdiv(rows, chosen["ROWS"]),)](y, x, rows, cols)
