"""rules_memory: advice on accesses to global and shared memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from camp.counters.advice import Finding, Rule
from camp.counters.counts import SECTOR_BYTES, WARP_LANES, Access, Counts, Place
from camp.counters.gpus import Gpu
from camp.counters.lines import whole
from camp.counters.model import Counters

# Below this share of the call a line is left alone: its end, or a few odd elements.
_LEAST_SHARE = 0.01
_WIDEST_BYTES = 16  # the widest access of a thread


def _scattered(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Requests that touch more than one sector beyond their ideal, and a quarter more than it."""
    passes = whole(counters).passes
    for kernel, place, counts in _places(counters, _is_scattered):
        text = (
            f"a request touches {_per(counts, counts.sectors)} sectors where "
            f"{_per(counts, counts.ideal_sectors)} hold its bytes: "
            "let neighbouring threads touch neighbouring addresses"
        )
        yield from _worth(kernel, place, text, counts.excess_sectors, passes)


def _misaligned(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Requests that touch up to one sector beyond their ideal."""
    passes = whole(counters).passes
    for kernel, place, counts in _places(counters, _is_misaligned):
        text = (
            f"a request touches {_per(counts, counts.sectors)} sectors where "
            f"{_per(counts, counts.ideal_sectors)} hold its bytes: the warp begins inside a sector "
            "or skips bytes; let its first address be a multiple of 32 bytes"
        )
        yield from _worth(kernel, place, text, counts.excess_sectors, passes)


def _narrow(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Dense accesses of fewer than 16 bytes a lane, if they carry a quarter of the bytes."""
    found = list(_places(counters, _is_narrow))
    moved = sum(counts.moved_bytes for *_, counts in found)
    if not found or moved < counters.in_global.moved_bytes / 4:
        return
    kernel, place, counts = max(found, key=lambda item: item[2].moved_bytes)
    large = [where for _, where, its in found if its.moved_bytes >= moved / 10]
    width = counts.bytes // counts.lanes
    text = (
        f"a thread moves {width} bytes at a time{_on(large)}: one access of 16 bytes (such as "
        f"float4) does the work of {_WIDEST_BYTES // width}, where addresses are multiples of 16"
    )
    yield Finding(kernel, place, text)


def _conflicts(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Shared memory requests that take more passes over the banks than their bytes need."""
    passes = whole(counters).passes
    for kernel, place, counts in _places(counters, _has_conflicts):
        ways = counts.wavefronts / max(counts.ideal_wavefronts, 1)
        text = (
            f"{_number(ways)}-way bank conflict: lanes whose addresses differ by a multiple of 128 "
            "bytes take turns; pad each row by one element, or swap columns by row (swizzle)"
        )
        yield from _worth(kernel, place, text, counts.bank_conflicts, passes)


def _same_address(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Atomics in which two lanes of a request or more meet on one address."""
    passes = whole(counters).passes
    for kernel, place, counts in _places(counters, lambda access: access.counts.waits > 0):
        text = (
            f"{_per(counts, counts.turns)} lanes of a request meet on one address and take turns: "
            "add up in the warp (__shfl_down_sync) or block first, then one atomic for all"
        )
        yield from _worth(kernel, place, text, counts.waits, passes)


def _read_again(counters: Counters, gpu: Gpu) -> Iterator[Finding]:
    """Half as many bytes again read as the inputs hold, or written as the outputs hold."""
    yield from _again(
        *(counters, "input", "global_load", "read"),
        "keep values in registers or shared memory, or do in one pass what takes several",
    )
    yield from _again(
        *(counters, "output", "global_store", "written"),
        "keep values in registers until they are final",
    )


def _again(counters: Counters, role: str, kind: str, verb: str, advice: str) -> Iterator[Finding]:
    """Names the last of the lines that move most of it, and the others beside it."""
    sectors: dict[tuple[Place, str], int] = {}
    for kernel in counters.kernels:
        for access in kernel.accesses:
            if access.kind == kind:
                key = (access.place, kernel.name)
                sectors[key] = sectors.get(key, 0) + access.counts.ideal_sectors
    least, moved = counters.bytes_of(role), sum(sectors.values()) * SECTOR_BYTES
    excess = moved - least
    # Sums of parts in a workspace are few.
    if not least or excess < 0.5 * least or excess < counters.in_global.moved_bytes / 10:
        return
    most = max(sectors.values())
    large = [key for key in sorted(sectors, key=_order) if sectors[key] >= most / 4]
    names = " and ".join(tensor.name for tensor in counters.tensors if tensor.role == role)
    lines = _on([place for place, _ in large])
    text = f"{moved / least:.1f} times the bytes of {names} are {verb}{lines}: {advice}"
    place, name = large[-1]
    share = excess / SECTOR_BYTES / whole(counters).passes
    yield Finding(name, place, text, share)


def _is_scattered(access: Access) -> bool:
    counts = access.counts
    if counts.waits:
        return False  # one address is the matter there, not many
    beyond = counts.per_request(counts.excess_sectors)
    return beyond > 1.05 and counts.sectors > 1.25 * _held_by_full_warps(counts)


def _is_misaligned(access: Access) -> bool:
    counts = access.counts
    return (
        counts.sectors > 1.05 * _held_by_full_warps(counts)
        and not counts.waits
        and not _is_scattered(access)
    )


def _has_conflicts(access: Access) -> bool:
    return access.counts.bank_conflicts > 0 and not access.counts.waits


def _held_by_full_warps(counts: Counts) -> float:
    """The ideal as if every lane had taken part: sectors that lanes of another branch fill are no
    matter of addresses."""
    return counts.ideal_sectors * WARP_LANES * counts.requests / max(counts.lanes, 1)


def _is_narrow(access: Access) -> bool:
    counts = access.counts
    if access.kind not in ("global_load", "global_store") or not counts.lanes:
        return False
    dense = 0.9 <= counts.bytes / max(counts.ideal_sectors * SECTOR_BYTES, 1) <= 1.1
    return dense and counts.bytes / counts.lanes <= _WIDEST_BYTES / 2


def _places(
    counters: Counters, applies: Callable[[Access], bool]
) -> Iterator[tuple[str, Place, Counts]]:
    """(kernel, line, sum) of the instructions for which a rule applies: a loop that the compiler
    unrolled is one line again."""
    sums: dict[tuple[str, Place], Counts] = {}
    for kernel in counters.kernels:
        for access in kernel.accesses:
            if applies(access):
                key = (kernel.name, access.place)
                sums[key] = sums.get(key, Counts()) + access.counts
    for (name, place), counts in sums.items():
        yield name, place, counts


def _worth(kernel: str, place: Place, text: str, excess: int, of: int) -> Iterator[Finding]:
    """The finding, unless its excess is next to nothing of the call's."""
    if of and excess >= _LEAST_SHARE * of:
        yield Finding(kernel, place, text, excess / of)


def _per(counts: Counts, count: int) -> str:
    return _number(counts.per_request(count))


def _number(value: float) -> str:
    """One digit after the point, and none where it is a whole number."""
    return f"{value:.1f}".removesuffix(".0")


def _order(key: tuple[Place, str]) -> tuple[str, int, str]:
    place, kernel = key
    return place.file, place.line, kernel


def _on(places: list[Place]) -> str:
    """The lines among several that matter; nothing for one, which is named anyway."""
    numbers = sorted({place.line for place in places if place})
    if len(numbers) < 2:
        return ""
    return f" (lines {', '.join(map(str, numbers[:-1]))} and {numbers[-1]})"


_GUIDE = "CUDA C++ Best Practices Guide"
MEMORY_RULES = (
    Rule("scattered", f"{_GUIDE}, Coalesced Access to Global Memory", _scattered),
    Rule("misaligned", f"{_GUIDE}, A Sequential but Misaligned Access Pattern", _misaligned),
    Rule("bank_conflict", f"{_GUIDE}, Shared Memory and Memory Banks", _conflicts),
    Rule("same_address", "CUDA C++ Programming Guide, SIMT Architecture", _same_address),
    Rule("moved_again", f"{_GUIDE}, Effective Bandwidth Calculation", _read_again),
    Rule("narrow", "CUDA C++ Programming Guide, Device Memory Accesses", _narrow),
)
