"""counting: one case on the simulator, whose traffic is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from camp.bench.cases import BenchCase
from camp.bench.data import aligned_copy, set_values, storage_dtype
from camp.errors import CampError

if TYPE_CHECKING:
    from camp.bench.worker.worker import Worker

SIM_TIME_LIMIT_MS = 60_000


def count_case(worker: Worker, case: BenchCase) -> dict[str, Any]:
    """The simulator's report of one call; the first output is left in the arena."""
    import numpy as np

    arrays = {
        name: aligned_copy(set_values(case, name, worker.seed, index=0)) for name in worker.inputs
    }
    for name in worker.outputs:
        nothing = np.zeros(case.shapes[name], dtype=storage_dtype(case.dtype))
        arrays[name] = aligned_copy(nothing)
        arrays[name].reshape(-1).view("u1")[...] = 0xFF
    tensors = [
        (arrays[name].ctypes.data, case.dtype, tuple(shape)) for name, shape in case.shapes.items()
    ]
    worker.runtime.sim_configure(time_limit_ms=SIM_TIME_LIMIT_MS)
    failure = None
    try:
        worker.operator.prepare(0, 0, tensors, worker.attributes(case))()
    except CampError as error:
        failure = error.message
    report = json.loads(worker.runtime.sim_take_report())
    worker.write([arrays[worker.outputs[0]].tobytes()])
    return {"report": report, "failure": failure}
