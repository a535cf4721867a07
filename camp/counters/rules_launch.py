"""rules_launch: advice on divergence, barriers, block and grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from camp.counters.advice import Finding, Rule
from camp.counters.counts import WARP_LANES, Place
from camp.counters.gpus import Gpu
from camp.counters.lines import lines, whole
from camp.counters.model import Counters, KernelCounters
from camp.counters.occupancy import occupancy

_LEAST_IDLE = 0.10  # of a kernel's lanes
_LEAST_SHARE = 0.05  # of the call's
_MANY_BARRIERS = 6
_FEW_REQUESTS = 4
_LOW_OCCUPANCY = 0.5
_LARGE_PART_BYTES = 256 * 1024  # takes one multiprocessor longer than a launch


def _divergence(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """A tenth of a kernel's lanes or more, and a twentieth of the call's, idle while others of
    their warp run."""
    for kernel in counters.kernels:
        if not kernel.branches:
            continue
        alone = replace(counters, kernels=(kernel,))
        found = lines(alone)
        everything = whole(alone).lanes
        idle = sum(line.idle for line in found)
        worst = max(found, key=lambda line: line.idle, default=None)
        share = idle / max(whole(counters).lanes, 1)
        if worst is None or idle < _LEAST_IDLE * everything or share < _LEAST_SHARE:
            continue
        assert worst.active_lanes is not None
        assert worst.ideal_lanes is not None
        text = (
            f"{worst.active_lanes:.1f} of {worst.ideal_lanes:.0f} lanes run here on average, and "
            f"{idle / everything:.0%} of {kernel.name}'s lanes are idle: let a warp take one way "
            "together"
        )
        yield Finding(kernel.name, worst.place, text, share)


def _barriers(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Six barriers a block or more, with fewer than four requests of a warp between two."""
    for kernel in counters.kernels:
        each = kernel.barriers / max(kernel.blocks, 1)
        if each < _MANY_BARRIERS:
            continue
        requests = (kernel.in_global.requests + kernel.in_shared.requests) / kernel.warps
        if requests / each >= _FEW_REQUESTS:
            continue
        text = (
            f"{each:.0f} barriers a block, with {requests / each:.1f} memory requests of a warp "
            "between two: let each warp go on alone with shuffles, which need no barrier"
        )
        yield Finding(kernel.name, _busiest(kernel), text)


def _occupancy(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Half of the warps a multiprocessor takes fit it, or fewer."""
    advice = {
        "threads": "choose blocks of a size that divides what it takes",
        "blocks": "use blocks of more threads, 128 to 256",
        "shared memory": "use less of it a block, or more threads a block",
        "registers": "use fewer a thread (__launch_bounds__), or less unrolling",
    }
    for kernel in counters.kernels:
        has = occupancy(gpu, kernel.block_threads, kernel.shared_bytes, kernel.registers)
        if has.share > _LOW_OCCUPANCY:
            continue
        limit = has.limited_by[0]
        text = (
            f"occupancy {has.share:.0%} on {gpu.capability}: {has.blocks} blocks of "
            f"{kernel.block_threads} threads fit a multiprocessor, and {limit} limit"
            f"{'' if limit.endswith('s') else 's'} them; {advice[limit]}"
        )
        yield Finding(kernel.name, Place(), text)


def _block_shape(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Blocks that are no multiple of a warp."""
    for kernel in counters.kernels:
        rest = kernel.block_threads % WARP_LANES
        if rest:
            text = (
                f"the last warp of each block of {kernel.block_threads} threads has {rest} of "
                "32 lanes: use a multiple of 32 threads"
            )
            share = 1 - kernel.full_lanes / WARP_LANES
            yield Finding(kernel.name, Place(), text, share)


def _grid(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Fewer blocks than multiprocessors, although each moves 256 KiB or more."""
    for kernel in counters.kernels:
        blocks = kernel.blocks // kernel.launches
        moved = kernel.in_global.moved_bytes / max(kernel.blocks, 1)
        if blocks >= gpu.multiprocessors or moved < _LARGE_PART_BYTES:
            continue
        text = (
            f"{blocks} blocks for {gpu.multiprocessors} multiprocessors ({gpu.model}), each moving "
            f"{moved / 1024:.0f} KiB: split the work into more blocks"
        )
        yield Finding(kernel.name, Place(), text)


def _busiest(kernel: KernelCounters) -> Place:
    """The line with the most requests to shared memory."""
    shared = [access for access in kernel.accesses if not access.is_global]
    if not shared:
        return Place()
    return max(shared, key=lambda access: access.counts.requests).place


_BEST, _GUIDE = "CUDA C++ Best Practices Guide", "CUDA C++ Programming Guide"
LAUNCH_RULES = (
    Rule("divergence", f"{_BEST}, Branching and Divergence", _divergence),
    Rule("barriers", f"{_GUIDE}, Warp Shuffle Functions", _barriers),
    Rule("occupancy", f"{_BEST}, Occupancy", _occupancy),
    Rule("block_shape", f"{_BEST}, Thread and Block Heuristics", _block_shape),
    Rule("grid", f"{_BEST}, Thread and Block Heuristics", _grid),
)
