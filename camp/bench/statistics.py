"""statistics: what a list of timings says, and when enough of them were taken.

Pure functions: no clock, no device; units are the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MIN_SAMPLES = 31
STABLE_SPREAD = 0.01


def percentile(ordered: Sequence[float], fraction: float) -> float:
    """The value at `fraction` (0..1) of an ascending sequence, linear between neighbours.

    Raises ValueError when the sequence is empty or the fraction is outside 0..1.
    """
    if not ordered:
        raise ValueError("a percentile of no samples")
    if not 0.0 <= fraction <= 1.0:
        raise ValueError(f"a fraction of {fraction} is not within 0..1")
    position = fraction * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    weight = position - below
    return ordered[below] * (1.0 - weight) + ordered[above] * weight


@dataclass(frozen=True)
class Summary:
    """Order statistics of `n` samples, in the unit the samples had."""

    n: int
    median: float
    p10: float
    p90: float
    minimum: float
    iqr: float

    @property
    def spread(self) -> float:
        """Interquartile range over median: 0.01 is one percent."""
        return self.iqr / self.median if self.median > 0.0 else float("inf")


def summarize(samples: Sequence[float]) -> Summary:
    """Median, p10, p90, minimum and interquartile range. Raises ValueError on no samples."""
    ordered = sorted(samples)
    return Summary(
        n=len(ordered),
        median=percentile(ordered, 0.5),
        p10=percentile(ordered, 0.1),
        p90=percentile(ordered, 0.9),
        minimum=ordered[0],
        iqr=percentile(ordered, 0.75) - percentile(ordered, 0.25),
    )


def is_stable(samples: Sequence[float]) -> bool:
    """Whether sampling may stop: at least MIN_SAMPLES and an IQR under 1 % of the median."""
    return len(samples) >= MIN_SAMPLES and summarize(samples).spread < STABLE_SPREAD


def faster(a: Summary, b: Summary) -> bool:
    """Whether `a` beats `b` beyond noise: the intervals p10..p90 do not touch."""
    return a.p90 < b.p10


def gigabytes_per_second(size_bytes: int, microseconds: float) -> float:
    """Throughput in GB/s (1 GB = 1e9 bytes). Raises ValueError unless the time is positive."""
    if microseconds <= 0.0:
        raise ValueError(f"a time of {microseconds} us is no time")
    return size_bytes / microseconds / 1e3
