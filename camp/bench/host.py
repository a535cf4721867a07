"""host: what enqueueing one call costs the host, apart from what the device does.

Batches of calls that fit into the launch queue (about 1,000) are enqueued on an idle device, so no
call waits for another to finish.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from camp.bench.results import HostCost
from camp.bench.statistics import summarize

CALLS = 200
BATCHES = 9
Call = Callable[[], None]


def host_cost(
    synchronize: Call,
    kernel: Call,
    *,
    torch: Call | None = None,
    floor: Callable[[int], float] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> HostCost:
    """Medians over batches, taken in turns. `synchronize` waits for the device; `kernel` and
    `torch` enqueue one call; `floor(n)` is the microseconds of one launch in a C loop of n."""

    def batch(call: Call) -> float:
        synchronize()
        started = clock()
        for _ in range(CALLS):
            call()
        return (clock() - started) * 1e6 / CALLS

    kernel_us, torch_us, floor_us = [], [], []
    for _ in range(BATCHES):
        kernel_us.append(batch(kernel))
        if torch is not None:
            torch_us.append(batch(torch))
        if floor is not None:
            synchronize()
            floor_us.append(floor(CALLS))
    synchronize()
    return HostCost(
        summarize(kernel_us).median,
        summarize(floor_us).median if floor_us else None,
        summarize(torch_us).median if torch_us else None,
    )
