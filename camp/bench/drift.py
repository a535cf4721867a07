"""drift: whether samples, in the order they were taken, still move in one direction.

A device that warms up or heats up gives samples that pass for steady: their interquartile range is
half of the whole drift. So the mean of the last third is held against that of the first, all
samples being clipped to p10..p90, lest one wild sample decide. They differ by chance as well: for
independent normal samples, 31 in all, by a third of the interquartile range (one standard
deviation), while a linear drift moves them 1.3 times its own interquartile range apart and a single
step in the middle, once. The threshold lies between: 0.9 interquartile ranges, and 0.5 % of the
median, below which no drift matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from camp.bench.statistics import summarize

DRIFT_OVER_IQR = 0.9
DRIFT_OVER_MEDIAN = 0.005


def drift(samples: Sequence[float]) -> float:
    """By which share of the median the samples moved from the first third to the last; 0.0 when
    that is no more than chance, or there are fewer than 9 samples. +0.02 means 2 % slower."""
    third = len(samples) // 3
    if third < 3:
        return 0.0
    summary = summarize(samples)
    clipped = [min(max(sample, summary.p10), summary.p90) for sample in samples]
    moved = fmean(clipped[-third:]) - fmean(clipped[:third])
    if summary.median <= 0.0 or abs(moved) <= DRIFT_OVER_MEDIAN * summary.median:
        return 0.0
    return moved / summary.median if abs(moved) > DRIFT_OVER_IQR * summary.iqr else 0.0
