"""stored: which elements a kernel never stored, and what the gap looks like."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from camp.grading.patterns.finding import Finding, Output, span, suffix_start

_TAIL = "add a scalar loop for what is left over when n is no multiple of the vector width"
_COVER = "let the threads loop (grid-stride) or launch ceil(n / block) blocks"


def unwritten_findings(output: Output) -> Iterator[Finding]:
    mask = output.outcome.unwritten
    if bool(mask.all()):
        yield Finding(
            f"nothing was stored: {output.name} still holds the fill pattern everywhere",
            "launch the kernel and store the result",
        )
        return
    if mask.ndim == 2 and mask.shape[0] > 1:
        yield from _by_columns(output, mask)
    flat = mask.reshape(-1)
    start = suffix_start(flat)
    if start is None:
        yield from _steps(flat)
        return
    text = f"{span(start, flat.size - 1)} were never stored (fill pattern intact from {start} on)"
    for width in (2, 4, 8, 16):
        if start == flat.size - flat.size % width and flat.size % width:
            left = f"; {flat.size} % {width} = {flat.size % width} are left over"
            yield Finding(text + left, _TAIL)
    yield Finding(text, _COVER)


def _by_columns(output: Output, mask: np.ndarray) -> Iterator[Finding]:
    columns: np.ndarray = np.asarray(mask.any(axis=0))
    rows: np.ndarray = np.asarray(mask.any(axis=1))
    if bool((mask == (rows[:, None] & columns[None, :])).all()):
        start = suffix_start(columns)
        if start:
            yield Finding(
                f"in {int(rows.sum())} of {rows.size} rows columns {start}..{columns.size - 1} "
                f"were never stored (fill pattern intact from column {start} on)",
                "loop over the columns with a stride of the threads that share a row",
            )
        first_row = suffix_start(rows)
        if first_row and bool(columns.all()):
            yield Finding(
                f"rows {first_row}..{rows.size - 1} were never stored",
                "launch a block (or a loop turn) for every row; rows may exceed 65535",
            )


def _steps(flat: np.ndarray) -> Iterator[Finding]:
    """Gaps that repeat: every second element, all but the first of each group, ..."""
    count = int(flat.sum())
    for period in (2, 3, 4, 8, 16, 32):
        lanes = [bool(flat[lane::period].all()) for lane in range(min(period, flat.size))]
        if (
            flat.size > period
            and sum(lanes) > 0
            and count
            == sum(int(flat[lane::period].size) for lane, empty in enumerate(lanes) if empty)
        ):
            yield Finding(
                f"{count} of {flat.size} elements were never stored: of every {period} in a row "
                f"those at {', '.join(str(i) for i, empty in enumerate(lanes) if empty)}",
                "check the stride between the elements of one thread",
            )
            return
    first = int(np.argmax(flat))
    yield Finding(f"{count} of {flat.size} elements were never stored, first {first}", _COVER)
