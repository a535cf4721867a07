"""results: what one measured case says, for people, for JSON and for the progress file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from camp.bench.cases import BenchCase
from camp.bench.modes import Mode
from camp.bench.statistics import Summary, faster, gigabytes_per_second
from camp.counters.document import document, totals
from camp.counters.model import Counters


class Outcome(str, Enum):
    """One word on a case. Only OK counts as a measurement."""

    OK = "OK"
    WRONG = "WRONG"
    FAULT = "FAULT"
    INVALID_TIME = "INVALID_TIME"  # shorter than physics allows
    INVALID_CEILING = "INVALID_CEILING"  # faster than its own ceiling: a fault of the harness
    TOO_NOISY = "TOO_NOISY"
    THROTTLED = "THROTTLED"  # no sample was left that the device took at full clocks
    SKIPPED = "SKIPPED"


@dataclass(frozen=True)
class Timed:
    """Timings of one candidate, microseconds a call.

    method: "graph" (calls replayed from a graph, the sample divided by their number) or "events"
    (calls enqueued between two events). discarded: samples left out because the device throttled.
    modes: the two values around which the samples lie, where they have no single one.
    """

    summary: Summary
    calls_per_sample: int
    stop: str
    method: str = "events"
    discarded: int = 0
    modes: tuple[Mode, ...] = ()

    def to_json(self) -> dict[str, Any]:
        summary = self.summary
        return {
            "median": summary.median,
            "p10": summary.p10,
            "p90": summary.p90,
            "minimum": summary.minimum,
            "samples": summary.n,
            "calls_per_sample": self.calls_per_sample,
            "method": self.method,
            "stopped_by": self.stop,
            "discarded": self.discarded,
            "modes": [{"us": mode.value, "share": mode.share} for mode in self.modes],
        }


@dataclass(frozen=True)
class HostCost:
    """What enqueueing one call costs the host, in microseconds: of the prepared operator called
    from Python, of a C loop of bare launches, and of torch's call; None where there is none."""

    kernel_us: float
    floor_us: float | None = None
    torch_us: float | None = None

    def to_json(self) -> dict[str, float | None]:
        return {"kernel": self.kernel_us, "floor": self.floor_us, "torch": self.torch_us}


@dataclass(frozen=True)
class CaseResult:
    """One case: timed (`kernel`), or counted (`counters`), or neither: then `message` says why.

    ceilings: by kind, the fastest the device does with as many bytes; `ceiling_kind` is the kind of
    this case ("read", "copy", "2 reads + 1 write", ...). peers: by name. datasheet_gbps: the
    memory's peak, None where the driver does not tell. hot: one buffer set, which caches may hold.
    """

    case: BenchCase
    outcome: Outcome
    message: str = ""
    sets: int = 0
    kernel: Timed | None = None
    ceilings: dict[str, Timed] = field(default_factory=dict)
    ceiling_kind: str = "copy"
    peers: dict[str, Timed] = field(default_factory=dict)
    host: HostCost | None = None
    datasheet_gbps: float | None = None
    hot: bool = False
    notes: tuple[str, ...] = ()
    counters: Counters | None = None

    @property
    def ceiling(self) -> Timed | None:
        """Timings of the ceiling of the case's own kind."""
        return self.ceilings.get(self.ceiling_kind)

    @property
    def bytes_per_time(self) -> float | None:
        """Minimum bytes over the median time, in GB/s, wherever the bytes came from."""
        if self.kernel is None or self.kernel.summary.median <= 0.0:
            return None
        return gigabytes_per_second(self.case.minimum_bytes, self.kernel.summary.median)

    @property
    def gbps(self) -> float | None:
        """GB/s of device memory; None for hot buffers, which say nothing of it."""
        return None if self.hot else self.bytes_per_time

    @property
    def percent_of_ceiling(self) -> float | None:
        """percent_of its own kind."""
        return self.percent_of(self.ceiling_kind)

    def percent_of(self, kind: str) -> float | None:
        """The median of the ceiling of that kind over the kernel's, in percent; None if unknown."""
        ceiling = self.ceilings.get(kind)
        if self.kernel is None or ceiling is None or self.kernel.summary.median <= 0.0:
            return None
        return 100.0 * ceiling.summary.median / self.kernel.summary.median

    @property
    def percent_of_datasheet(self) -> float | None:
        """The throughput as a share of the memory's peak, in percent; None where unknown."""
        if self.gbps is None or not self.datasheet_gbps:
            return None
        return 100.0 * self.gbps / self.datasheet_gbps

    @property
    def best_peer(self) -> str | None:
        """The peer with the lowest median."""
        return min(self.peers, key=lambda name: self.peers[name].summary.median, default=None)

    @property
    def times_best_peer(self) -> float | None:
        """The best peer's median over the kernel's: above 1 the kernel is ahead."""
        if self.best_peer is None or self.kernel is None or self.kernel.summary.median <= 0.0:
            return None
        return self.peers[self.best_peer].summary.median / self.kernel.summary.median

    def versus(self, peer: str) -> str:
        """What the kernel is beside that peer: "faster", "slower", or "even" where the intervals
        p10..p90 touch. Raises KeyError for a peer that was not timed, or without a kernel's time.
        """
        if self.kernel is None:
            raise KeyError(f"{self.case.name} was not timed")
        kernel, other = self.kernel.summary, self.peers[peer].summary
        return "faster" if faster(kernel, other) else "slower" if faster(other, kernel) else "even"

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
        if self.kernel is not None:
            found |= self._times(self.kernel)
        if self.counters is not None:
            found["traffic"] = totals(self.counters)
            found["counters"] = document(self.counters)
        return found

    def _times(self, kernel: Timed) -> dict[str, Any]:
        found = {
            "hot": self.hot,
            "buffer_sets": self.sets,
            "kernel_us": kernel.to_json(),
            "ceiling_kind": self.ceiling_kind,
            "ceilings_us": {kind: timed.to_json() for kind, timed in self.ceilings.items()},
            "peers_us": {name: timed.to_json() for name, timed in self.peers.items()},
            "versus": {name: self.versus(name) for name in self.peers},
            "percent_of_ceiling": self.percent_of_ceiling,
            "percent_of_datasheet": self.percent_of_datasheet,
            "best_peer": self.best_peer,
            "times_best_peer": self.times_best_peer,
            "host_us": self.host.to_json() if self.host else None,
        }
        # Bytes from a cache are never called the memory's.
        name = "hot_gigabytes_per_second" if self.hot else "gigabytes_per_second"
        return {**found, name: self.bytes_per_time}


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
