"""protocol: what to sample when, apart from any device.

The kernel and what is measured beside it are interleaved round by round, each sample over the next
buffer sets. Where one of them is short, all are timed many calls at a time, replayed from a graph
if they can be captured; but for those that are ten times as long, calls of which are timed alone.
Sampling ends when everything is stable, or at a time limit; the result says which.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from camp.bench.sampled import Reading, Sampled
from camp.bench.statistics import MIN_SAMPLES

WARM_UP_US = 25_000.0
SHORT_CALL_US = 150.0
SLOW_CALL_US = 1_500.0
SAMPLE_US = 1_500.0
MAX_CALLS = 512


@dataclass(frozen=True)
class Candidate:
    """Something to time. `call(i)` enqueues the work on buffer set i and returns at once;
    `poison(i)` spoils that set's outputs first, so that work left undone shows."""

    name: str
    call: Callable[[int], None]
    poison: Callable[[int], None] = lambda index: None


@dataclass(frozen=True)
class Batch:
    """What one sample times: calls of one candidate on these sets, back to back; `graph` is the
    handle of a graph that holds them, 0 where each call is enqueued."""

    candidate: Candidate
    sets: tuple[int, ...]
    graph: int = 0


class Stopwatch(Protocol):
    """Times calls on a device. The real one is camp.bench.stopwatch.DeviceStopwatch."""

    def capture(self, batch: Batch) -> Batch:
        """The same batch as a graph. Raises when its calls cannot be captured."""

    def measure(self, batch: Batch) -> Reading:
        """Device time in microseconds of the whole batch, and the clock meanwhile."""


@dataclass(frozen=True)
class Sampling:
    """What was found: of the kernel, of each other candidate by name, and words on those that were
    left out or could not be captured. maximum_mhz: the highest SM clock seen."""

    kernel: Sampled
    beside: dict[str, Sampled]
    notes: tuple[str, ...]
    maximum_mhz: int


def windows(estimate_us: float, sets: int) -> list[tuple[int, ...]]:
    """The sets that each sample walks through, sample after sample, for short calls.

    Calls of `estimate_us` make about 1.5 ms together. No set comes again before all others were
    used: one window holds them all, equally often, or several share them.
    """
    calls = max(1, min(MAX_CALLS, math.ceil(SAMPLE_US / max(estimate_us, 1e-3))))
    if calls < sets:
        return [
            tuple((start + offset) % sets for offset in range(calls))
            for start in range(0, sets, calls)
        ]
    return [tuple(range(sets)) * min(math.ceil(calls / sets), max(1, MAX_CALLS // sets))]


def warm_up(stopwatch: Stopwatch, candidate: Candidate, sets: int) -> float:
    """Runs at least 25 ms of device time and one pass over the sets; returns us a call at its end.

    The time settles clocks; the pass touches every page.
    """
    spent, used, last, burst = 0.0, 0, 0.0, 1
    while spent < WARM_UP_US or used < sets:
        indices = tuple((used + offset) % sets for offset in range(burst))
        elapsed = stopwatch.measure(Batch(candidate, indices)).us
        last = elapsed / burst
        # A device that reports no time at all must not keep this loop alive.
        spent += max(elapsed, 1.0 * burst)
        used += burst
        burst = len(windows(last, sets)[0]) if last < SHORT_CALL_US else 1
    return last


class _Track:
    """One candidate on its way through the rounds."""

    def __init__(self, stopwatch: Stopwatch, candidate: Candidate, sets: int) -> None:
        self.candidate, self._sets = candidate, sets
        self.estimate_us = warm_up(stopwatch, candidate, sets)

    def plan(self, stopwatch: Stopwatch, *, short: bool) -> str:
        """Decides what a sample is, a call alone or a graph of several; a word where it should be a
        graph and cannot."""
        word, method = "", "events"
        batches = [Batch(self.candidate, (index,)) for index in range(self._sets)]
        if short and self.estimate_us < SLOW_CALL_US:
            batches = [
                Batch(self.candidate, each) for each in windows(self.estimate_us, self._sets)
            ]
            try:
                graphs = [stopwatch.capture(batch) for batch in batches]
                for graph in graphs:
                    stopwatch.measure(graph)  # its first launch uploads it
                batches, method = graphs, "graph"
            except Exception as error:
                word = (
                    f"{self.candidate.name} cannot be captured in a graph ({first_line(error)}): "
                    "timed call by call, which adds the cost of launching behind another kernel"
                )
        self._batches = batches
        self.found = Sampled(len(batches[0].sets), method)
        return word

    def take(self, stopwatch: Stopwatch, number: int) -> Reading:
        """Takes the sample of one round."""
        batch = self._batches[number % len(self._batches)]
        reading = stopwatch.measure(batch)
        self.found.add(reading, batch.sets)
        return reading


def sample(
    stopwatch: Stopwatch,
    kernel: Candidate,
    beside: Sequence[Candidate],
    sets: int,
    *,
    time_limit_s: float = 2.0,
    maximum_mhz: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> Sampling:
    """Warms up and samples the kernel and every candidate beside it.

    At least MIN_SAMPLES rounds are made, whatever the limit says. Samples of rounds during which
    the times still drifted are dropped while there is time for others, those of a throttling device
    always. maximum_mhz: the highest SM clock known so far. What the kernel raises goes to the
    caller; a candidate beside it that raises is left out with a word.
    """
    notes: list[str] = []
    tracks = [_Track(stopwatch, kernel, sets)]
    for candidate in beside:
        try:
            tracks.append(_Track(stopwatch, candidate, sets))
        except Exception as error:
            notes.append(_left_out(candidate, error))
    # One way for all of them: a graph and a pair of events differ by a microsecond or two.
    short = min(track.estimate_us for track in tracks) < SHORT_CALL_US
    words = [track.plan(stopwatch, short=short) for track in tracks]
    notes += filter(None, words)
    rounds = _Rounds(stopwatch, tracks, maximum_mhz)
    deadline = clock() + time_limit_s
    while True:
        rounds.run_one()
        if rounds.kept >= MIN_SAMPLES and (clock() >= deadline or rounds.settled()):
            break
    rounds.count()
    found = {track.candidate.name: track.found for track in rounds.tracks}
    return Sampling(found.pop(kernel.name), found, tuple(notes + rounds.notes), rounds.maximum_mhz)


class _Rounds:
    """The rounds so far: each takes one sample of every candidate."""

    def __init__(self, stopwatch: Stopwatch, tracks: list[_Track], maximum_mhz: int) -> None:
        self.tracks, self.maximum_mhz = tracks, maximum_mhz
        self.notes: list[str] = []
        self._stopwatch = stopwatch
        self._number, self._first, self._next_look = 0, 0, MIN_SAMPLES

    @property
    def kept(self) -> int:
        """How many rounds count."""
        return self._number - self._first

    def run_one(self) -> None:
        # The order turns each round: whoever runs first after the pause is not always the same.
        turn = self._number % len(self.tracks)
        for track in [*self.tracks[turn:], *self.tracks[:turn]]:
            try:
                clock = track.take(self._stopwatch, self._number).clock
            except Exception as error:
                if track is self.tracks[0]:
                    raise
                self.tracks.remove(track)
                self.notes.append(_left_out(track.candidate, error))
                continue
            self.maximum_mhz = max(self.maximum_mhz, clock.sm_mhz if clock else 0)
        self._number += 1

    def count(self) -> None:
        for track in self.tracks:
            track.found.keep(self._first, self.maximum_mhz)

    def settled(self) -> bool:
        """Whether every candidate is stable. While one drifts, the first half of the rounds belongs
        to the warm-up; it is dropped for all of them, so that they stay side by side."""
        if self._number < self._next_look:
            return False
        self._next_look = self._number + max(1, self.kept // 8)
        self.count()
        if any(track.found.drift for track in self.tracks):
            self._first += (self.kept + 1) // 2
            return False
        return all(track.found.stop == "stable" for track in self.tracks)


def first_line(error: Exception) -> str:
    """The beginning of what went wrong, to be quoted in a sentence."""
    text = str(error).strip().splitlines()
    return text[0].rstrip(".") if text else type(error).__name__


def _left_out(candidate: Candidate, error: Exception) -> str:
    return f"{candidate.name} is left out: it raised {type(error).__name__}: {first_line(error)}"
