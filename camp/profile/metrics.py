"""profile.metrics: which of ncu's counters are asked for, and its raw page read into kernels.

The raw page as CSV has one row for each launch and one column for each metric, below a row of
units. Asked for in base units, so that numbers need no scaling; a metric that a GPU does not have
comes without a value, and is None here.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field

_TIME = "gpu__time_duration.sum"
_DRAM_READ, _DRAM_WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"
_DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
# Between L1 and L2 alone: the L2's own traffic between its two halves is not the kernel's doing.
_L2_SECTORS = "lts__t_sectors_srcunit_tex.sum"
_L2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed"
_L1_SECTORS = tuple(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st"))
_USED_BYTES = tuple(f"smsp__sass_data_bytes_mem_global_op_{op}.sum" for op in ("ld", "st"))
_ACHIEVED = "sm__warps_active.avg.pct_of_peak_sustained_active"
_THEORETICAL = "sm__maximum_warps_per_active_cycle_pct"
_LIMITS = {
    "registers": "launch__occupancy_limit_registers",
    "shared memory": "launch__occupancy_limit_shared_mem",
    "threads": "launch__occupancy_limit_warps",
    "blocks": "launch__occupancy_limit_blocks",
    "barriers": "launch__occupancy_limit_barriers",
}
_REGISTERS = "launch__registers_per_thread"
_SHARED = ("launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")
_GRID, _BLOCK, _SMS = "launch__grid_size", "launch__block_size", "launch__sm_count"
_CONFLICTS = tuple(
    f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st")
)
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
_ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
_INSTRUCTIONS = "smsp__inst_executed.sum"
_LANES = "smsp__thread_inst_executed_per_inst_executed.ratio"
_LOCAL = "smsp__sass_inst_executed_op_local.sum"
_STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = (
    *("barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss"),
    *("lg_throttle", "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc"),
    *("no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping"),
    *("tex_throttle", "wait"),
)
_NO_STALL = ("selected", "not_selected")  # the warp issued, or could have

METRICS: tuple[str, ...] = (
    *(_TIME, _DRAM_READ, _DRAM_WRITTEN, _DRAM, _L2_SECTORS, _L2, *_L1_SECTORS, *_USED_BYTES),
    *(_ACHIEVED, _THEORETICAL, *_LIMITS.values(), _REGISTERS, *_SHARED, _GRID, _BLOCK, _SMS),
    *(*_CONFLICTS, _WAVEFRONTS, _ISSUE, _INSTRUCTIONS, _LANES, _LOCAL),
    *(_STALL.format(name) for name in STALLS),
)


@dataclass(frozen=True)
class KernelProfile:
    """One launch. Percentages are of the hardware's peak, 0 to 100; None: not counted here.

    ideal_sectors: 32-byte sectors that the bytes used by loads and stores fill at best. limiter:
    what allows no more warps on a multiprocessor, "" where it holds all it can. stalls: share of
    the warps' waiting by reason, [0, 1], most first. lanes: active ones of an instruction, of 32.
    """

    name: str
    time_us: float | None = None
    grid: int | None = None
    block: int | None = None
    multiprocessors: int | None = None
    dram_read_bytes: float | None = None
    dram_written_bytes: float | None = None
    dram_percent: float | None = None
    l2_percent: float | None = None
    l2_sectors: float | None = None
    l1_sectors: float | None = None
    ideal_sectors: float | None = None
    occupancy_percent: float | None = None
    possible_percent: float | None = None
    limiter: str = ""
    registers: int | None = None
    shared_bytes: float | None = None
    bank_conflicts: float | None = None
    shared_wavefronts: float | None = None
    issue_percent: float | None = None
    instructions: float | None = None
    lanes: float | None = None
    local_instructions: float | None = None
    stalls: Mapping[str, float] = field(default_factory=dict)

    @property
    def dram_bytes(self) -> float | None:
        return _sum(self.dram_read_bytes, self.dram_written_bytes)

    @property
    def top_stall(self) -> tuple[str, float]:
        """The reason that warps wait for most, and its share; ("", 0) where they never wait."""
        return next(iter(self.stalls.items()), ("", 0.0))


def read_raw_page(text: str) -> list[KernelProfile]:
    """The kernels of a log in CSV, in the order of launch; [] where it holds none."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    rows = csv.DictReader(lines[start:])
    # The row below the header has the units; what follows the table is the tool's own words.
    return [_kernel(row) for row in rows if (row.get("ID") or "").isdigit()]


def _kernel(row: Mapping[str, str | None]) -> KernelProfile:
    def one(metric: str) -> float | None:
        return _number(row.get(metric))

    def total(metrics: tuple[str, ...]) -> float | None:
        return _sum(*(one(metric) for metric in metrics))

    time, used = one(_TIME), total(_USED_BYTES)
    return KernelProfile(
        name=_bare_name(row.get("Kernel Name") or "?"),
        time_us=None if time is None else time / 1e3,
        grid=_whole(one(_GRID)),
        block=_whole(one(_BLOCK)),
        multiprocessors=_whole(one(_SMS)),
        dram_read_bytes=one(_DRAM_READ),
        dram_written_bytes=one(_DRAM_WRITTEN),
        dram_percent=one(_DRAM),
        l2_percent=one(_L2),
        l2_sectors=one(_L2_SECTORS),
        l1_sectors=total(_L1_SECTORS),
        ideal_sectors=None if used is None else used / 32,
        occupancy_percent=one(_ACHIEVED),
        possible_percent=one(_THEORETICAL),
        limiter=_limiter(
            {name: one(metric) for name, metric in _LIMITS.items()}, one(_THEORETICAL)
        ),
        registers=_whole(one(_REGISTERS)),
        shared_bytes=total(_SHARED),
        bank_conflicts=total(_CONFLICTS),
        shared_wavefronts=one(_WAVEFRONTS),
        issue_percent=one(_ISSUE),
        instructions=one(_INSTRUCTIONS),
        lanes=one(_LANES),
        local_instructions=one(_LOCAL),
        stalls=_stalls({name: one(_STALL.format(name)) for name in STALLS}),
    )


def _number(text: str | None) -> float | None:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _sum(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _bare_name(signature: str) -> str:
    """`void camp::copy_kernel<float>(T1 *, long)` -> `copy_kernel<float>`."""
    text = signature.removeprefix("void ")
    begin, depth = 0, 0
    for at, character in enumerate(text):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if depth == 0 and text.startswith("::", at):
            begin = at + 2
        if depth == 0 and character == "(" and at > begin:
            return text[begin:at]
    return text[begin:]


def _limiter(limits: Mapping[str, float | None], possible: float | None) -> str:
    """What allows the fewest blocks; "" where all warps fit."""
    known = {name: value for name, value in limits.items() if value is not None}
    if not known or possible is None or possible > 99.5:
        return ""
    least = min(known.values())
    return " and ".join(name for name, value in known.items() if value == least)


def _stalls(ratios: Mapping[str, float | None]) -> dict[str, float]:
    """Each reason's share of all that warps did, most first; those of no weight are left out."""
    known = {name: value for name, value in ratios.items() if value}
    total = sum(known.values())
    waits = {name: value / total for name, value in known.items() if name not in _NO_STALL}
    return dict(sorted(waits.items(), key=lambda item: -item[1]))
