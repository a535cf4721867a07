"""launched: remarks on a right answer from what the simulator counted of its launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from camp.grading.oracle import Exact, Expectation

_MANY = 8  # blocks that make a remark worth its line
_TIMES = 2.0


def wasted_blocks(
    launches: Sequence[Mapping[str, Any]], expectations: Mapping[str, Expectation]
) -> list[str]:
    """A note for each elementwise kernel launched with far more blocks than stored anything.

    A thread that works stores at least one element, so the lanes of all stores bound the threads
    that did; a block of a reduction stores little by nature. A report that does not follow the
    format gives no note.
    """
    if not all(isinstance(wanted, Exact) for wanted in expectations.values()):
        return []
    try:
        return [note for launch in launches if (note := _wasted(launch))]
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        return []


def _wasted(launch: Mapping[str, Any]) -> str:
    grid, block, count = launch["grid"], launch["block"], int(launch["count"])
    blocks = int(grid[0]) * int(grid[1]) * int(grid[2])
    threads = int(block[0]) * int(block[1]) * int(block[2])
    lanes = sum(int(site["lanes"]) for site in launch["sites"] if site["kind"] == "global_store")
    needed = -(-(lanes // count) // threads)
    if needed < 1 or blocks < _MANY or blocks < _TIMES * needed:
        return ""
    return (
        f"{blocks / needed:.1f}x more blocks than needed: {launch['kernel']} was launched with "
        f"{blocks} blocks of {threads} threads, and {needed} suffice for the elements stored; "
        "compute the grid from elements, not from bytes"
    )


def order_of_sums(launches: Sequence[Mapping[str, Any]]) -> str:
    """Why the same values gave other bits."""
    kinds = {
        site.get("kind")
        for launch in launches
        for site in launch.get("sites", ())
        if isinstance(site, dict)
    }
    cause = " because of atomics, which add in the order of arrival" * ("global_atomic" in kinds)
    return f"not bit-reproducible{cause}: runs on the same values differ in the last digits"
