"""made_results: benchmark results with times chosen by hand, as no device here would give them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from camp.bench.cases import BenchCase, load_cases
from camp.bench.results import BenchResult, CaseResult, HostCost, Outcome, Timed
from camp.bench.statistics import Summary

ROOT = Path(__file__).resolve().parent.parent
CLOCKS = {"sm": "1500 MHz", "memory": "3000 MHz", "throttle_reasons": "0x0"}
# 100 multiprocessors of capability 9.0 at 1500 MHz: 2 x 128 x 100 x 1.5e9 = 38.4 TFLOP/s.
DEVICE = {"name": "Test GPU", "multiprocessors": 100, "compute_major": 9, "compute_minor": 0}


def timed(median_us: float, spread: float = 0.01) -> Timed:
    """31 samples whose p10 and p90 are `spread` of the median away from it."""
    low, high = median_us * (1 - spread), median_us * (1 + spread)
    return Timed(Summary(31, median_us, low, high, low, median_us * spread), 100, "stable", "graph")


def at(case: BenchCase, percent: float, **changes: Any) -> CaseResult:
    """A case at `percent` of a ceiling of 4000 GB/s under a datasheet of 5000, beside two peers."""
    ceiling_us = case.minimum_bytes / 4000e3
    kernel_us = ceiling_us * 100.0 / percent
    known: dict[str, Any] = {
        "sets": 64,
        "kernel": timed(kernel_us),
        "ceilings": {"copy": timed(ceiling_us)},
        "peers": {"torch": timed(1.5 * kernel_us), "cub": timed(1.25 * kernel_us)},
        "host": HostCost(4.0, 3.5, 8.0),
        "datasheet_gbps": 5000.0,
    }
    return CaseResult(case, Outcome.OK, **{**known, **changes})


def result(op: str, percents: Mapping[str, float], otherwise: float = 90.0) -> BenchResult:
    """Every case of an operator of the tree; `percents` of the ceiling by case name."""
    cases = [at(c, percents.get(c.name, otherwise)) for c in load_cases(ROOT, op).CASES]
    conditions = {"driver": "580.1", "clocks_before": CLOCKS, "clocks_after": CLOCKS}
    return BenchResult(op, "nvidia", 7, DEVICE, conditions, tuple(cases))
