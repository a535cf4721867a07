"""read: the launches of a simulator's report (native/include/operator_runtime/simulator.h), as
Counters. The report comes from a process that ran learner code, so its form is not trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
from camp.counters.places import Places, Site

Launch = Mapping[str, Any]
Resolve = Callable[[Site | None], tuple[Place, Place]]

_WAVEFRONT_BYTES = 128  # 32 banks of 4 bytes


def read_counters(
    launches: Any,
    case: str,
    tensors: Sequence[TensorBytes],
    *,
    kernel: Path | None = None,
    modules: Sequence[Path] = (),
) -> Counters | None:
    """The counters by lines of the file `kernel`, looked up in the libraries `modules`; without
    `kernel` in totals alone. None for launches that do not follow the format."""
    resolve: Resolve = _nowhere
    try:
        if kernel is not None:
            resolve = Places(kernel, modules, _sites(launches))
        kernels = tuple(_kernel(launch, resolve) for launch in launches)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    branches = any(kernel.branches for kernel in kernels)
    return Counters(case, tuple(tensors), kernels, branches)


def _nowhere(site: Site | None) -> tuple[Place, Place]:
    return Place(), Place()


def _sites(launches: Sequence[Launch]) -> list[Site | None]:
    """Every site that will be asked for."""
    return [
        entry.get("site")
        for launch in launches
        for entry in [*launch["sites"], *(launch.get("branches") or ())]
    ]


def _kernel(launch: Launch, resolve: Resolve) -> KernelCounters:
    return KernelCounters(
        name=str(launch.get("kernel", "?")),
        grid=_triple(launch["grid"]),
        block=_triple(launch["block"]),
        launches=_count(launch, "count", 1),
        shared_bytes=_count(launch, "static_shared_bytes") + _count(launch, "dynamic_shared_bytes"),
        barriers=_count(launch, "barriers"),
        accesses=tuple(_access(entry, resolve) for entry in launch["sites"]),
        branches=tuple(_branch(entry, resolve) for entry in launch.get("branches") or ()),
    )


def _access(entry: Mapping[str, Any], resolve: Resolve) -> Access:
    kind = str(entry["kind"])
    if kind not in GLOBAL_KINDS + SHARED_KINDS:
        raise ValueError(kind)
    place, inner = resolve(entry.get("site"))
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
        passes=_count(entry, "serialized"),
    )
    return Access(kind, place, inner, counts)


def _fewest(requests: int, size: int, unit: int, seen: int) -> int:
    """For a report without ideals: units that the bytes fill; fewer where lanes share a word."""
    if not requests:
        return 0
    return min(seen, requests * max(1, math.ceil(size / requests / unit)))


def _branch(entry: Mapping[str, Any], resolve: Resolve) -> Branch:
    place, _ = resolve(entry.get("site"))
    return Branch(place, _count(entry, "executions"), _count(entry, "lanes"))


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
