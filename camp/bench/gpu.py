"""gpu: buffers on a real device, used inside the benchmark worker only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from camp.bench.cases import ITEM_BYTES, BenchCase
from camp.bench.data import Storage, base_values, head, rotation, rows_shape, storage_dtype

ALIGNMENT = 512
POISON = 0xFF  # every float of these bytes is a NaN


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
        """Uploads one period of values a tensor and makes all else from it on the device."""
        for name in inputs:
            base, size_bytes = base_values(self.case, name, seed), self.case.bytes_of(name)
            first = self.regions[name].slot(0)
            self.runtime.copy(first, base.ctypes.data, base.nbytes, "host_to_device", self.stream)
            self.runtime.stream_synchronize(self.stream)
            for index in range(self.count):
                turned = rotation(self.case, name, seed, index) * ITEM_BYTES[self.case.dtype]
                slot, filled = self.regions[name].slot(index), base.nbytes
                if turned:
                    self._copy(slot, first + turned, filled - turned)
                    self._copy(slot + filled - turned, first, turned)
                while filled < size_bytes:  # whole periods, until the tensor is full
                    step = min(filled, size_bytes - filled)
                    self._copy(slot + filled, slot, step)
                    filled += step
                own = head(self.case, name, seed, index, base)
                if own.nbytes:
                    self.runtime.copy(
                        slot, own.ctypes.data, own.nbytes, "host_to_device", self.stream
                    )
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

    def read(self, name: str, index: int, rows: slice = slice(None)) -> Storage:
        """A host copy of one tensor of one set, or of some of its leading rows."""
        pointer, shape = self.regions[name].slot(index), tuple(self.case.shapes[name])
        return read_rows(self.runtime, self.stream, pointer, shape, self.case.dtype, rows)

    def free(self) -> None:
        for region in self.regions.values():
            region.free()


def read_rows(
    library: Any,
    stream: int,
    pointer: int,
    shape: tuple[int, ...],
    dtype: str,
    rows: slice = slice(None),
) -> Storage:
    """A host copy of some leading rows, or all, of a contiguous tensor in device memory."""
    import numpy as np

    host = np.empty(rows_shape(shape, rows), dtype=storage_dtype(dtype))
    if host.nbytes:
        offset = rows.start * (host.nbytes // len(host)) if rows.start else 0
        library.copy(host.ctypes.data, pointer + offset, host.nbytes, "device_to_host", stream)
        library.stream_synchronize(stream)
    return host
