"""occupancy: how many blocks of a launch a multiprocessor holds at once, and what limits them.

The rules are those of the CUDA C++ Best Practices Guide, "Calculating Occupancy": warps are whole,
registers are given to warps in steps of 256 and within a quarter of the multiprocessor, shared
memory in steps of its granularity.
"""

from __future__ import annotations

from dataclasses import dataclass

from camp.counters.counts import WARP_LANES
from camp.counters.gpus import Gpu

_REGISTER_STEP = 256
_QUARTERS = 4
_BLOCK_THREADS = 1024


@dataclass(frozen=True)
class Occupancy:
    """blocks: resident on one multiprocessor. share: their warps over the most it takes, [0, 1].
    limits: blocks that each resource alone would allow; missing are those not used or
    unknown."""

    blocks: int
    share: float
    limits: dict[str, int]

    @property
    def limited_by(self) -> list[str]:
        """The resources that run out first."""
        return [name for name, blocks in self.limits.items() if blocks == self.blocks]


def occupancy(
    gpu: Gpu, block_threads: int, shared_bytes: int, registers: int | None = None
) -> Occupancy:
    """Of blocks with so many threads, bytes of shared memory (static and dynamic) and registers a
    thread; None: unknown, taken not to limit. 0 blocks: the launch does not fit this GPU."""
    warps = -(-block_threads // WARP_LANES)
    most_warps = gpu.threads // WARP_LANES
    limits = {
        "threads": most_warps // warps if block_threads <= _BLOCK_THREADS else 0,
        "blocks": gpu.blocks,
    }
    if shared_bytes:
        limits["shared memory"] = _by_shared(gpu, shared_bytes)
    if registers is not None:
        limits["registers"] = _by_registers(gpu, warps, registers)
    blocks = min(limits.values())
    return Occupancy(blocks, blocks * warps / most_warps, limits)


def _by_shared(gpu: Gpu, shared_bytes: int) -> int:
    if shared_bytes > gpu.block_shared_bytes:
        return 0
    taken = _up(shared_bytes + gpu.reserved_shared_bytes, gpu.shared_granularity)
    return gpu.shared_bytes // taken


def _by_registers(gpu: Gpu, warps: int, registers: int) -> int:
    of_warp = _up(max(registers, 1) * WARP_LANES, _REGISTER_STEP)
    # A launch is refused as if its warps were spread evenly over the quarters.
    if of_warp * _up(warps, _QUARTERS) > gpu.registers:
        return 0
    in_quarter = gpu.registers // _QUARTERS // of_warp
    return in_quarter * _QUARTERS // warps


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
