"""rig: what ceilings and peers are measured with: the buffers of one case, and memory beside them.

The kernel under test writes the case's outputs. Everything measured next to it reads the same
inputs but writes into memory beside, so that it can neither help nor harm the kernel's verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from camp.bench.cases import BenchCase
from camp.bench.data import Storage
from camp.bench.gpu import ALIGNMENT, POISON, BufferSets, Region, read_rows
from camp.bench.library import MAX_ARRAYS, TILE_BYTES, Libraries
from camp.bench.verify import Answer, answer
from camp.spec import OpSpec

_CODES = {"f32": "<f4", "f16": "<f2", "bf16": "<i2", "f64": "<f8"}
_CODES |= {"i32": "<i4", "i64": "<i8", "u8": "|u1"}


@dataclass(frozen=True)
class DeviceArray:
    """A contiguous array in device memory. `dtype` is Camp's name of it."""

    pointer: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def __cuda_array_interface__(self) -> Mapping[str, Any]:
        """For torch and CuPy. The interface has no bf16: such an array shows as 16-bit integers."""
        return {
            "shape": self.shape,
            "typestr": _CODES[self.dtype],
            "data": (self.pointer, False),
            "version": 3,
        }


class Rig:
    """One case, ready to be measured.

    runtime is a camp._native.Library, libraries is what there is beside it, and `sets` holds the
    case's buffers, inputs filled. All that a candidate enqueues goes to `stream`.
    """

    def __init__(
        self,
        runtime: Any,
        libraries: Libraries,
        stream: int,
        module: ModuleType,
        spec: OpSpec,
        sets: BufferSets,
        seed: int,
        *,
        device: int = 0,
    ) -> None:
        self.runtime, self.libraries = runtime, libraries
        self.device, self.stream = device, stream
        self.module, self.spec, self.sets, self.seed = module, spec, sets, seed
        self.case: BenchCase = sets.case
        self.count = sets.count
        self.inputs = [tensor.name for tensor in spec.inputs]
        self.outputs = [tensor.name for tensor in spec.outputs]
        defaults = {attribute.name: attribute.default for attribute in spec.attributes}
        self.attributes: Mapping[str, float] = {**defaults, **self.case.attributes}
        # Room for every array to begin on a multiple of ALIGNMENT.
        slack = 2 * ALIGNMENT * (len(self.case.shapes) + 1)
        size = self.count * (self.case.minimum_bytes + slack)
        self._beside = Region(runtime, device, max(size, MAX_ARRAYS * TILE_BYTES), 1)
        self._outputs = self.arrays([self.case.bytes_of(name) for name in self.outputs])
        self._extra: list[Region] = []
        self._answers: dict[int, Answer] = {}
        self._fill()

    def _fill(self) -> None:
        """Copies the inputs into the memory beside: reading it costs what reading data costs."""
        used, size = 0, self._beside.slot_bytes
        while used < size and self.inputs:
            for name in self.inputs:
                region = self.sets.regions[name]
                part = min(region.slot(self.count) - region.slot(0), size - used)
                if part > 0:
                    self.runtime.copy(
                        self._beside.slot(0) + used,
                        region.slot(0),
                        part,
                        "device_to_device",
                        self.stream,
                    )
                used += part
        self.runtime.stream_synchronize(self.stream)

    def arrays(self, sizes: Sequence[int]) -> list[list[int]]:
        """Addresses in the memory beside of arrays of these bytes, set by set.

        The sets of an array lie one after another, as those of a tensor do: gaps between them cost
        1 % of a call on 4 MiB. There are as many sets as the case has, or as fit. Every call of
        this function divides the same memory.
        """
        steps = [-(-max(size, 1) // ALIGNMENT) * ALIGNMENT for size in sizes]
        count = max(1, min(self.count, self._beside.slot_bytes // sum(steps)))
        starts = [self._beside.slot(0) + count * sum(steps[:array]) for array in range(len(steps))]
        return [
            [start + step * index for start, step in zip(starts, steps, strict=True)]
            for index in range(count)
        ]

    def tensors(self, index: int) -> dict[str, DeviceArray]:
        """The tensors of one set: the case's own inputs, and outputs in the memory beside."""
        pointers = {name: self.sets.regions[name].slot(index) for name in self.inputs}
        pointers |= dict(zip(self.outputs, self._outputs[index], strict=True))
        return {
            name: DeviceArray(pointers[name], self.case.dtype, tuple(shape))
            for name, shape in self.case.shapes.items()
        }

    def difference(self, index: int = 0) -> str:
        """What is wrong with the first output beside set `index`, in a sentence; "" when right."""
        expected = self._answer(index)
        return expected.wrong([self._read(self.outputs[0], index, rows) for rows in expected.rows])

    def spoil(self, index: int = 0) -> None:
        """Fills the outputs beside one set with NaNs, so that one left unwritten shows."""
        for name, pointer in zip(self.outputs, self._outputs[index], strict=True):
            size = self.case.bytes_of(name)
            if size:
                self.runtime.memset(pointer, POISON, size, self.stream)

    def region(self, size_bytes: int) -> Region:
        """More device memory, for a candidate's own use; freed with the rig."""
        self._extra.append(Region(self.runtime, self.device, size_bytes, 1))
        return self._extra[-1]

    def free(self) -> None:
        for region in (self._beside, *self._extra):
            region.free()

    def _read(self, name: str, index: int, rows: slice) -> Storage:
        pointer = self.tensors(index)[name].pointer
        shape, dtype = self.case.shapes[name], self.case.dtype
        return read_rows(self.runtime, self.stream, pointer, shape, dtype, rows)

    def _answer(self, index: int) -> Answer:
        """Computed once: every peer is held against the same numbers."""
        if index not in self._answers:
            self._answers[index] = answer(self.module, self.spec, self.case, self.seed, index)
        return self._answers[index]
