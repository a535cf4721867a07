"""measure_call_overhead: what a Python call costs, on arrays without elements so no kernel runs.

    python tests/measure_call_overhead.py [--op relu] [--backend sim|nvidia]

prepared: a call of a prepared operator, less the same C function called in a loop in C++.
eager:    op_(out, x) and op(x) as a whole.
Each is the fastest of many batches: noise of the machine only ever adds.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

BATCHES = 50
CALLS = 4000


def fastest_ns(call: Callable[[], Any], batches: int = BATCHES, calls: int = CALLS) -> float:
    """Nanoseconds of one call, without the loop's own cost."""
    rounds = range(calls)
    best, idle = float("inf"), float("inf")
    for _ in range(batches):
        start = time.perf_counter_ns()
        for _ in rounds:
            call()
        middle = time.perf_counter_ns()
        for _ in rounds:
            pass
        end = time.perf_counter_ns()
        best, idle = min(best, middle - start), min(idle, end - middle)
    return (best - idle) / calls


def prepared_overhead_ns(prepared: Any) -> tuple[float, float, float]:
    """(what Python adds, the Python call, the C call) of one prepared operator, in ns."""
    python = fastest_ns(prepared)
    direct = min(prepared.direct_ns(CALLS) for _ in range(BATCHES))
    return python - direct, python, direct


def empty(backend: str) -> Any:
    """An array of shape (0, 8): numpy's on sim, torch's on nvidia."""
    if backend == "sim":
        return np.empty((0, 8), np.float32)
    import torch

    return torch.empty((0, 8), device="cuda")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--op", default="relu", help="an operator of one input")
    parser.add_argument("--backend", default="sim", choices=["sim", "nvidia"])
    options = parser.parse_args()
    os.environ["CAMP_BACKEND"] = options.backend

    import camp

    x, out = empty(options.backend), empty(options.backend)
    op, op_ = getattr(camp, options.op), getattr(camp, f"{options.op}_")
    added, python, direct = prepared_overhead_ns(getattr(camp, f"prepare_{options.op}")(out, x))
    print(f"prepared: {python:.0f} ns, of which the C function {direct:.0f} ns: +{added:.0f} ns")
    print(f"eager {options.op}_(out, x): {fastest_ns(lambda: op_(out, x)) / 1000:.2f} us")
    print(f"eager {options.op}(x):       {fastest_ns(lambda: op(x)) / 1000:.2f} us")


if __name__ == "__main__":
    main()
