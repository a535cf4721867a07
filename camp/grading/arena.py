"""arena: the shared memory in which a worker finds its tensors, with guard zones around each.

The grader writes the whole image before a launch and reads it all afterwards, so every byte that
no output or workspace owns must come back as it was.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from camp.grading.case import Problem, Tensor
from camp.grading.dtypes import Array, dtype_of, fill_array

GUARD_BYTES = 16384  # wider than a block of 1024 float4
ALIGNMENT = 256
_GUARD_WORD = 0xDEADC0DE5AFE6A7D

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Span:
    """Where one tensor or workspace lies: byte offsets in the arena."""

    name: str
    start: int
    size: int
    writable: bool

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True)
class Stray:
    """A byte that changed and belongs to no output."""

    span: str  # the nearest tensor
    inside: bool  # of an input (or a gap between an output's elements), not of a guard zone
    distance_bytes: int  # before its first or past its last byte
    count: int
    before: bool


@dataclass
class Layout:
    """Spans of one launch, from offset 0 of the arena to `used_bytes`."""

    tensors: dict[tuple[int, str], tuple[Tensor, Span]] = field(default_factory=dict)
    workspaces: dict[int, Span] = field(default_factory=dict)
    used_bytes: int = GUARD_BYTES
    guard_bytes: int = GUARD_BYTES

    def add(self, slot: int, tensor: Tensor) -> None:
        """Places a tensor, `offset` elements past a boundary."""
        shift = tensor.offset * dtype_of(tensor.dtype).bytes
        span = self._place(tensor.name, tensor.extent_bytes, shift, tensor.role == "output")
        self.tensors[slot, tensor.name] = (tensor, span)

    def add_workspace(self, slot: int, size: int) -> None:
        """Places the workspace of a slot; nothing for 0 bytes."""
        if size:
            self.workspaces[slot] = self._place("workspace", size, 0, True)

    def _place(self, name: str, size: int, shift: int, writable: bool) -> Span:
        span = Span(name, self.used_bytes + shift, size, writable)
        past = span.end + self.guard_bytes
        self.used_bytes = -(-past // ALIGNMENT) * ALIGNMENT
        return span

    def offset(self, slot: int, name: str) -> int:
        return self.tensors[slot, name][1].start

    @property
    def spans(self) -> list[Span]:
        return [span for _, span in self.tensors.values()] + list(self.workspaces.values())


def lay_out(
    problems: Sequence[Problem], workspace_bytes: Sequence[int], guard_bytes: int = GUARD_BYTES
) -> Layout:
    """A layout for one problem per slot, with at least `guard_bytes` around every tensor."""
    layout = Layout(used_bytes=guard_bytes, guard_bytes=guard_bytes)
    for slot, (problem, size) in enumerate(zip(problems, workspace_bytes, strict=True)):
        for tensor in problem.tensors:
            layout.add(slot, tensor)
        layout.add_workspace(slot, size)
    return layout


def bytes_needed(problem: Problem, workspace_bytes: int = 0) -> int:
    """Arena bytes of one problem, for choosing an arena's size."""
    return lay_out([problem], [workspace_bytes]).used_bytes


class Arena:
    """A memfd shared with one worker. Close it when the worker has ended."""

    def __init__(self, size_bytes: int) -> None:
        self.fd = os.memfd_create("camp-arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, size_bytes)  # sparse: only what is touched takes memory
        # A worker that cut it short would make the grader's own reads fault.
        fcntl.fcntl(
            self.fd,
            fcntl.F_ADD_SEALS,
            fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL,
        )
        self.size_bytes = size_bytes
        self._map = mmap.mmap(self.fd, size_bytes)
        self._memory: Bytes = np.frombuffer(self._map, dtype=np.uint8)

    def close(self) -> None:
        self._memory = np.empty(0, dtype=np.uint8)
        # Where a view of it is still alive, the mapping goes with the last one.
        with contextlib.suppress(BufferError):
            self._map.close()
        os.close(self.fd)

    def write(self, image: Bytes, at: int = 0) -> None:
        """Puts bytes at an offset of the arena."""
        self._memory[at : at + image.size] = image

    def read(self, size_bytes: int) -> Bytes:
        """A copy of the first bytes: what later happens to the arena no longer matters."""
        copied: Bytes = self._memory[:size_bytes].copy()
        return copied


def build_image(
    layout: Layout,
    inputs: Mapping[tuple[int, str], Array],
    fill: int,
    kept: Mapping[int, Bytes] | None = None,
) -> Bytes:
    """Guards everywhere, inputs as given, outputs full of poison `fill` (0 or 1).

    Workspaces hold what `kept` says of their slot, and zeros before their first execute.
    """
    words = np.full(-(-layout.used_bytes // 8), _GUARD_WORD, dtype=np.uint64)
    image: Bytes = words.view(np.uint8)[: layout.used_bytes]
    for key, (tensor, span) in layout.tensors.items():
        if tensor.role == "input":
            view_of(image, span, tensor)[...] = inputs[key]
        else:
            view_of(image, span, tensor)[...] = fill_array(tensor.shape, tensor.dtype, fill)
    for slot, span in layout.workspaces.items():
        image[span.start : span.end] = (kept or {}).get(slot, 0)
    return image


def view_of(image: Bytes, span: Span, tensor: Tensor) -> Array:
    """The tensor inside an image as a (strided) storage array."""
    dtype = dtype_of(tensor.dtype)
    flat = image[span.start : span.end].view(np.uint8)
    if tensor.elements == 0:
        return np.empty(tensor.shape, dtype=dtype.storage)
    typed = np.ndarray((tensor.extent,), dtype.storage, buffer=flat.data)
    steps = tuple(step * dtype.bytes for step in tensor.steps)
    return np.lib.stride_tricks.as_strided(typed, tensor.shape, steps)


def find_stray(layout: Layout, before: Bytes, after: Bytes) -> Stray | None:
    """The first changed byte that no output element and no workspace owns, or None."""
    changed = before != after
    if not changed.any():
        return None
    for tensor, span in layout.tensors.values():
        if tensor.role == "output" and tensor.elements:
            region = changed[span.start : span.end]
            owned = np.ndarray((tensor.extent * dtype_of(tensor.dtype).bytes,), np.bool_, region)
            _clear(owned, tensor)
    for span in layout.workspaces.values():
        changed[span.start : span.end] = False
    if not changed.any():
        return None
    return _nearest(layout, int(np.argmax(changed)), int(np.count_nonzero(changed)))


def _clear(owned: npt.NDArray[np.bool_], tensor: Tensor) -> None:
    size = dtype_of(tensor.dtype).bytes
    cells = owned.reshape(tensor.extent, size)
    steps = tuple(step * cells.strides[0] for step in tensor.steps)
    view = np.lib.stride_tricks.as_strided(cells, (*tensor.shape, size), (*steps, cells.strides[1]))
    view[...] = False


def _nearest(layout: Layout, at: int, count: int) -> Stray:
    best: Stray | None = None
    for span in layout.spans:
        if span.start <= at < span.end:
            return Stray(span.name, True, at - span.start, count, False)
        distance = span.start - at if at < span.start else at - span.end
        if best is None or distance < best.distance_bytes:
            best = Stray(span.name, False, distance, count, at < span.start)
    assert best is not None  # a layout without tensors has no launches
    return best
