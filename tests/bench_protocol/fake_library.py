"""fake_library: enough of camp._native.Library for buffers and stopwatch.

Its memory lies in Python and its device has its own time: work begins when it is enqueued or when
the device is done with what came before, whichever is later. Enqueueing costs the host time too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from camp.errors import LaunchError

HOST_US_PER_CALL = 5.0
COPY_US = 40.0


class FakeLibrary:
    def __init__(self) -> None:
        self.blocks: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self.host_us = 0.0
        self.device_us = 0.0
        self.events: dict[int, float] = {}
        self.graphs: dict[int, list[float]] = {}
        self.capturing: list[float] | None = None
        self.void = False  # whether the capture met something that cannot be captured
        self.copies = 0

    def work(self, us: float, host_us: float = HOST_US_PER_CALL) -> None:
        """Enqueues `us` of device work, or records it into the graph being captured."""
        if self.capturing is not None:
            self.capturing.append(us)
            return
        self.host_us += host_us
        self.device_us = max(self.device_us, self.host_us) + us

    def perf_counter(self) -> float:
        return self.host_us * 1e-6

    def alloc(self, device: int, size_bytes: int) -> int:
        block = ctypes.create_string_buffer(size_bytes)
        self.blocks[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, device: int, pointer: int) -> None:
        del self.blocks[pointer]

    def copy(self, to: int, source: int, size_bytes: int, kind: str, stream: int = 0) -> None:
        assert kind in ("host_to_device", "device_to_host", "device_to_device")
        self.copies += 1
        self.work(COPY_US)
        if size_bytes < 32 << 20:  # the load's megabytes need not move
            ctypes.memmove(to, source, size_bytes)

    def memset(self, pointer: int, value: int, size_bytes: int, stream: int = 0) -> None:
        ctypes.memset(pointer, value, size_bytes)
        self.work(1.0)

    def stream_synchronize(self, stream: int) -> None:
        if self.capturing is not None:
            self.void = True
            raise LaunchError("a capturing stream cannot be waited for", status="LAUNCH_FAILED")
        self.host_us = max(self.host_us, self.device_us)

    def event_create(self, device: int) -> int:
        self.events[len(self.events)] = 0.0
        return len(self.events) - 1

    def event_destroy(self, event: int) -> None:
        del self.events[event]

    def event_record(self, event: int, stream: int = 0) -> None:
        self.host_us += 1.0
        self.events[event] = max(self.device_us, self.host_us)

    def event_synchronize(self, event: int) -> None:
        self.stream_synchronize(0)

    def event_elapsed_ms(self, start: int, end: int) -> float:
        return (self.events[end] - self.events[start]) * 1e-3

    def graph_begin(self, stream: int) -> None:
        assert self.capturing is None
        self.capturing, self.void = [], False

    def graph_end(self, stream: int) -> int:
        work, self.capturing = self.capturing, None
        assert work is not None
        if self.void:
            raise LaunchError("the capture is void", status="LAUNCH_FAILED")
        self.graphs[len(self.graphs) + 1] = work
        return len(self.graphs)

    def graph_launch(self, graph: int, stream: int) -> None:
        self.work(sum(self.graphs[graph]))

    def graph_destroy(self, graph: int) -> None:
        del self.graphs[graph]

    def call(self, us: float) -> Callable[[int], None]:
        return lambda index: self.work(us)
