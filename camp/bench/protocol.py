"""protocol: when to sample what, apart from any device.

Candidates are interleaved round by round, each sample over the next buffer sets. Short calls are
timed many at a time. Sampling ends when every candidate is stable, or at a time limit; the result
says which.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from camp.bench.statistics import MIN_SAMPLES, Summary, is_stable, summarize

WARM_UP_US = 25_000.0
SHORT_CALL_US = 150.0
SAMPLE_US = 1_500.0
MAX_CALLS = 200


class Stopwatch(Protocol):
    """Times calls on a device. The real one is camp.bench.gpu.EventStopwatch."""

    def measure(self, candidate: Candidate, sets: Sequence[int]) -> float:
        """Device time in microseconds of one call on each of `sets`, back to back."""


@dataclass(frozen=True)
class Candidate:
    """Something to time. `call(i)` enqueues the work on buffer set i and returns at once;
    `poison(i)` spoils that set's outputs first, so that work left undone shows."""

    name: str
    call: Callable[[int], None]
    poison: Callable[[int], None] = lambda index: None


@dataclass
class Sampled:
    """Samples of one candidate, in microseconds a call."""

    calls_per_sample: int
    samples_us: list[float] = field(default_factory=list)
    stop: str = ""
    last_set: int = 0

    @property
    def summary(self) -> Summary:
        return summarize(self.samples_us)


def calls_per_sample(estimate_us: float) -> int:
    """How many calls one sample holds: one for long calls, about 1.5 ms of short ones."""
    if estimate_us >= SHORT_CALL_US:
        return 1
    return max(1, min(MAX_CALLS, math.ceil(SAMPLE_US / max(estimate_us, 1e-3))))


def warm_up(stopwatch: Stopwatch, candidate: Candidate, sets: int) -> float:
    """Runs at least 25 ms of device time and one pass over the sets; returns us a call at its end.

    The time settles clocks; the pass touches every page.
    """
    spent, used, last, burst = 0.0, 0, 0.0, 1
    while spent < WARM_UP_US or used < sets:
        indices = [(used + offset) % sets for offset in range(burst)]
        elapsed = stopwatch.measure(candidate, indices)
        last = elapsed / burst
        # A device that reports no time at all must not keep this loop alive.
        spent += max(elapsed, 1.0 * burst)
        used += burst
        burst = calls_per_sample(last)
    return last


def sample(
    stopwatch: Stopwatch,
    candidates: Sequence[Candidate],
    sets: int,
    *,
    time_limit_s: float = 5.0,
    clock: Callable[[], float] = time.monotonic,
    on_round: Callable[[int], None] = lambda number: None,
) -> dict[str, Sampled]:
    """Warms up and samples every candidate; name -> its samples.

    At least MIN_SAMPLES rounds are made, whatever the limit says.
    """
    found = {
        candidate.name: Sampled(calls_per_sample(warm_up(stopwatch, candidate, sets)))
        for candidate in candidates
    }
    cursor = dict.fromkeys(found, 0)
    started, number = clock(), 0
    while True:
        # The order turns each round: whoever runs first after the pause is not always the same.
        turn = number % len(candidates)
        for candidate in [*candidates[turn:], *candidates[:turn]]:
            samples = found[candidate.name]
            calls = samples.calls_per_sample
            start = cursor[candidate.name]
            indices = [(start + offset) % sets for offset in range(calls)]
            samples.samples_us.append(stopwatch.measure(candidate, indices) / calls)
            samples.last_set = indices[-1]
            cursor[candidate.name] = (start + calls) % sets
        number += 1
        on_round(number)
        if number < MIN_SAMPLES:
            continue
        stable = all(is_stable(samples.samples_us) for samples in found.values())
        if stable or clock() - started >= time_limit_s:
            break
    for samples in found.values():
        samples.stop = "stable" if is_stable(samples.samples_us) else "time limit"
    return found
