"""rig: what ceilings and peers are measured with: the buffers of one case, and memory beside them.

The kernel under test writes the case's outputs. Everything measured next to it reads the same
inputs but writes into memory beside, so that it can neither help nor harm the kernel's verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from camp.bench.cases import BenchCase
from camp.bench.data import Storage, storage_dtype
from camp.bench.gpu import ALIGNMENT, BufferSets, Region
from camp.bench.library import Libraries
from camp.bench.verify import answer
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
        # Room for every tensor to begin on a multiple of ALIGNMENT.
        slack = 2 * ALIGNMENT * (len(self.case.shapes) + 1)
        self._beside = Region(runtime, device, self.case.minimum_bytes + slack, self.count)
        self._extra: list[Region] = []
        self._answers: dict[int, Callable[[Storage], str]] = {}
        self._fill()

    def _fill(self) -> None:
        """Copies the inputs into the memory beside: reading it costs what reading data costs."""
        for index in range(self.count):
            used = 0
            while used < self._beside.slot_bytes:
                for name in self.inputs:
                    size = min(self.case.bytes_of(name), self._beside.slot_bytes - used)
                    if size > 0:
                        target, source = self.slab(index) + used, self.sets.regions[name]
                        self.runtime.copy(
                            target, source.slot(index), size, "device_to_device", self.stream
                        )
                    used += size
                if used == 0:
                    break
        self.runtime.stream_synchronize(self.stream)

    def slab(self, index: int) -> int:
        """Memory beside set `index`: as many bytes as the case moves, and a little more."""
        return self._beside.slot(index)

    def tensors(self, index: int) -> dict[str, DeviceArray]:
        """The tensors of one set: the case's own inputs, and outputs in the memory beside."""
        found: dict[str, DeviceArray] = {}
        used = 0
        for name, shape in self.case.shapes.items():
            pointer = self.sets.regions[name].slot(index)
            if name in self.outputs:
                pointer = self.slab(index) + used
                used += -(-self.case.bytes_of(name) // ALIGNMENT) * ALIGNMENT
            found[name] = DeviceArray(pointer, self.case.dtype, tuple(shape))
        return found

    def difference(self, index: int = 0) -> str:
        """What is wrong with the first output beside set `index`, in a sentence; "" when right."""
        return self._answer(index)(self._read(self.outputs[0], index))

    def spoil(self, index: int = 0) -> None:
        """Fills the memory beside one set with NaNs, so that an output left unwritten shows."""
        self.runtime.memset(self.slab(index), 0xFF, self._beside.slot_bytes, self.stream)

    def region(self, size_bytes: int) -> Region:
        """More device memory, for a candidate's own use; freed with the rig."""
        self._extra.append(Region(self.runtime, self.device, size_bytes, 1))
        return self._extra[-1]

    def free(self) -> None:
        for region in (self._beside, *self._extra):
            region.free()

    def _read(self, name: str, index: int) -> Storage:
        import numpy as np

        host = np.empty(self.case.shapes[name], dtype=storage_dtype(self.case.dtype))
        if host.nbytes:
            source = self.tensors(index)[name].pointer
            self.runtime.copy(host.ctypes.data, source, host.nbytes, "device_to_host", self.stream)
            self.runtime.stream_synchronize(self.stream)
        return host

    def _answer(self, index: int) -> Callable[[Storage], str]:
        """Computed once: every peer is held against the same numbers."""
        if index not in self._answers:
            self._answers[index] = answer(self.module, self.spec, self.case, self.seed, index)
        return self._answers[index]
