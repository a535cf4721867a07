"""plan: how many rotating buffer sets a cold measurement needs, and whether they fit."""

from __future__ import annotations

import math

MIN_TOTAL_BYTES = 512 << 20
L2_MULTIPLE = 8
MIN_SETS, MAX_SETS = 4, 4096
MEMORY_SHARE = 0.8


def buffer_sets(set_bytes: int, l2_bytes: int, memory_bytes: int, *, copies: int = 1) -> int:
    """The number of buffer sets of `set_bytes` each (all tensors, outputs too); 0: no room.

    They total at least 8 times the L2 cache and 512 MiB, so that no call finds its data cached,
    and are never fewer than MIN_SETS. Tiny ones would be too many to prepare: MAX_SETS are more
    than a sample has calls, and the copies before each sample drive the others out of the cache.
    `copies` counts how often the whole is allocated.
    """
    if set_bytes <= 0:
        raise ValueError("a buffer set holds at least one byte")
    total = max(MIN_TOTAL_BYTES, L2_MULTIPLE * l2_bytes)
    sets = min(max(MIN_SETS, math.ceil(total / set_bytes)), MAX_SETS)
    return sets if sets * set_bytes * copies <= MEMORY_SHARE * memory_bytes else 0


def peak_bytes_per_second(memory_clock_khz: int, bus_width_bits: int) -> float | None:
    """The datasheet's bandwidth of double-data-rate memory; None where the driver tells nothing."""
    if memory_clock_khz <= 0 or bus_width_bits <= 0:
        return None
    return 2.0 * memory_clock_khz * 1e3 * bus_width_bits / 8.0


def impossible(minimum_bytes: int, microseconds: float, peak: float | None) -> bool:
    """Whether a time is shorter than physics allows: under 95 % of minimum bytes over peak."""
    if peak is None:
        return False
    return microseconds * 1e-6 < 0.95 * minimum_bytes / peak
