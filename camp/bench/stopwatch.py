"""stopwatch: times batches of calls on a real device, used inside the benchmark worker only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from camp.bench.clocks import Clock
from camp.bench.gpu import Region
from camp.bench.protocol import Batch
from camp.bench.sampled import Reading
from camp.errors import CampError

LOAD_OVER_L2 = 2
MIN_LOAD_BYTES = 64 << 20
MAX_DELAY_COPIES = 256
MAX_ATTEMPTS = 8


class DeviceStopwatch:
    """Times a batch between two events of one stream.

    Before the first event the stream is loaded with copies that outlast the enqueueing of the
    batch, so the device never waits for the host; they also drive what the poison left out of the
    cache. A sample whose load ran out too early is thrown away and taken again with a longer one.
    With `hot`, the batch runs once between load and first event, to find its data in the cache.
    read_clock: called while the device works on the sample.
    """

    def __init__(
        self,
        library: Any,
        device: int,
        stream: int,
        l2_bytes: int,
        *,
        hot: bool = False,
        read_clock: Callable[[], Clock | None] = lambda: None,
    ) -> None:
        self.runtime, self.stream = library, stream
        self._hot, self._read_clock = hot, read_clock
        self._load_bytes = max(MIN_LOAD_BYTES, LOAD_OVER_L2 * l2_bytes)
        self._load = Region(library, device, self._load_bytes, 2)
        self._events = [library.event_create(device) for _ in range(3)]
        # How many copies outlast the enqueueing, by candidate and whether it is one graph launch.
        self._copies: dict[tuple[str, bool], int] = {}
        self._graphs: list[int] = []
        self.starved = 0  # samples kept although the device had to wait

    def capture(self, batch: Batch) -> Batch:
        """The batch as a graph. Raises what its calls raise, or a RuntimeStatusError."""
        self.runtime.graph_begin(self.stream)
        try:
            for index in batch.sets:
                batch.candidate.call(index)
        except BaseException:
            # The capture must end whatever happened; it may be void already.
            with contextlib.suppress(CampError):
                self.runtime.graph_destroy(self.runtime.graph_end(self.stream))
            raise
        self._graphs.append(self.runtime.graph_end(self.stream))
        return replace(batch, graph=self._graphs[-1])

    def measure(self, batch: Batch) -> Reading:
        """Device microseconds of the whole batch."""
        library, stream = self.runtime, self.stream
        before, start, end = self._events
        kind = (batch.candidate.name, batch.graph != 0)
        copies = self._copies.get(kind, 1)
        for attempt in range(MAX_ATTEMPTS):
            for index in dict.fromkeys(batch.sets):
                batch.candidate.poison(index)
            library.stream_synchronize(stream)
            library.event_record(before, stream)
            enqueued = time.perf_counter()
            for _ in range(copies):
                self._delay()
            if self._hot:
                self._enqueue(batch)
            library.event_record(start, stream)
            self._enqueue(batch)
            library.event_record(end, stream)
            host_us = (time.perf_counter() - enqueued) * 1e6
            clock = self._read_clock()
            library.event_synchronize(end)
            if library.event_elapsed_ms(before, start) * 1e3 >= host_us:
                break
            copies = self._copies[kind] = min(copies * 2, MAX_DELAY_COPIES)
            self.starved += attempt == MAX_ATTEMPTS - 1
        return Reading(float(library.event_elapsed_ms(start, end)) * 1e3, clock)

    def _enqueue(self, batch: Batch) -> None:
        if batch.graph:
            self.runtime.graph_launch(batch.graph, self.stream)
            return
        for index in batch.sets:
            batch.candidate.call(index)

    def _delay(self) -> None:
        to, source = self._load.slot(0), self._load.slot(1)
        self.runtime.copy(to, source, self._load_bytes, "device_to_device", self.stream)

    def free(self) -> None:
        self._load.free()
        for event in self._events:
            self.runtime.event_destroy(event)
        for graph in self._graphs:
            self.runtime.graph_destroy(graph)
