"""sampled: the samples of one candidate as they come in, and which of them count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from camp.bench.clocks import Clock, throttled
from camp.bench.drift import drift
from camp.bench.statistics import Summary, is_stable, summarize


@dataclass(frozen=True)
class Reading:
    """Device time of a whole sample in microseconds, and the clock meanwhile, where it is known."""

    us: float
    clock: Clock | None = None


@dataclass
class Sampled:
    """Samples of one candidate, in microseconds a call, in the order they were taken.

    method: "graph" or "events", how the calls were timed. last_sets: the buffer sets of the last
    sample. reasons: why samples were discarded.
    """

    calls_per_sample: int
    method: str
    stop: str = ""
    last_sets: tuple[int, ...] = ()
    samples_us: list[float] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=dict)
    drift: float = 0.0
    _taken: list[tuple[float, Clock | None]] = field(default_factory=list)

    def add(self, reading: Reading, sets: tuple[int, ...]) -> None:
        self._taken.append((reading.us / len(sets), reading.clock))
        self.last_sets = sets

    def keep(self, first: int, maximum_mhz: int) -> None:
        """Counts the samples from round `first` on that the device took unthrottled, its highest SM
        clock being `maximum_mhz`."""
        self.samples_us, self.reasons = [], {}
        for us, clock in self._taken[first:]:
            reason = throttled(clock, maximum_mhz) if clock else ""
            if reason:
                self.reasons[reason] = self.reasons.get(reason, 0) + 1
            else:
                self.samples_us.append(us)
        self.drift = drift(self.samples_us)
        stable = not self.drift and is_stable(self.samples_us)
        self.stop = "stable" if stable else "time limit"

    @property
    def summary(self) -> Summary:
        """Raises ValueError where no sample counts."""
        return summarize(self.samples_us)

    def to_json(self) -> dict[str, Any]:
        """What the worker tells its parent."""
        return {
            "calls_per_sample": self.calls_per_sample,
            "method": self.method,
            "stop": self.stop,
            "samples_us": self.samples_us,
            "reasons": self.reasons,
            "drift": self.drift,
        }
