"""results: what one measured case says, for people, for JSON and for the progress file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from camp.bench.cases import BenchCase
from camp.bench.statistics import Summary, gigabytes_per_second
from camp.counters.document import document, totals
from camp.counters.model import Counters


class Outcome(str, Enum):
    """One word on a case. Only OK counts as a measurement."""

    OK = "OK"
    WRONG = "WRONG"
    FAULT = "FAULT"
    INVALID_TIME = "INVALID_TIME"
    TOO_NOISY = "TOO_NOISY"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True)
class Timed:
    """Timings of one candidate, microseconds a call."""

    summary: Summary
    calls_per_sample: int
    stop: str


@dataclass(frozen=True)
class CaseResult:
    """One case. Either timed (`kernel` and `ceiling`) or counted (`counters`), or neither: then
    `message` says why. `ceiling` is a device copy of the same number of bytes."""

    case: BenchCase
    outcome: Outcome
    message: str = ""
    sets: int = 0
    kernel: Timed | None = None
    ceiling: Timed | None = None
    peers: dict[str, Timed] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    counters: Counters | None = None

    @property
    def gbps(self) -> float | None:
        """Minimum bytes over the median time, in GB/s."""
        if self.kernel is None:
            return None
        return gigabytes_per_second(self.case.minimum_bytes, self.kernel.summary.median)

    @property
    def percent_of_copy(self) -> float | None:
        """The copy's median time over the kernel's, in percent: both moved the same bytes."""
        if self.kernel is None or self.ceiling is None:
            return None
        return 100.0 * self.ceiling.summary.median / self.kernel.summary.median

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "case": self.case.name,
            "dtype": self.case.dtype,
            "shapes": {name: list(shape) for name, shape in self.case.shapes.items()},
            "outcome": self.outcome.value,
            "message": self.message,
            "minimum_bytes": self.case.minimum_bytes,
            "notes": list(self.notes),
        }
        if self.kernel is not None and self.ceiling is not None:
            found |= {
                "buffer_sets": self.sets,
                "kernel_us": _timed(self.kernel),
                "copy_us": _timed(self.ceiling),
                "peers_us": {name: _timed(peer) for name, peer in self.peers.items()},
                "gigabytes_per_second": self.gbps,
                "percent_of_copy": self.percent_of_copy,
            }
        if self.counters is not None:
            found["traffic"] = totals(self.counters)
            found["counters"] = document(self.counters)
        return found


@dataclass(frozen=True)
class BenchResult:
    """All cases of one operator on one device; `conditions` are facts that the numbers need."""

    op: str
    backend: str
    seed: int
    device: dict[str, Any]
    conditions: dict[str, Any]
    cases: tuple[CaseResult, ...]

    @property
    def passed(self) -> bool:
        return all(case.outcome in (Outcome.OK, Outcome.SKIPPED) for case in self.cases)

    def with_registers(self, registers: Mapping[str, int]) -> BenchResult:
        """The same, with the registers of a thread in the counters of each kernel named."""
        cases = (
            replace(case, counters=case.counters and case.counters.with_registers(registers))
            for case in self.cases
        )
        return replace(self, cases=tuple(cases))

    def to_json(self) -> dict[str, Any]:
        return {
            "operator": self.op,
            "backend": self.backend,
            "seed": self.seed,
            "device": self.device,
            "conditions": self.conditions,
            "cases": [case.to_json() for case in self.cases],
        }


def _timed(timed: Timed) -> dict[str, Any]:
    summary = timed.summary
    return {
        "median": summary.median,
        "p10": summary.p10,
        "p90": summary.p90,
        "minimum": summary.minimum,
        "samples": summary.n,
        "calls_per_sample": timed.calls_per_sample,
        "stopped_by": timed.stop,
    }
