"""rigs: a Rig whose device memory lies in this process, for tests of ceilings and peers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from camp.bench.cases import BenchCase, load_cases
from camp.bench.gpu import BufferSets
from camp.bench.library import Libraries
from camp.bench.rig import DeviceArray, Rig
from camp.spec import load_spec

ROOT = Path(__file__).resolve().parents[2]
SEED = 5


STREAM = 77


class HostDevice:
    """The part of camp._native.Library that a rig uses, with the stream STREAM.

    Work is done when it is enqueued, or kept while the stream records a graph.
    """

    def __init__(self) -> None:
        self.blocks: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self.recording: list[Callable[[], object]] | None = None
        self.graphs: dict[int, list[Callable[[], object]]] = {}

    def enqueue(self, work: Callable[[], object]) -> None:
        """What another library launches on the stream."""
        if self.recording is None:
            work()
        else:
            self.recording.append(work)

    def graph_begin(self, stream: int) -> None:
        assert stream == STREAM
        assert self.recording is None, "a recording did not end"
        self.recording = []

    def graph_end(self, stream: int) -> int:
        assert stream == STREAM
        assert self.recording is not None
        handle = len(self.graphs) + 1
        self.graphs[handle], self.recording = self.recording, None
        return handle

    def graph_launch(self, graph: int, stream: int) -> None:
        assert stream == STREAM
        for work in self.graphs[graph]:
            work()

    def graph_destroy(self, graph: int) -> None:
        self.graphs[graph] = []

    def alloc(self, device: int, size_bytes: int) -> int:
        block = ctypes.create_string_buffer(size_bytes)
        self.blocks[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, device: int, pointer: int) -> None:
        del self.blocks[pointer]

    def copy(self, to: int, source: int, size_bytes: int, kind: str, stream: int = 0) -> None:
        ctypes.memmove(to, source, size_bytes)

    def memset(self, pointer: int, value: int, size_bytes: int, stream: int = 0) -> None:
        ctypes.memset(pointer, value, size_bytes)

    def stream_synchronize(self, stream: int) -> None:
        pass


def make_rig(op: str, case: BenchCase, sets: int = 3, **libraries: Any) -> Rig:
    """A rig of one case of an operator of this repository."""
    runtime, spec = HostDevice(), load_spec(ROOT, op)
    buffers = BufferSets(runtime, 0, STREAM, case, sets)
    buffers.fill([tensor.name for tensor in spec.inputs], SEED)
    module: ModuleType = load_cases(ROOT, op)
    return Rig(runtime, Libraries(**libraries), STREAM, module, spec, buffers, SEED)


def on_host(array: DeviceArray) -> Any:
    """Device memory of a HostDevice as a numpy array that shares it."""
    dtype = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}[array.dtype]
    size = int(np.prod(array.shape)) * np.dtype(dtype).itemsize
    memory = (ctypes.c_char * size).from_address(array.pointer)
    return np.frombuffer(memory, dtype=dtype).reshape(array.shape)
