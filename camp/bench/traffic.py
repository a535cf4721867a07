"""traffic: what the simulator counted, set against what the operator must move.

Works on the JSON of camp_sim_take_report (native/include/operator_runtime/simulator.h). A sector is
32 bytes of global memory; a wavefront is one pass over the 32 four-byte banks of shared memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

SECTOR_BYTES = 32
WAVEFRONT_BYTES = 128
_GLOBAL = ("global_load", "global_store", "global_atomic")
_SHARED = ("shared_load", "shared_store", "shared_atomic")


@dataclass(frozen=True)
class SiteTraffic:
    """Counts of one source line and one kind of access. `line` is 0 where it is unknown.

    requests: instructions of a warp; bytes: what the lanes asked for.
    """

    kernel: str
    kind: str
    file: str
    line: int
    requests: int
    bytes: int
    sectors: int
    wavefronts: int

    @property
    def is_global(self) -> bool:
        return self.kind in _GLOBAL

    @property
    def sectors_per_request(self) -> float:
        return self.sectors / self.requests if self.requests else 0.0

    @property
    def efficiency(self) -> float:
        """Bytes asked for over bytes that sectors carry; above 1 where lanes share a word."""
        return self.bytes / (self.sectors * SECTOR_BYTES) if self.sectors else 0.0

    @property
    def ideal_wavefronts(self) -> int:
        """The fewest passes: one a request, more only where a request carries over 128 bytes."""
        if not self.requests:
            return 0
        return self.requests * max(1, math.ceil(self.bytes / self.requests / WAVEFRONT_BYTES))


@dataclass(frozen=True)
class Traffic:
    """The totals of one call of an operator, and the lines they come from."""

    minimum_bytes: int
    launches: int
    global_requests: int
    global_sectors: int
    shared_requests: int
    shared_wavefronts: int
    shared_ideal_wavefronts: int
    barriers: int
    sites: tuple[SiteTraffic, ...]

    @property
    def moved_bytes(self) -> int:
        """Bytes of the global sectors touched."""
        return self.global_sectors * SECTOR_BYTES

    @property
    def over_minimum(self) -> float:
        """Moved bytes over the operator's minimum; 0 where the minimum is 0."""
        return self.moved_bytes / self.minimum_bytes if self.minimum_bytes else 0.0

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts beyond the ideal."""
        return max(0, self.shared_wavefronts - self.shared_ideal_wavefronts)

    def to_json(self) -> dict[str, Any]:
        fields = {name: value for name, value in asdict(self).items() if name != "sites"}
        return {
            **fields,
            "moved_bytes": self.moved_bytes,
            "over_minimum": self.over_minimum,
            "bank_conflicts": self.bank_conflicts,
            "sites": [asdict(site) for site in self.sites],
        }


def summarize(report: Mapping[str, Any], minimum_bytes: int) -> Traffic:
    """Adds up a report whose sites are {"file", "line"} (resolve them first) or null."""
    launches = report.get("launches", [])
    sites = [
        _site(str(launch.get("kernel", "?")), site)
        for launch in launches
        for site in launch.get("sites", [])
    ]
    in_global = [site for site in sites if site.kind in _GLOBAL]
    in_shared = [site for site in sites if site.kind in _SHARED]
    return Traffic(
        minimum_bytes=minimum_bytes,
        launches=sum(int(launch.get("count", 1)) for launch in launches),
        global_requests=sum(site.requests for site in in_global),
        global_sectors=sum(site.sectors for site in in_global),
        shared_requests=sum(site.requests for site in in_shared),
        shared_wavefronts=sum(site.wavefronts for site in in_shared),
        shared_ideal_wavefronts=sum(site.ideal_wavefronts for site in in_shared),
        barriers=sum(int(launch.get("barriers", 0)) for launch in launches),
        sites=tuple(merge(sites)),
    )


def merge(sites: Iterable[SiteTraffic]) -> list[SiteTraffic]:
    """One entry per kernel, line and kind, ordered by file and line."""
    sums: dict[tuple[str, int, str, str], list[int]] = {}
    for site in sites:
        key = (site.file, site.line, site.kernel, site.kind)
        counts = sums.setdefault(key, [0, 0, 0, 0])
        for index, count in enumerate((site.requests, site.bytes, site.sectors, site.wavefronts)):
            counts[index] += count
    return [
        SiteTraffic(kernel, kind, file, line, *counts)
        for (file, line, kernel, kind), counts in sorted(sums.items())
    ]


def _site(kernel: str, entry: Mapping[str, Any]) -> SiteTraffic:
    place = entry.get("site") or {}
    return SiteTraffic(
        kernel=kernel,
        kind=str(entry["kind"]),
        file=str(place.get("file") or ""),
        line=int(place.get("line") or 0),
        requests=int(entry.get("requests", 0)),
        bytes=int(entry.get("bytes", 0)),
        sectors=int(entry.get("sectors", 0)),
        wavefronts=int(entry.get("wavefronts", 0)),
    )
