"""apart_plan: writes what camp.worker.apart is to run, and reads what it says of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class PlannedTensor:
    """One tensor: its descriptor, and the bytes that it takes in memory.

    strides: elements, None for contiguous. values: what it holds, as bytes from the first element
    to past the last one, repeated where they are fewer; None for an output.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    size_bytes: int
    strides: tuple[int, ...] | None = None
    shift_bytes: int = 0
    values: bytes | None = None


@dataclass(frozen=True)
class PlannedCase:
    """One call. warm_ups: calls before the one that a profiler is to see."""

    id: str
    tensors: tuple[PlannedTensor, ...]
    attributes: Mapping[str, float] = field(default_factory=dict)
    warm_ups: int = 0


def write_plan(
    folder: Path,
    *,
    op: str,
    runtime: Path,
    library: Path,
    mark: str,
    cases: Sequence[PlannedCase],
) -> list[str]:
    """Writes the plan and its values into `folder`; the command that runs it."""
    values = folder / "values.bin"
    told: list[dict[str, Any]] = []
    with values.open("wb") as file:
        for case in cases:
            tensors = []
            for tensor in case.tensors:
                span = None
                if tensor.values is not None:
                    span = [file.tell(), len(tensor.values)]
                    file.write(tensor.values)
                tensors.append(_tensor(tensor, span))
            told.append(
                {
                    "id": case.id,
                    "attributes": dict(case.attributes),
                    "warm_ups": case.warm_ups,
                    "tensors": tensors,
                }
            )
    plan = {
        "runtime": str(runtime),
        "library": str(library),
        "operator": op,
        "values": str(values),
        "mark": mark,
        "cases": told,
    }
    path = folder / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return [sys.executable, "-S", "-m", "camp.worker.apart", str(path)]


def _tensor(tensor: PlannedTensor, span: list[int] | None) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": list(tensor.shape),
        "strides": None if tensor.strides is None else list(tensor.strides),
        "bytes": tensor.size_bytes,
        "shift_bytes": tensor.shift_bytes,
        "values": span,
    }


def read_mark(line: str, mark: str) -> dict[str, Any] | None:
    """What the worker said in a line of output; None for any other line."""
    if not line.startswith(f"{mark} "):
        return None
    try:
        words = json.loads(line[len(mark) + 1 :])
    except ValueError:
        return None
    return words if isinstance(words, dict) else None
