"""model: one call of an operator as the simulator counted it: kernels, their lines, the minimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from camp.counters.counts import (
    GLOBAL_KINDS,
    SHARED_KINDS,
    WARP_LANES,
    Access,
    Branch,
    Counts,
    total,
)


@dataclass(frozen=True)
class TensorBytes:
    """An argument of the operator: the least that has to be read ("input") or written of it."""

    name: str
    role: str
    bytes: int


@dataclass(frozen=True)
class KernelCounters:
    """All launches of one kernel with one grid and block. `registers` a thread: where nvcc told."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    launches: int
    shared_bytes: int  # static and dynamic, of a block
    barriers: int  # of all blocks together
    accesses: tuple[Access, ...]
    branches: tuple[Branch, ...] = ()
    registers: int | None = None

    @property
    def block_threads(self) -> int:
        return prod(self.block)

    @property
    def blocks(self) -> int:
        """Of all launches."""
        return prod(self.grid) * self.launches

    @property
    def warps(self) -> int:
        """Of all launches."""
        return self.blocks * -(-self.block_threads // WARP_LANES)

    @property
    def full_lanes(self) -> float:
        """Lanes of a warp in which every thread runs: 32 where the block is a multiple of it."""
        return self.blocks * self.block_threads / self.warps if self.warps else 0.0

    @property
    def active_lanes(self) -> float | None:
        """Mean lanes that run together, of all code where it was counted, else of the accesses."""
        if self.branches:
            entered = sum(branch.executions * branch.instructions for branch in self.branches)
            return sum(b.lanes * b.instructions for b in self.branches) / max(entered, 1)
        counts = total(self.accesses)
        return counts.lanes / counts.requests if counts.requests else None

    @property
    def in_global(self) -> Counts:
        return total(self.accesses, *GLOBAL_KINDS)

    @property
    def in_shared(self) -> Counts:
        return total(self.accesses, *SHARED_KINDS)


@dataclass(frozen=True)
class Counters:
    """One call. `case` names its shapes, `file` is the kernel file. `has_branches`: whether active
    lanes of all code, and not only of memory accesses, were counted."""

    case: str
    tensors: tuple[TensorBytes, ...]
    kernels: tuple[KernelCounters, ...]
    file: str = ""
    has_branches: bool = False

    def with_registers(self, registers: Mapping[str, int]) -> Counters:
        """The same with the registers of a thread, by the name of the kernel, where known."""
        kernels = (replace(k, registers=registers.get(k.name, k.registers)) for k in self.kernels)
        return replace(self, kernels=tuple(kernels))

    @property
    def minimum_bytes(self) -> int:
        """Bytes any implementation moves: inputs read once, outputs written once."""
        return sum(tensor.bytes for tensor in self.tensors)

    @property
    def accesses(self) -> Sequence[Access]:
        return [access for kernel in self.kernels for access in kernel.accesses]

    @property
    def in_global(self) -> Counts:
        return total(self.accesses, *GLOBAL_KINDS)

    @property
    def in_shared(self) -> Counts:
        return total(self.accesses, *SHARED_KINDS)

    @property
    def over_minimum(self) -> float:
        """Bytes moved over the minimum; 0 where the minimum is 0."""
        return self.in_global.moved_bytes / self.minimum_bytes if self.minimum_bytes else 0.0

    def bytes_of(self, role: str) -> int:
        """The least bytes of the inputs, or of the outputs."""
        return sum(tensor.bytes for tensor in self.tensors if tensor.role == role)
