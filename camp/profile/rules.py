"""profile.rules: what holds a kernel back, and what to try, told from its counters.

A rule looks at one kernel and says one sentence or nothing; the first that speaks is the next
bottleneck. Their order is that of what helps most: a kernel at the memory's limit gains nothing
from fewer bank conflicts, and one with three blocks nothing from any of the others. tests/profile
holds kernels, recorded on a GPU, for most of the rules, and made-up numbers for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from camp.profile.metrics import KernelProfile

_AT_PEAK_PERCENT = 80.0
_MOVED_AGAIN = 1.3  # times the minimum
_SCATTERED = 1.3  # times the sectors that would do
_CONFLICTS = 0.2  # of the shared-memory wavefronts
_TOP_STALL = 0.3
_BUSY_PERCENT = 65.0
_FEW_LANES = 24.0
_LOW_OCCUPANCY_PERCENT = 50.0


@dataclass(frozen=True)
class Bottleneck:
    """rule: its name, for JSON and tests. text: one sentence. source: what explains it."""

    rule: str
    text: str
    source: str


@dataclass(frozen=True)
class Rule:
    """find: the sentence, or "" where the rule does not apply. The second argument is the fewest
    bytes that the whole call must move, 0 where that is not known."""

    name: str
    source: str
    find: Callable[[KernelProfile, float], str]


def next_bottleneck(kernel: KernelProfile, minimum_bytes: float = 0) -> Bottleneck | None:
    """The first rule that applies; None where none does."""
    for rule in RULES:
        text = rule.find(kernel, minimum_bytes)
        if text:
            return Bottleneck(rule.name, text, rule.source)
    return None


def _spills(kernel: KernelProfile, minimum_bytes: float) -> str:
    local, all_ = kernel.local_instructions or 0, kernel.instructions or 0
    if not all_ or local < 0.02 * all_:
        return ""
    return (
        f"{local / all_:.0%} of the instructions go to local memory: registers are spilled, or an "
        "array is indexed by what is not known when compiling; unroll its loops, or keep fewer "
        "values"
    )


def _few_blocks(kernel: KernelProfile, minimum_bytes: float) -> str:
    blocks, multiprocessors = kernel.grid, kernel.multiprocessors
    if blocks is None or not multiprocessors or blocks >= multiprocessors:
        return ""
    return (
        f"{blocks} blocks on {multiprocessors} multiprocessors: "
        f"{1 - blocks / multiprocessors:.0%} of the GPU has nothing to do; split the work over "
        "more blocks"
    )


def _moved_again(kernel: KernelProfile, minimum_bytes: float) -> str:
    moved = kernel.dram_bytes
    if moved is None or not minimum_bytes or moved < _MOVED_AGAIN * minimum_bytes:
        return ""
    if _scattered(kernel, minimum_bytes):
        return ""
    return (
        f"{moved / minimum_bytes:.1f} times the minimum of bytes pass between the GPU and its "
        "memory: keep what is used again in registers or shared memory, or do in one pass what "
        "takes several"
    )


def _at_the_limit(kernel: KernelProfile, minimum_bytes: float) -> str:
    # A call of some ten microseconds fills L2 before DRAM, whose last writes it does not wait for.
    peaks = {"memory": kernel.dram_percent or 0.0, "L2": kernel.l2_percent or 0.0}
    name = max(peaks, key=lambda key: peaks[key])
    if peaks[name] < _AT_PEAK_PERCENT or _scattered(kernel, minimum_bytes):
        return ""
    once = ", and no byte is moved twice" if minimum_bytes else ""
    return (
        f"{name} is at {peaks[name]:.0f} % of its peak{once}: this is the hardware's limit; only "
        "fewer bytes would be faster, as by doing the next operation in the same kernel"
    )


def _scattered(kernel: KernelProfile, minimum_bytes: float) -> str:
    sectors, ideal = kernel.l1_sectors, kernel.ideal_sectors
    if not sectors or not ideal or sectors < _SCATTERED * ideal:
        return ""
    return (
        f"loads and stores touch {sectors / ideal:.1f} times the 32-byte sectors that their bytes "
        "would fill: let neighbouring threads access neighbouring elements, from an aligned address"
    )


def _conflicts(kernel: KernelProfile, minimum_bytes: float) -> str:
    conflicts, wavefronts = kernel.bank_conflicts or 0, kernel.shared_wavefronts or 0
    waits = {"mio_throttle", "short_scoreboard", "barrier"}
    shared = sum(share for name, share in kernel.stalls.items() if name in waits)
    if not wavefronts or conflicts < _CONFLICTS * wavefronts or shared < _TOP_STALL:
        return ""
    return (
        f"{conflicts / wavefronts:.0%} of the passes over shared memory are bank conflicts: pad "
        "each row by one element, or swap columns by row (swizzle)"
    )


def _divergence(kernel: KernelProfile, minimum_bytes: float) -> str:
    if kernel.lanes is None or kernel.lanes >= _FEW_LANES:
        return ""
    return (
        f"{kernel.lanes:.0f} of a warp's 32 lanes do work on average: let all lanes of a warp take "
        "the same way, and the same number of turns of a loop"
    )


def _issue(kernel: KernelProfile, minimum_bytes: float) -> str:
    if kernel.issue_percent is None or kernel.issue_percent < _BUSY_PERCENT:
        return ""
    return (
        f"instructions are issued in {kernel.issue_percent:.0f} % of all slots: do the same with "
        "fewer, such as 16-byte accesses, index arithmetic outside of the loop, or unrolling"
    )


def _waits_most(kernel: KernelProfile, reason: str) -> float:
    """The share of their time that warps wait for `reason`, if for nothing longer; 0 if little."""
    share = kernel.stalls.get(reason, 0.0)
    return share if kernel.top_stall[0] == reason and share >= _TOP_STALL else 0.0


def _barrier(kernel: KernelProfile, minimum_bytes: float) -> str:
    share = _waits_most(kernel, "barrier")
    if not share:
        return ""
    return (
        f"warps wait at barriers for {share:.0%} of their time: use fewer of them (shuffles inside "
        "a warp need none), give all warps equal work between two, or take smaller blocks"
    )


def _throttled(kernel: KernelProfile, minimum_bytes: float) -> str:
    share = _waits_most(kernel, "lg_throttle")
    if not share:
        return ""
    return (
        f"warps wait {share:.0%} of their time until the queue of memory instructions has room: "
        "ask for 16 bytes at once instead of several single elements"
    )


def _latency(kernel: KernelProfile, minimum_bytes: float) -> str:
    share = _waits_most(kernel, "long_scoreboard")
    if not share:
        return ""
    text = f"warps wait for global memory for {share:.0%} of their time"
    possible = kernel.possible_percent
    if kernel.limiter and possible is not None and possible <= _LOW_OCCUPANCY_PERCENT:
        return (
            f"{text}, and {kernel.limiter} let a multiprocessor hold {possible:.0f} % of its warps "
            f"only: take less of {kernel.limiter} a block, or load several elements before using "
            "the first"
        )
    return (
        f"{text}: too few bytes are on their way; load several vectors into registers before using "
        "the first, or move more by each thread"
    )


def _shared_latency(kernel: KernelProfile, minimum_bytes: float) -> str:
    name, share = kernel.top_stall
    if name not in ("short_scoreboard", "mio_throttle") or share < _TOP_STALL:
        return ""
    return (
        f"warps wait {share:.0%} of their time for shared memory, shuffles or special functions "
        f"({name}): use fewer of them, or wider ones"
    )


_BEST = "CUDA C++ Best Practices Guide"
_NCU = "Nsight Compute Documentation, Profiling Guide"
RULES = (
    Rule("spills", f"{_BEST}, Local Memory", _spills),
    Rule("few_blocks", f"{_BEST}, Thread and Block Heuristics", _few_blocks),
    Rule("moved_again", f"{_BEST}, Effective Bandwidth Calculation", _moved_again),
    Rule("scattered", f"{_BEST}, Coalesced Access to Global Memory", _scattered),
    Rule("memory_limit", f"{_BEST}, Theoretical Bandwidth Calculation", _at_the_limit),
    Rule("bank_conflicts", f"{_BEST}, Shared Memory and Memory Banks", _conflicts),
    Rule("barrier", f"{_NCU}, Warp Stall Reasons", _barrier),
    Rule("divergence", f"{_BEST}, Branching and Divergence", _divergence),
    Rule("issue", f"{_NCU}, Hardware Model", _issue),
    Rule("throttled", f"{_NCU}, Warp Stall Reasons", _throttled),
    Rule("latency", f"{_BEST}, Occupancy", _latency),
    Rule("shared_latency", f"{_NCU}, Warp Stall Reasons", _shared_latency),
)
