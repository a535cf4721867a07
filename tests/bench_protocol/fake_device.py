"""fake_device: a device for the sampling loop that is a few lines of arithmetic.

It knows how long every call takes, at every moment, and has a clock of its own, which measuring
advances: tests of seconds take no time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from camp.bench.clocks import Clock
from camp.bench.protocol import Batch, Candidate
from camp.bench.sampled import Reading

FULL = Clock(sm_mhz=1980, memory_mhz=3201, reasons=0)
Time = float | Callable[[float], float]


class FakeDevice:
    """call_us: us a call by candidate, a number or a function of the time in seconds. noise: what
    the samples of each candidate are off by, in turn, as a share. clock_at: the clocks at a time.
    """

    def __init__(
        self,
        call_us: dict[str, Time],
        noise: Sequence[float] = (0.0,),
        *,
        clock_at: Callable[[float], Clock | None] = lambda now: FULL,
    ) -> None:
        self.call_us = call_us
        self.noise = {name: itertools.cycle(noise) for name in call_us}
        self.clock_at = clock_at
        self.not_capturable: set[str] = set()
        self.now = 0.0
        self.log: list[Batch] = []
        self.captured: list[Batch] = []

    def capture(self, batch: Batch) -> Batch:
        if batch.candidate.name in self.not_capturable:
            raise RuntimeError("operation not permitted when stream is capturing\nsecond line")
        self.captured.append(batch)
        return replace(batch, graph=len(self.captured))

    def measure(self, batch: Batch) -> Reading:
        self.log.append(batch)
        for index in batch.sets:
            batch.candidate.call(index)
        us = self.call_us[batch.candidate.name]
        call_us = us(self.now) if callable(us) else us
        elapsed = call_us * len(batch.sets) * (1.0 + next(self.noise[batch.candidate.name]))
        self.now += elapsed * 1e-6
        return Reading(elapsed, self.clock_at(self.now))

    def clock(self) -> float:
        return self.now


def candidate(name: str, called: list[int] | None = None) -> Candidate:
    return Candidate(name, (called if called is not None else []).append)


def failing(name: str, after: int = 0) -> Candidate:
    """A candidate that raises at its call number `after` and from then on."""
    calls = itertools.count()

    def call(index: int) -> None:
        if next(calls) >= after:
            raise ValueError("no such algorithm")

    return Candidate(name, call)
