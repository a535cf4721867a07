"""reports: launches as the simulator reports them, written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from camp.counters.model import Counters, TensorBytes
from camp.counters.read import read_counters

FILE = "/clone/kernel.cuh"
TENSORS = (TensorBytes("y", "output", 4096), TensorBytes("x", "input", 4096))


def site(kind: str, line: int, requests: int, **counts: int) -> dict[str, Any]:
    """Requests of full warps, 4 bytes a lane, unless `counts` says otherwise."""
    full = {"requests": requests, "lanes": 32 * requests, "bytes": 128 * requests}
    return {"kind": kind, "site": {"file": FILE, "line": line}, **full, **counts}


def coalesced(kind: str, line: int, requests: int, **counts: int) -> dict[str, Any]:
    """The best that 4 bytes a lane can be: 4 sectors a request."""
    best = {"sectors": 4 * requests, "ideal_sectors": 4 * requests}
    return site(kind, line, requests, **{**best, **counts})


def shared(kind: str, line: int, requests: int, ways: int = 1, **counts: int) -> dict[str, Any]:
    """Shared memory with conflicts of so many ways."""
    passes = {"wavefronts": ways * requests, "ideal_wavefronts": requests}
    return site(kind, line, requests, **{**passes, **counts})


def branch(line: int, executions: int, lanes: int) -> dict[str, Any]:
    """Entries into a line's code, with so many lanes each."""
    place = {"file": FILE, "line": line}
    return {"site": place, "executions": executions, "lanes": executions * lanes}


def launch(*sites: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Eight blocks of 128 threads: 32 warps."""
    return {
        "kernel": "k<float>",
        "grid": [8, 1, 1],
        "block": [128, 1, 1],
        "count": 1,
        "static_shared_bytes": 0,
        "dynamic_shared_bytes": 0,
        "barriers": 0,
        "sites": list(sites),
        **fields,
    }


def counters(*launches: Mapping[str, Any], tensors: tuple[TensorBytes, ...] = TENSORS) -> Counters:
    """What is read of these launches, which must follow the format, by lines."""
    found = read_counters(list(launches), "n=1024", tensors, kernel=Path(FILE))
    assert found is not None
    return found
