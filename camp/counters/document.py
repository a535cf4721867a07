"""document: counters, ideals and suggestions as plain data, for --json."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from camp.counters.advice import suggest
from camp.counters.counts import Counts, Place
from camp.counters.gpus import Gpu, target_gpu
from camp.counters.lines import LineCounters, lines
from camp.counters.model import Counters, KernelCounters
from camp.counters.occupancy import occupancy


def totals(counters: Counters) -> dict[str, Any]:
    """The bytes of the call against the minimum."""
    return {
        "case": counters.case,
        "minimum_bytes": counters.minimum_bytes,
        "moved_bytes": counters.in_global.moved_bytes,
        "over_minimum": counters.over_minimum,
        "global": _counts(counters.in_global),
        "shared": _counts(counters.in_shared),
    }


def document(counters: Counters) -> dict[str, Any]:
    """Everything: totals, kernels, lines, suggestions, and the GPU that occupancy is of."""
    gpu = target_gpu()
    return {
        **totals(counters),
        "has_branches": counters.has_branches,
        "gpu": asdict(gpu),
        "kernels": [_kernel(kernel, gpu) for kernel in counters.kernels],
        "lines": [_line(line) for line in lines(counters)],
        "suggestions": [
            {
                "rule": found.rule.name,
                "kernel": found.finding.kernel,
                **_place(found.finding.place),
                "text": found.finding.text,
                "share": found.finding.share,
                "source": found.rule.source,
            }
            for found in suggest(counters, gpu)
        ],
    }


def _kernel(kernel: KernelCounters, gpu: Gpu) -> dict[str, Any]:
    has = occupancy(gpu, kernel.block_threads, kernel.shared_bytes, kernel.registers)
    return {
        "kernel": kernel.name,
        "grid": kernel.grid,
        "block": kernel.block,
        "launches": kernel.launches,
        "shared_bytes": kernel.shared_bytes,
        "registers": kernel.registers,
        "barriers": kernel.barriers,
        "warps": kernel.warps,
        "active_lanes": kernel.active_lanes,
        "ideal_lanes": kernel.full_lanes,
        "moved_bytes": kernel.in_global.moved_bytes,
        "global": _counts(kernel.in_global),
        "shared": _counts(kernel.in_shared),
        "occupancy": {
            "share": has.share,
            "blocks": has.blocks,
            "limits": has.limits,
            "limited_by": has.limited_by,
        },
    }


def _line(line: LineCounters) -> dict[str, Any]:
    return {
        **_place(line.place),
        "kinds": line.kinds,
        "waste": line.waste,
        "executions": line.executions,
        "active_lanes": line.active_lanes,
        "ideal_lanes": line.ideal_lanes,
        "global": _counts(line.in_global),
        "shared": _counts(line.in_shared),
    }


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file or None, "line": place.line or None}


def _counts(counts: Counts) -> dict[str, int]:
    return asdict(counts)
