"""traffic: bytes that kernels moved in one case, against the least that could do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from camp.grading.case import Problem
from camp.grading.dtypes import dtype_of

_SECTOR_BYTES = 32
_GLOBAL = {"global_load", "global_store", "global_atomic"}


class Traffic:
    """`summary` describes the last case added."""

    def __init__(self) -> None:
        self.summary: dict[str, Any] | None = None

    def add(self, case_id: str, problem: Problem, launches: Sequence[Mapping[str, Any]]) -> None:
        """Counts one passed case. A report that does not follow the format is left out."""
        minimum = sum(t.elements * dtype_of(t.dtype).bytes for t in problem.tensors)
        if not minimum or not launches:
            return
        try:
            self.summary = {"case": case_id, **_count(launches, minimum)}
        except (KeyError, TypeError, ValueError, AttributeError):
            return


def _count(launches: Sequence[Mapping[str, Any]], minimum: int) -> dict[str, Any]:
    totals = {"requests": 0, "bytes": 0, "sectors": 0}
    shared = {"requests": 0, "wavefronts": 0}
    for launch in launches:
        for site in launch["sites"]:
            if site["kind"] in _GLOBAL:
                for key in totals:
                    totals[key] += int(site[key])
            elif str(site["kind"]).startswith("shared"):
                for key in shared:
                    shared[key] += int(site[key])
    moved = totals["sectors"] * _SECTOR_BYTES
    return {
        "minimum_bytes": minimum,
        "requested_bytes": totals["bytes"],
        "moved_bytes": moved,
        "global_requests": totals["requests"],
        "sectors": totals["sectors"],
        "sectors_per_request": totals["sectors"] / max(totals["requests"], 1),
        "share_of_minimum": moved / minimum,
        "shared_requests": shared["requests"],
        "shared_wavefronts": shared["wavefronts"],
        "kernels": [
            {key: launch[key] for key in ("kernel", "grid", "block", "count", "barriers")}
            for launch in launches
        ],
    }
