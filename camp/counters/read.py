"""read: the launches of a simulator's report (native/include/operator_runtime/simulator.h), as
Counters. The report comes from a process that ran learner code, so its form is not trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from camp.counters.counts import (
    GLOBAL_KINDS,
    SECTOR_BYTES,
    SHARED_KINDS,
    Access,
    Branch,
    Counts,
    Place,
)
from camp.counters.model import Counters, KernelCounters, TensorBytes
from camp.counters.places import Places

Launch = Mapping[str, Any]

_WAVEFRONT_BYTES = 128  # 32 banks of 4 bytes


def read_counters(
    launches: Any,
    case: str,
    tensors: Sequence[TensorBytes],
    *,
    kernel: Path | None = None,
    root: Path | None = None,
    modules: Sequence[Path] = (),
) -> Counters | None:
    """The counters by lines of the file `kernel` and others under `root` (default: its folder),
    looked up in the libraries `modules`; without `kernel` in totals alone. None for launches that
    do not follow the format."""
    try:
        places = None if kernel is None else _places(kernel, root, modules, launches)
        kernels = tuple(_kernel(launch, places) for launch in launches)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    branches = any(kernel.branches for kernel in kernels)
    return Counters(case, tuple(tensors), kernels, str(kernel or ""), branches)


def _places(
    kernel: Path, root: Path | None, modules: Sequence[Path], launches: Sequence[Launch]
) -> Places:
    accesses = [entry.get("site") for launch in launches for entry in launch["sites"]]
    branches = [entry.get("site") for launch in launches for entry in _branch_entries(launch)]
    return Places(kernel, root or kernel.parent, modules, accesses, branches)


def _kernel(launch: Launch, places: Places | None) -> KernelCounters:
    return KernelCounters(
        name="".join(c if c.isprintable() else "?" for c in str(launch.get("kernel", "?"))),
        grid=_triple(launch["grid"]),
        block=_triple(launch["block"]),
        launches=_count(launch, "count", 1),
        shared_bytes=_count(launch, "static_shared_bytes") + _count(launch, "dynamic_shared_bytes"),
        barriers=_count(launch, "barriers"),
        accesses=tuple(_access(entry, places) for entry in launch["sites"]),
        branches=tuple(
            branch for entry in _branch_entries(launch) for branch in _branches(entry, places)
        ),
    )


def _branch_entries(launch: Launch) -> Sequence[Mapping[str, Any]]:
    return launch.get("branches") or ()


def _access(entry: Mapping[str, Any], places: Places | None) -> Access:
    kind = str(entry["kind"])
    if kind not in GLOBAL_KINDS + SHARED_KINDS:
        raise ValueError(kind)
    place = places.access(entry.get("site")) if places else Place()
    requests, size, sectors = (_count(entry, name) for name in ("requests", "bytes", "sectors"))
    counts = Counts(
        requests=requests,
        lanes=_count(entry, "lanes"),
        bytes=size,
        sectors=sectors,
        ideal_sectors=_count(
            entry, "ideal_sectors", _fewest(requests, size, SECTOR_BYTES, sectors)
        ),
        wavefronts=_count(entry, "wavefronts"),
        ideal_wavefronts=_count(
            entry,
            "ideal_wavefronts",
            _fewest(requests, size, _WAVEFRONT_BYTES, _count(entry, "wavefronts")),
        ),
        turns=_count(entry, "serialized"),
    )
    return Access(kind, place, counts)


def _fewest(requests: int, size: int, unit: int, seen: int) -> int:
    """For a report without ideals: units that the bytes fill; fewer where lanes share a word."""
    if not requests:
        return 0
    return min(seen, requests * max(1, math.ceil(size / requests / unit)))


def _branches(entry: Mapping[str, Any], places: Places | None) -> list[Branch]:
    """One for each line in a piece of code."""
    executions, lanes = _count(entry, "executions"), _count(entry, "lanes")
    lines = places.branch(entry.get("site")) if places else {}
    return [Branch(place, executions, lanes, size) for place, size in lines.items()]


def _count(entry: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = int(entry.get(name, default))
    if value < 0:
        raise ValueError(name)
    return value


def _triple(value: Any) -> tuple[int, int, int]:
    x, y, z = (int(extent) for extent in value)
    if min(x, y, z) < 1:
        raise ValueError("extent")
    return x, y, z
