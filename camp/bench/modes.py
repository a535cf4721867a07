"""modes: samples that lie around two values instead of one, whose median describes neither.

The rule is a gap test on the sorted samples. The widest gap that leaves at least 10 % of the
samples (and three) on either side splits them. They are two modes when that gap is wider than
twice the interquartile range of either side, and than 1 % of the median.

Why this rule. Samples around one value have no such gap in their bulk: of 5,000 draws of 31 samples
each, it found one in none of a normal, 1 of a uniform and 27 of an exponential distribution. Two
normal modes of equal weight are found when they are about 8 standard deviations apart: 4 for the
inner tails, 2 x 1.35 for twice an interquartile range, and some for chance. Closer ones pass for
one wide mode, whose p10..p90 says as much. Splitting by least squares with a threshold on the
separation (Ashman, Bird and Zepf, 1994, call 2 separate) was not taken: cut in the middle, a
uniform distribution already scores 3.5 and a normal one 2.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from camp.bench.statistics import percentile, summarize

MIN_SHARE = 0.10
MIN_COUNT = 3
GAP_OVER_IQR = 2.0
GAP_OVER_MEDIAN = 0.01


@dataclass(frozen=True)
class Mode:
    """One of several values around which samples lie: their median, and the share of them."""

    value: float
    share: float


def two_modes(samples: Sequence[float]) -> tuple[Mode, ...]:
    """The lower and the upper mode, in the samples' unit; () when they have one mode or are few."""
    ordered = sorted(samples)
    count = len(ordered)
    edge = max(MIN_COUNT, int(MIN_SHARE * count + 0.999))
    cuts = range(edge, count - edge + 1)
    if not cuts:
        return ()
    cut = max(cuts, key=lambda index: ordered[index] - ordered[index - 1])
    gap = ordered[cut] - ordered[cut - 1]
    sides = [summarize(ordered[:cut]), summarize(ordered[cut:])]
    widest = max(side.iqr for side in sides)
    if gap <= GAP_OVER_IQR * widest or gap <= GAP_OVER_MEDIAN * percentile(ordered, 0.5):
        return ()
    return tuple(Mode(side.median, side.n / count) for side in sides)
