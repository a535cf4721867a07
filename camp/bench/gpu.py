"""gpu: buffers and timing on a real device, used inside the benchmark worker only."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from camp.bench.cases import ITEM_BYTES, BenchCase
from camp.bench.data import Storage, base_values, rotation, storage_dtype
from camp.bench.protocol import Candidate

ALIGNMENT = 512
POISON = 0xFF  # every float of these bytes is a NaN
MAX_DELAY_COPIES = 256
MAX_ATTEMPTS = 8


class Region:
    """One device allocation cut into equal, aligned slots."""

    def __init__(self, library: Any, device: int, slot_bytes: int, slots: int) -> None:
        self.runtime, self.device, self.slot_bytes = library, device, slot_bytes
        self._step = -(-max(slot_bytes, 1) // ALIGNMENT) * ALIGNMENT
        self._base = library.alloc(device, self._step * slots)

    def slot(self, index: int) -> int:
        """The device address of slot `index`."""
        return int(self._base + self._step * index)

    def free(self) -> None:
        self.runtime.free(self.device, self._base)


class BufferSets:
    """`count` sets of all tensors of a case. Inputs differ from set to set (see bench/data.py)."""

    def __init__(self, library: Any, device: int, stream: int, case: BenchCase, count: int) -> None:
        self.runtime, self.stream, self.case, self.count = library, stream, case, count
        self.regions = {
            name: Region(library, device, case.bytes_of(name), count) for name in case.shapes
        }

    def fill(self, inputs: Sequence[str], seed: int) -> None:
        """Uploads the base values once and makes the other sets from them on the device."""
        for name in inputs:
            base = base_values(self.case, name, seed)
            first = self.regions[name].slot(0)
            self.runtime.copy(first, base.ctypes.data, base.nbytes, "host_to_device", self.stream)
            self.runtime.stream_synchronize(self.stream)
            for index in range(1, self.count):
                head = rotation(self.case, name, seed, index) * ITEM_BYTES[self.case.dtype]
                slot, tail = self.regions[name].slot(index), base.nbytes - head
                self._copy(slot, first + head, tail)
                self._copy(slot + tail, first, head)
        self.runtime.stream_synchronize(self.stream)

    def _copy(self, destination: int, source: int, size_bytes: int) -> None:
        if size_bytes:
            self.runtime.copy(destination, source, size_bytes, "device_to_device", self.stream)

    def tensors(self, index: int) -> list[tuple[int, str, tuple[int, ...]]]:
        """The set as (pointer, dtype, shape) in the operator's order."""
        return [
            (self.regions[name].slot(index), self.case.dtype, tuple(shape))
            for name, shape in self.case.shapes.items()
        ]

    def poison(self, index: int, outputs: Sequence[str]) -> None:
        """Enqueues filling the outputs of one set with NaNs."""
        for name in outputs:
            region = self.regions[name]
            if region.slot_bytes:
                self.runtime.memset(region.slot(index), POISON, region.slot_bytes, self.stream)

    def read(self, name: str, index: int) -> Storage:
        """A host copy of one tensor of one set."""
        import numpy as np

        host = np.empty(self.case.shapes[name], dtype=storage_dtype(self.case.dtype))
        if host.nbytes:
            source = self.regions[name].slot(index)
            self.runtime.copy(host.ctypes.data, source, host.nbytes, "device_to_host", self.stream)
            self.runtime.stream_synchronize(self.stream)
        return host

    def free(self) -> None:
        for region in self.regions.values():
            region.free()


class EventStopwatch:
    """Times calls between two events of one stream.

    Before the first event the stream is loaded with copies that outlast the enqueueing of all
    calls, so the device never waits for the host; they also drive the poison out of the cache.
    A sample whose load ran out too early is thrown away and taken again with a longer one.
    """

    def __init__(self, library: Any, device: int, stream: int, l2_bytes: int) -> None:
        self.runtime, self.stream = library, stream
        self._load_bytes = max(64 << 20, 2 * l2_bytes)
        self._load = Region(library, device, self._load_bytes, 2)
        self._events = [library.event_create(device) for _ in range(3)]
        self._copies = 2
        self.starved = 0  # samples kept although the device had to wait

    def measure(self, candidate: Candidate, sets: Sequence[int]) -> float:
        """Device microseconds of one call on each of `sets`."""
        library, stream = self.runtime, self.stream
        before, start, end = self._events
        for attempt in range(MAX_ATTEMPTS):
            for index in dict.fromkeys(sets):
                candidate.poison(index)
            library.stream_synchronize(stream)
            library.event_record(before, stream)
            enqueued = time.perf_counter()
            for _ in range(self._copies):
                library.copy(
                    self._load.slot(0),
                    self._load.slot(1),
                    self._load_bytes,
                    "device_to_device",
                    stream,
                )
            library.event_record(start, stream)
            for index in sets:
                candidate.call(index)
            library.event_record(end, stream)
            host_us = (time.perf_counter() - enqueued) * 1e6
            library.event_synchronize(end)
            if library.event_elapsed_ms(before, start) * 1e3 >= host_us:
                break
            self._copies = min(self._copies * 2, MAX_DELAY_COPIES)
            self.starved += attempt == MAX_ATTEMPTS - 1
        return float(library.event_elapsed_ms(start, end)) * 1e3

    def free(self) -> None:
        self._load.free()
        for event in self._events:
            self.runtime.event_destroy(event)


def torch_tensor(torch: Any, pointer: int, dtype: str, shape: tuple[int, ...]) -> Any:
    """Device memory as a torch tensor, without a copy. torch takes bf16 only as a view."""
    codes = {"f32": "<f4", "f16": "<f2", "bf16": "<i2", "f64": "<f8"}
    codes |= {"i32": "<i4", "i64": "<i8", "u8": "|u1"}

    class Exporter:
        __cuda_array_interface__: Mapping[str, Any] = {
            "shape": shape,
            "typestr": codes[dtype],
            "data": (pointer, False),
            "version": 3,
        }

    tensor = torch.as_tensor(Exporter(), device="cuda")
    return tensor.view(torch.bfloat16) if dtype == "bf16" else tensor
