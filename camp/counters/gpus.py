"""gpus: what a multiprocessor holds, by compute capability, for the occupancy of a launch.

From the CUDA Programming Guide, appendix "Compute Capabilities", tables of technical
specifications. The number of multiprocessors is that of one well-known GPU of each capability.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

_KIB = 1024


@dataclass(frozen=True)
class Gpu:
    """Limits of one multiprocessor, and how many of them `model` has."""

    capability: str
    model: str
    multiprocessors: int
    threads: int
    blocks: int
    shared_bytes: int
    block_shared_bytes: int  # the most of one block, opted in
    reserved_shared_bytes: int  # of each block, for the system
    shared_granularity: int
    registers: int = 65536

    def __str__(self) -> str:
        return f"{self.model}, compute capability {self.capability}"


def _gpu(
    capability: str, model: str, multiprocessors: int, threads: int, blocks: int, shared_kib: int
) -> Gpu:
    # From 8.0 on the system keeps 1 KiB of each block's shared memory.
    reserved, step = (0, 256) if capability < "8" and capability[0] != "1" else (_KIB, 128)
    shared = shared_kib * _KIB
    return Gpu(
        *(capability, model, multiprocessors, threads, blocks),
        *(shared, shared - reserved, reserved, step),
    )


GPUS = {
    gpu.capability: gpu
    for gpu in (
        _gpu("7.5", "T4", 40, 1024, 16, 64),
        _gpu("8.0", "A100", 108, 2048, 32, 164),
        _gpu("8.6", "RTX 3090", 82, 1536, 16, 100),
        _gpu("8.9", "RTX 4090", 128, 1536, 24, 100),
        _gpu("9.0", "H100", 132, 2048, 32, 228),
        _gpu("10.0", "B200", 148, 2048, 32, 228),
        _gpu("12.0", "RTX 5090", 170, 1536, 24, 100),
    )
}
# What the simulator's limits are taken from (DeviceModel in native/sim/include/camp_sim/engine.h).
DEFAULT_GPU = GPUS["9.0"]


def target_gpu() -> Gpu:
    """The first architecture of CMAKE_CUDA_ARCHITECTURES that is known here, else the default."""
    for part in re.findall(r"\d+", os.environ.get("CMAKE_CUDA_ARCHITECTURES", "")):
        gpu = GPUS.get(f"{part[:-1]}.{part[-1]}")
        if gpu is not None:
            return gpu
    return DEFAULT_GPU
